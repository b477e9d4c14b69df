"""The wall in the database: its parts are the reviewed ones, and what agents see is the rule."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from ledger.core.model import Decision, Freshness, Handling, Tier
from ledger.db.operation import Operation, Surface, UseCase
from ledger.proof import rule
from ledger.proof.histories import FIRST_DAY
from ledger.proof.report import Line, line
from ledger.proof.rule import Person
from ledger.proof.stage import Place
from ledger.proof.words import LISTED, UNLISTED
from ledger.service.examination import examination

UNKNOWN = next(iter(UNLISTED))
UNKNOWN_KEY = UNKNOWN.replace(" ", "_")

PEOPLE = {
    "undecided": Person(),
    "granting": Person(Decision.GRANTED),
    "withholding": Person(Decision.GRANTED, withheld=frozenset({"kids", "salary"})),
    "revoking": Person(Decision.REVOKED),
    "objecting": Person(Decision.GRANTED, objects=True),
}
AGES = {
    0: Freshness.FRESH,
    121: Freshness.RECONFIRM,
    540: Freshness.DROPPED,
}  # whole days, by the default window


def examine(place: Place) -> Iterator[Line]:
    place.clock.put_back()  # else that is what doctor finds
    found = examination(place.deployment)
    leaks = [f"{one.about}: {one.seen}; {one.todo}" for one in found if not one.well]
    yield line(
        "what doctor looks at: columns, roles, grants, forced policies, settings",
        "G1 G2", leaks, f"{len(found)} findings, none leaks, {sum(one.residue for one in found)} known and in the threat model",
    )  # fmt: skip
    calls, wrong = _seen(place)
    yield line(
        "what agents see is the rule, by consent, handling, listing, age, withheld topics and token",
        "G2 G3 G5",
        wrong,
        f"{calls:,} replies",
    )
    wrong = list(_left_behind(place))
    yield line(
        "no pooled connection remembers whom it worked for",
        "G2",
        wrong,
        f"{len(Surface)} surfaces, after calls of each",
    )


def fill(place: Place) -> None:
    """Everybody of PEOPLE has an answer on each topic that can be kept."""
    place.clock.set(FIRST_DAY)
    for who in PEOPLE:
        for key, topic in LISTED.items():
            if topic.handling is not Handling.FORBIDDEN:
                place.capture(who, FIRST_DAY, key, f"{topic.sentences[0]}, said {who}")
            if topic.handling is Handling.CONFIRM:
                path = f"/v1/me/entries/{place.entry_id(who, key)}/decision"
                place.call("POST", path, {"keep": True}, scope="principal", who=who)
        place.capture(who, FIRST_DAY, UNKNOWN, f"{UNLISTED[UNKNOWN][0]}, said {who}")
    for who, person in PEOPLE.items():
        for key in person.withheld:
            place.call(
                "PUT", f"/v1/me/entries/{place.entry_id(who, key)}/withheld", scope="principal", who=who
            )
        if person.decision is not None:
            decision = {"decision": person.decision, "notice": "v1"}
            place.call("PUT", "/v1/me/consent", decision, scope="principal", who=who)
        if person.objects:
            place.call("PUT", "/v1/me/objection", scope="principal", who=who)


def _seen(place: Place) -> tuple[int, list[str]]:
    fill(place)
    handlings = {
        key: topic.handling for key, topic in LISTED.items() if topic.handling is not Handling.FORBIDDEN
    }
    kept: dict[str, Handling | None] = {**handlings, UNKNOWN_KEY: None}
    calls = 0
    wrong: list[str] = []
    for age, freshness in AGES.items():
        place.clock.set(FIRST_DAY + timedelta(days=age))
        for who, person in PEOPLE.items():
            for max_tier in Tier:
                for named in (False, True):
                    # At most twelve entries reach a prompt, so they are asked for in two parts.
                    for part in (list(kept)[:8], list(kept)[8:]) if named else ([],):
                        body = {"topics": part} if named else {}
                        asked = set(part) if named else set(kept)
                        answer = {
                            path: place.call(
                                "POST", f"/v1/{path}", body, scope="agent", who=who, max_tier=max_tier
                            )
                            for path in ("coverage", "recall")
                        }
                        calls += 2
                        may = {
                            path: {
                                key for key, handling in kept.items()
                                if key in asked and allows(person, max_tier, key, handling, freshness, named=named)
                            }
                            for path, allows in (("coverage", rule.covered), ("recall", rule.quoted))
                        }  # fmt: skip
                        wrong += _judged(f"{who}, {age} days, tier {max_tier}", answer, may, who, freshness)
    return calls, wrong


def _judged(
    case: str, answers: dict[str, Any], may: dict[str, set[str]], who: str, freshness: Freshness
) -> Iterator[str]:
    for path, name in (("coverage", "covered"), ("recall", "entries")):
        if answers[path].status_code != 200:
            yield f"{case}: {path} was answered {answers[path].status_code}"
            return
        seen = {str(one["topic"]): one for one in answers[path].json()[name]}
        if path == "recall" and len(may[path]) > 12:
            # which twelve is a matter of order; that there are twelve is not
            if not (set(seen) <= may[path] and len(seen) == 12):
                yield f"{case}: recall gave {len(seen)} entries: {', '.join(sorted(seen))}"
        elif set(seen) != may[path]:
            yield f"{case}: {path} told of {_told(set(seen) - may[path])} and not of {_told(may[path] - set(seen))}"
        for one in seen.values():
            if one["freshness"] != freshness:
                yield f"{case}: {path} gave {one['topic']} as {one['freshness']}"
            elif path == "recall" and f"said {who}" not in one.get("quote", one.get("ask", "")):
                yield f"{case}: {one['topic']} is in another's words"


def _told(keys: set[str]) -> str:
    return ", ".join(sorted(keys)) or "nothing"


def _left_behind(place: Place) -> Iterator[str]:
    """What the settings of our functions hold on each surface's connection, after calls of each kind."""
    place.clock.set(FIRST_DAY)
    who = "granting"
    body: dict[str, Any] = {"topics": ["kids"]}
    place.call("POST", "/v1/coverage", body, scope="agent", who=who)
    place.call("POST", "/v1/plan", {"labels": ["kids"]}, scope="agent", who=who)
    _expect_nothing = _settings(place)
    yield from (f"after plan: {told}" for told in _expect_nothing)
    place.call("POST", "/v1/recall", body, scope="agent", who=who)
    yield from (f"after recall: {told}" for told in _settings(place))
    place.capture(who, FIRST_DAY, "kids", f"I want two kids, said {who}")
    place.call("GET", "/v1/me/entries", scope="principal", who=who)
    place.call(
        "PUT",
        f"/v1/me/entries/{place.entry_id(who, 'pets')}",
        {"answer": "I have two cats"},
        scope="principal",
        who=who,
    )
    place.call("POST", "/v1/operator/sweep", scope="operator")
    yield from (f"after writes: {told}" for told in _settings(place))


_NAMES = ("ledger.principal", "ledger.tier", "ledger.withheld")
_EMPTY = ("", "none", "{}")


def _settings(place: Place) -> list[str]:
    def ask(surface: Surface) -> UseCase[list[str]]:
        held = yield Operation(
            surface,
            f"select {', '.join('current_setting(%s, true)' for _ in _NAMES)}",
            _NAMES,
            lambda rows: rows[0],
        )
        return [
            f"{surface} holds {name}"
            for name, value in zip(_NAMES, held, strict=True)
            if (value or "") not in _EMPTY
        ]

    return [told for surface in Surface for told in place.run(ask(surface))]
