"""No oracle: what a call answers tells nothing of what is stored, nor of what other agents did."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import httpx

from ledger.core.model import Handling
from ledger.proof.histories import FIRST_DAY
from ledger.proof.report import Line, line
from ledger.proof.stage import Place
from ledger.proof.words import LISTED

STALE = FIRST_DAY + timedelta(days=150)
MOST_CALLS = 2_000
LABEL = "windmill tour"  # coined nowhere else

# What an agent's reply may be made of: DESIGN section 8, and the members of a problem document (RFC 9457).
FIELDS = frozenset({
    "items", "next", "key", "question", "aliases", "label", "do", "quote", "ask", "as_of", "prompt", "covered", "topic",
    "freshness", "entries", "type", "title", "status", "detail", "problems", "at", "message", "similar",
})  # fmt: skip
HEADERS = frozenset({
    "content-type", "content-length", "cache-control", "content-security-policy", "referrer-policy",
    "x-content-type-options", "date", "retry-after", "www-authenticate",
})  # fmt: skip

Reply = tuple[int, bytes, tuple[tuple[str, str], ...]]


def examine(place: Place) -> Iterator[Line]:
    place.clock.set(FIRST_DAY)
    told: list[httpx.Response] = []
    compared, wrong = _strangers(place, told)
    yield line(
        "of a revoked, objecting, erased or held principal agents hear what they hear of a stranger, byte for byte",
        "G3",
        wrong,
        f"{compared} replies compared",
    )
    compared, wrong = _same_in_every_state(place)
    yield line(
        "captures, reconfirmations and coinings are answered alike whatever is stored",
        "G3",
        wrong,
        f"{compared} replies compared",
    )
    wrong = list(_strange_parts(told))
    yield line(
        "no tier, and nothing else but the contract's fields, in an agent's reply",
        "G3",
        wrong,
        f"{len(told)} replies",
    )
    calls, wrong = _used_up(place)
    yield line(
        "an agent that has used up its calls is felt by no other agent of its principal",
        "G3",
        wrong,
        f"refused at its call {calls}; {len(READS)} replies compared",
    )


def _kept(reply: httpx.Response) -> Reply:
    """A response without its date, as it goes over the wire."""
    headers = tuple(sorted((name, value) for name, value in reply.headers.items() if name != "date"))
    return reply.status_code, reply.content, headers


# ── Agents ───────────────────────────────────────────────────────────────────────────────────────

READS: tuple[tuple[str, str, Any], ...] = (
    ("POST", "/v1/plan", {"labels": ["kids", "salary", "pregnancy", LABEL]}),
    ("POST", "/v1/plan", {"labels": []}),
    ("POST", "/v1/coverage", {}),
    ("POST", "/v1/coverage", {"topics": ["kids", "salary", LABEL]}),
    ("POST", "/v1/recall", {}),
    ("POST", "/v1/recall", {"topics": ["kids", "salary", LABEL], "limit": 3}),
    ("POST", "/v1/topics", {"label": "kids"}),
    ("POST", "/v1/topics", {"label": "kid s/"}),
    ("GET", "/v1/topics", None),
)


def _strangers(place: Place, told: list[httpx.Response]) -> tuple[int, list[str]]:
    _say_all(place, "revoked", "objecting", "erased", "held")
    for who in ("revoked", "revoked at once", "held"):
        _decide(place, who, "revoked" if who != "held" else "granted")
    place.call("PUT", "/v1/me/objection", scope="principal", who="objecting")
    place.call("DELETE", "/v1/me", scope="principal", who="erased")
    place.call("PUT", "/v1/operator/legal-holds", {"principal": "held"}, scope="operator")
    place.call("DELETE", "/v1/me", scope="principal", who="held")
    compared, wrong = 0, []
    for method, path, body in READS:
        stranger = place.call(method, path, body, scope="agent", who="a stranger")
        told.append(stranger)
        for who in ("revoked", "revoked at once", "objecting", "erased", "held"):
            reply = place.call(method, path, body, scope="agent", who=who)
            told.append(reply)
            compared += 1
            if _kept(reply) != _kept(stranger):
                wrong.append(f"{path} of the one {who} is not that of a stranger")
    _decide(place, "granting", "granted")
    _say_all(place, "granting")
    told += [place.call(method, path, body, scope="agent", who="granting") for method, path, body in READS]
    if not told[-4].json()["entries"]:
        wrong.append("a consenting principal's answers are not given: nothing was compared with something")
    return compared, wrong


def _strange_parts(told: Sequence[httpx.Response]) -> Iterator[str]:
    for reply in told:
        path = "an agent's reply"
        yield from (f"{path} has the field {name}" for name in sorted(_fields(reply.json()) - FIELDS))
        yield from (f"{path} has the header {name}" for name in sorted({*reply.headers} - HEADERS))


def _fields(document: Any) -> set[str]:
    if isinstance(document, dict):
        return set(document).union(*map(_fields, document.values()))
    return set().union(*map(_fields, document)) if isinstance(document, list) else set()


# ── Beside another agent ─────────────────────────────────────────────────────────────────────────


def _used_up(place: Place) -> tuple[int, list[str]]:
    """One agent calls till it is refused; then what another agent of its principal hears is what one of a stranger hears."""

    def refused() -> bool:
        label = {"label": "kid s/"}
        return (
            place.call("POST", "/v1/topics", label, scope="agent", who="busy", thread="one").status_code
            == 429
        )

    calls = next((number for number in range(1, MOST_CALLS) if refused()), 0)
    if not calls:
        return 0, [f"no call of {MOST_CALLS:,} was refused: nothing was compared with something"]
    wrong = []
    for method, path, body in READS:
        beside = place.call(method, path, body, scope="agent", who="busy", thread="another")
        alone = place.call(method, path, body, scope="agent", who="an idle stranger")
        if _kept(beside) != _kept(alone):
            wrong.append(
                f"{path} is answered {beside.status_code} beside a busy agent, {alone.status_code} alone"
            )
    return calls, wrong


# ── Whatever is stored ───────────────────────────────────────────────────────────────────────────


def _same_in_every_state(place: Place) -> tuple[int, list[str]]:
    place.clock.set(STALE)
    states = (
        "nothing", "the same", "the same, and consent", "older words", "older words, and consent", "newer words",
        "a refusal", "an objection", "an erasure", "a hold",
    )  # fmt: skip
    day = STALE.isoformat()
    labels = [key for key, topic in LISTED.items() if topic.handling is not Handling.OPEN] + ["kids", LABEL]
    spoken = [
        (label, LISTED[label].sentences[0] if label in LISTED else "I like a windmill tour")
        for label in labels
    ]
    calls: tuple[tuple[str, str, Any], ...] = (
        ("capture", "/v1/captures", {
            "message": ". ".join(sentence for _, sentence in spoken), "said_on": day,
            "candidates": [{"topic": label, "span": sentence} for label, sentence in [*spoken, ("kids", "never said")]],
        }),
        ("capture", "/v1/reconfirmations", {"topic": "kids", "message": "Yes.", "span": "Yes.", "said_on": day, "still_true": True}),
        ("capture", "/v1/reconfirmations", {"topic": "pets", "message": "No.", "span": "No.", "said_on": day, "still_true": False}),
        ("capture", "/v1/reconfirmations", {"topic": LABEL, "message": "Yes.", "span": "Yes.", "said_on": day, "still_true": True}),
        ("agent", "/v1/topics", {"label": LABEL, "new": True}),
        ("agent", "/v1/topics", {"label": LABEL}),
    )  # fmt: skip
    compared, wrong = 0, []
    for number, (scope, path, body) in enumerate(calls):
        first: Reply | None = None
        for state in states:
            who = f"{state} {number}"
            _make(place, who, state)
            reply = _kept(place.call("POST", path, body, scope=scope, who=who))
            first = first or reply
            compared += 1
            if reply != first:
                wrong.append(f"{path} is answered otherwise where there is {state}")
            if reply[0] != 200:
                wrong.append(f"{path} was answered {reply[0]} where there is {state}")
    return compared, wrong


def _make(place: Place, who: str, state: str) -> None:
    """Puts a principal into a state."""
    match state:
        case "nothing":
            return
        case "the same" | "the same, and consent":
            _say_all(place, who, on=STALE)
        case "newer words":
            _say_all(place, who, on=STALE, words="since today")
        case _:
            _say_all(place, who, words="a while ago")
    if state.endswith("consent"):
        _decide(place, who, "granted")
    calls: dict[str, tuple[str, str, Any, str]] = {
        "a refusal": ("PUT", "/v1/me/consent", {"decision": "revoked", "notice": "v1"}, "principal"),
        "an objection": ("PUT", "/v1/me/objection", None, "principal"),
        "an erasure": ("DELETE", "/v1/me", None, "principal"),
        "a hold": ("PUT", "/v1/operator/legal-holds", {"principal": who}, "operator"),
    }
    if state in calls:
        method, path, body, scope = calls[state]
        place.call(method, path, body, scope=scope, who=who if scope == "principal" else None)


def _say_all(place: Place, *people: str, on: Any = FIRST_DAY, words: str = "") -> None:
    for who in people:
        for key in ("kids", "pets", "salary", "pregnancy"):
            sentence = LISTED[key].sentences[0]
            place.capture(who, on, key, f"{sentence}, {words}" if words else sentence)


def _decide(place: Place, who: str, decision: str) -> None:
    place.call("PUT", "/v1/me/consent", {"decision": decision, "notice": "v1"}, scope="principal", who=who)
