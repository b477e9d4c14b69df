"""No oracle: what a call answers tells nothing of what is stored, and no error repeats what was sent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import httpx

from ledger.core.model import Handling
from ledger.db.outage import without
from ledger.proof.histories import FIRST_DAY
from ledger.proof.report import Line, line
from ledger.proof.stage import Place
from ledger.proof.words import LISTED

STALE = FIRST_DAY + timedelta(days=150)
LABEL = "windmill tour"  # coined nowhere else
CANARY = "zq7canary"

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
    errors, wrong = _echoes(place)
    yield line(
        "no error and no log line repeats what was sent",
        "G8",
        wrong,
        f"{errors} errors provoked, crashes among them",
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


# ── Errors ───────────────────────────────────────────────────────────────────────────────────────


def _echoes(place: Place) -> tuple[int, list[str]]:
    place.clock.set(FIRST_DAY)
    errors = 0
    wrong: list[str] = []
    for method, path, scope, sent, headers in _bad_requests():
        raw = sent if isinstance(sent, bytes) else None if sent is None else json.dumps(sent).encode()
        reply = place.call(method, path, raw=raw, scope=scope, who=_whose(scope), headers=headers)
        name = f"{method} {path.replace(CANARY, '...').partition('?')[0]}"
        wrong += _judged(name, reply, at_least=400)
        errors += 1
    for function, path, scope, body in (
        ("capture", "/v1/captures", "capture", _capture()),
        ("recall", "/v1/recall", "agent", {"topics": [CANARY]}),
        ("own_entries", "/v1/me/entries", "principal", None),
    ):
        with without(place.installer, function):
            reply = place.call("GET" if body is None else "POST", path, body, scope=scope, who=CANARY)
        wrong += _judged(f"a crash of {path}", reply, at_least=500)
        errors += 1
    for name, lines in (
        ("our log", place.logged()), ("what was printed", place.printed.getvalue().splitlines()),
        ("the server's log", place.server_logged()), ("/metrics", place.figures().splitlines()),
    ):  # fmt: skip
        if any(CANARY in one.lower() for one in lines):
            wrong.append(f"{name} repeats what was sent")
    return errors, wrong


def _whose(scope: str | None) -> str | None:
    return CANARY if scope in ("agent", "capture", "principal") else None


def _judged(name: str, reply: httpx.Response, *, at_least: int) -> Iterator[str]:
    if reply.status_code < at_least:
        yield f"{name} was answered {reply.status_code} and should have failed"
    elif CANARY in (reply.text + str(reply.headers)).lower():
        yield f"{name} repeats what was sent, in a {reply.status_code}"


def _capture(**other: Any) -> dict[str, Any]:
    candidates = [{"topic": f"about {CANARY}", "span": f"I like {CANARY}"}]
    return {
        "message": f"Well, I like {CANARY}.",
        "said_on": FIRST_DAY.isoformat(),
        "candidates": candidates,
        **other,
    }


def _bad_requests() -> Iterator[tuple[str, str, str | None, Any, dict[str, str] | None]]:
    """Requests that are refused, each with a marked value in it."""
    for other in (
        {CANARY: 1}, {"said_on": CANARY}, {"avoid": CANARY}, {"avoid": [[CANARY]]}, {"message": [CANARY]},
        {"lang": CANARY * 9}, {"candidates": [{"topic": "kids", "span": "x", CANARY: CANARY}]}, {"candidates": CANARY},
        {"said_on": "2031-01-01"}, {"candidates": [{"topic": CANARY}] * 33},
    ):  # fmt: skip
        yield "POST", "/v1/captures", "capture", _capture(**other), None
    for raw in (
        f'{{"message": "{CANARY}"'.encode(), f'{{"message": NaN, "{CANARY}": 1}}'.encode(), CANARY.encode(),
        f'{{"message": "\\ud800{CANARY}"}}'.encode(), f'{{"{CANARY}": 1, "{CANARY}": 2}}'.encode(),
        b"\xff" + CANARY.encode(), b'{"message": "' + CANARY.encode() * 9000 + b'"}', b"[" * 3000 + CANARY.encode(),
    ):  # fmt: skip
        yield "POST", "/v1/captures", "capture", raw, None
    yield "POST", "/v1/captures", "capture", _capture(), {"Content-Type": f"text/{CANARY}"}
    yield "POST", "/v1/captures", None, _capture(), None
    yield "POST", "/v1/captures", None, _capture(), {"Authorization": f"Bearer {CANARY}"}
    yield "POST", "/v1/captures", "agent", _capture(), None
    yield "POST", f"/v1/captures?{CANARY}={CANARY}", "capture", _capture(), None
    yield "POST", "/v1/reconfirmations", "capture", {"topic": f"{CANARY}/{CANARY}", "message": CANARY, "span": CANARY, "said_on": "2026-01-01", "still_true": True}, None  # fmt: skip
    yield "POST", "/v1/topics", "agent", {"label": f"{CANARY}@{CANARY}.org"}, None
    yield "POST", "/v1/topics", "agent", {"label": f"about {CANARY}", "avoid": [CANARY]}, None
    yield "GET", f"/v1/topics?cursor={CANARY}", "agent", None, None
    yield "GET", f"/v1/topics?limit={CANARY}", "agent", None, None
    yield "POST", "/v1/plan", "agent", {"labels": [f"{CANARY}\n"]}, None
    yield "POST", "/v1/recall", "agent", {"limit": CANARY}, None
    yield "GET", f"/{CANARY}", None, None, None
    yield "DELETE", "/v1/recall", "agent", {CANARY: CANARY}, None
    yield "DELETE", f"/v1/me/entries/{CANARY}", "principal", None, None
    yield (
        "PUT",
        f"/v1/me/entries/{CANARY}",
        "principal",
        {"answer": f"mail me at {CANARY}@{CANARY}.org"},
        None,
    )
    yield "PUT", "/v1/me/consent", "principal", {"decision": CANARY, "notice": CANARY}, None
    yield "PUT", "/v1/me/consent", "principal", {"decision": "granted", "notice": f"{CANARY}\n"}, None
    yield "PATCH", f"/v1/operator/topics/{CANARY}", "operator", {"handling": CANARY}, None
    yield "PATCH", f"/v1/operator/topics/{CANARY}", "operator", {"listed": True}, {"If-Match": CANARY}
    yield "PUT", f"/v1/operator/topics/kids/aliases/{CANARY}%2F", "operator", None, None
    yield "POST", "/v1/operator/topics/kids/merge", "operator", {"into": CANARY}, None
    yield "PATCH", "/v1/operator/windows", "operator", {"reconfirm_after": CANARY}, None
    yield "PUT", "/v1/operator/legal-holds", "operator", {"principal": " ", CANARY: 1}, None
    yield "POST", "/v1/tokens", "issuer", {"principal": CANARY, "scope": [CANARY]}, None
