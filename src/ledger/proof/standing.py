"""What stands: the newest answer, in whatever order they come; an alias as a name; a day, once it is cut; and what was
deleted stays deleted as long as it could be kept.

Source: DESIGN sections 3 (G1, G7) and 5.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from itertools import permutations
from typing import Any

from ledger.core.model import Handling
from ledger.db import agent, midnight
from ledger.db.operation import UseCase
from ledger.db.remains import Remains
from ledger.proof.histories import FIRST_DAY
from ledger.proof.report import Line, line
from ledger.proof.stage import Place
from ledger.proof.words import LISTED
from ledger.service import sweeps

NEXT_DAY = FIRST_DAY + timedelta(days=1)
LONG = 900  # whole days: a topic that is kept for longer than the default window
CAR, PAYSLIPS = "car", "income_proof"  # of LISTED: an open topic, and one whose answers wait for a yes
ALIAS, OTHERS = "payslips", "windmills"  # labels of one topic, and of nothing yet


def examine(place: Place) -> Iterator[Line]:
    place.clock.set(FIRST_DAY)
    compared, wrong = _in_any_order(place)
    yield line(
        "the newest answer stands, in whatever order captures come; so does the newest that waits for a yes",
        "G7",
        wrong,
        f"{compared} orders",
    )
    coined, wrong = _aliases(place)
    yield line(
        "an alias stays a name of its topic, whoever coins it",
        "G7",
        wrong,
        f"{coined} labels coined",
    )
    yield line(
        "a write that began before midnight and comes after the cut is one of the new day",
        "G1",
        list(_midnight(place)),
        "a decision that waited while the day was cut",
    )
    wrong = list(_deleted(place))
    yield line(
        "what was deleted comes back with no late capture, for as long as its topic keeps answers",
        "G7",
        wrong,
        f"a topic that is kept for {LONG} days, over sweeps past the default window",
    )


def _midnight(place: Place) -> Iterator[str]:
    consent = {"decision": "granted", "notice": "v1"}
    reply, waited = midnight.across(
        place.installer,
        lambda: place.clock.strike_midnight(NEXT_DAY),
        lambda: place.call("PUT", "/v1/me/consent", consent, scope="principal", who="deciding"),
    )
    place.clock.set(NEXT_DAY)
    if not waited:
        yield "the decision did not wait while the whole was locked"
    if reply.status_code != 200:
        yield f"the decision was answered {reply.status_code}"
    elif reply.json()["decided_on"] != NEXT_DAY.isoformat():
        yield "the decision bears the day before, and comes after its cut"


def _deleted(place: Place) -> Iterator[str]:
    """Of a topic that keeps answers for longer than the default, and of one that does not."""
    place.clock.set(NEXT_DAY)
    _expect(
        place.call(
            "PATCH",
            f"/v1/operator/topics/{CAR}",
            {"reconfirm_after": 120, "drop_after": LONG},
            scope="operator",
        ).status_code,
        200,
    )
    for key in (CAR, "pets"):
        place.capture("deleting", NEXT_DAY, key, LISTED[key].sentences[0])
        path = f"/v1/me/entries/{place.entry_id('deleting', key)}"
        _expect(place.call("DELETE", path, scope="principal", who="deleting").status_code, 204)
    for days in (1, 541, LONG - 1):
        place.clock.set(NEXT_DAY + timedelta(days=days))
        place.run(sweeps.sweep(record=place.deployment.context.record))
        for key in (CAR, "pets"):
            place.capture("deleting", NEXT_DAY, key, LISTED[key].sentences[0])
        yield from (f"{days} days later {topic} is back" for topic in _entries(place, "deleting"))
    # and the topic does keep what was not deleted
    place.capture("keeping", NEXT_DAY, CAR, LISTED[CAR].sentences[0])
    if _entries(place, "keeping") != {CAR: (LISTED[CAR].sentences[0], NEXT_DAY, False)}:
        yield f"after {LONG - 1} days a topic that is kept for {LONG} keeps nothing: nothing was looked at"


def _in_any_order(place: Place) -> tuple[int, list[str]]:
    said = [
        (FIRST_DAY - timedelta(days=days), f"{LISTED[CAR].sentences[0]}, as I said {days} days ago")
        for days in (0, 5, 9)
    ]
    wrong = []
    orders = list(permutations(said))
    for number, order in enumerate(orders):
        for key in (CAR, PAYSLIPS):
            who = f"{key} in order {number}"
            for day, words in order:
                place.capture(who, day, key, words)
            newest = {key: (said[0][1], said[0][0], LISTED[key].handling is Handling.CONFIRM)}
            if _entries(place, who) != newest:
                days = ", ".join(str((FIRST_DAY - day).days) for day, _ in order)
                wrong.append(
                    f"{key}: of captures said {days} days ago, in this order, the newest does not stand"
                )
    return len(orders) * 2, wrong


def _aliases(place: Place) -> tuple[int, list[str]]:
    """By an agent over HTTP, which looks the label up; and by the call alone, as when the alias was put meanwhile."""
    path = f"/v1/operator/topics/{PAYSLIPS}/aliases/{ALIAS}"
    _expect(place.call("PUT", path, scope="operator").status_code, 204)
    body = {"label": ALIAS, "new": True}
    _expect(place.call("POST", "/v1/topics", body, scope="agent", who="coining").status_code, 200)
    for key in (ALIAS, OTHERS):
        place.run(_coined(key))
    with Remains(place.installer) as remains:
        (registry,) = [table for table in remains.tables() if table.full_name == "ledger.topic"]
        keys = {row.values["key"] for row in remains.rows(registry)}
    wrong = [f"the alias {ALIAS} is a topic of its own by now"] if ALIAS in keys else []
    if OTHERS not in keys:
        wrong.append(f"{OTHERS} was coined and is no topic: nothing was looked at")
    return 3, wrong


def _coined(key: str) -> UseCase[None]:
    yield agent.coin(key)


def _entries(place: Place, who: str) -> dict[str, tuple[str, date, bool]]:
    """What is kept for somebody: topic -> words, day, whether it waits for a yes."""
    items: list[dict[str, Any]] = place.call("GET", "/v1/me/entries", scope="principal", who=who).json()[
        "items"
    ]
    return {one["topic"]: (one["answer"], date.fromisoformat(one["as_of"]), one["pending"]) for one in items}


def _expect(status: int, expected: int) -> None:
    if status != expected:
        raise AssertionError(f"{expected} was expected, and {status} came")
