"""Plays a world in a place, over HTTP, as an application, agents, people and an operator would.

Whatever a thread is to the outside goes along with each call: the counterparty's name in `avoid` and in the
message, a token of the thread's own, the headers of its device, the words around an answer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from datetime import date, timedelta
from typing import Any, NamedTuple

import httpx

from ledger.db import midnight
from ledger.db.operation import UseCase
from ledger.proof.histories import (
    Coined,
    Day,
    Did,
    Looked,
    Opening,
    Reconfirmed,
    Reopened,
    Said,
    Step,
    Swept,
    Turn,
    Vacuumed,
)  # fmt: skip
from ledger.proof.stage import EVE, Place
from ledger.proof.words import COUNTERPARTIES, GREETINGS, LISTED, PARTINGS
from ledger.service import sweeps
from ledger.service.replay import MOST_CANDIDATES, Line

NOTICE = "v1"


class Told(NamedTuple):
    """What was accepted, in which thread: the truth that an attacker is measured by. A reconfirmation has no text."""

    principal: str
    topic: str
    text: str | None
    day: date
    thread: object


def name_of(who: int) -> str:
    """The outside id of a person of a world."""
    return f"person-{who}"


class Play:
    """One play in one place. `today` is the day by then; `statuses` counts what was answered: call -> status -> how
    often; `told` is what was accepted, in the order of the play."""

    def __init__(self, place: Place) -> None:
        self._place = place
        self.today = EVE
        self.told: list[Told] = []
        self.statuses: Counter[tuple[str, int]] = Counter()

    def day(self, day: Day) -> None:
        """Plays a day, and what happens in its turns. One that a sweep opens begins with `dawn`."""
        turns = list(day.turns)
        if day.opening is Opening.CROSSING:
            (step,) = turns.pop(0)
            self._across_midnight(step, day.day)
        self.on(day.day)
        for turn in turns:
            self._turn(turn, day.day)

    def on(self, day: date) -> None:
        """From now on it is this day."""
        self._place.clock.set(day)
        self.today = day

    def dawn(self, day: date | None = None) -> None:
        """Begins a day, or the next, with a sweep, which closes the days before."""
        self.on(day or self.today + timedelta(days=1))
        self.sweep()

    def sweep(self) -> None:
        """Sweeps at once. What was written on this day is stamped by the first sweep of a later one."""
        for _ in self._swept():
            pass

    def _turn(self, turn: Turn, today: date) -> None:
        sweeping: list[Iterator[None]] = []
        for step in turn:
            match step:
                case Swept(in_pieces=True):
                    sweeping.append(self._swept())
                case Swept():
                    self.sweep()
                case Reopened(server=server):
                    self._place.reopen(server=server)
                case Vacuumed():
                    self._place.vacuum()
                case _:
                    self.step(step, today)
                    for one in sweeping:
                        next(one, None)
        for one in sweeping:
            for _ in one:
                pass

    def _swept(self) -> Iterator[None]:
        """A sweep, operation by operation."""
        self.statuses["sweep", 200] += 1
        sweep, found = sweeps.sweep(record=self._place.deployment.context.record), None
        with suppress(StopIteration):
            while True:
                found = self._place.run(_alone(sweep.send(found)))
                yield

    def _across_midnight(self, step: Step, today: date) -> None:
        """A step of the day before, which the cut of this one comes before."""
        place = self._place
        _, waited = midnight.across(
            place.installer, lambda: place.clock.strike_midnight(today), lambda: self.step(step, today)
        )
        if not waited:
            self.statuses["write that did not wait for the cut", 0] += 1

    def step(self, step: Step, today: date) -> None:
        match step:
            case Said():
                self._say(step)
            case Coined():
                body = {"label": step.label, "avoid": [_name(step.thread)], "new": True}
                self._in_thread(step, "coin", "POST", "/v1/topics", body, scope="agent")
            case Reconfirmed():
                message = "Yes." if step.still_true else "No."
                body = {
                    "topic": step.label, "message": message, "span": message, "said_on": today.isoformat(),
                    "still_true": step.still_true, "avoid": [_name(step.thread)],
                }  # fmt: skip
                self._in_thread(step, "reconfirm", "POST", "/v1/reconfirmations", body, scope="capture")
                key = step.label.replace(" ", "_")
                self.told.append(Told(self._principal(name_of(step.who)), key, None, today, step.thread))
            case Looked():
                field = "labels" if step.how == "plan" else "topics"
                self._in_thread(
                    step, step.how, "POST", f"/v1/{step.how}", {field: list(step.labels)}, scope="agent"
                )
            case Did():
                self._act(step)

    def _say(self, said: Said) -> None:
        counterparty = _name(said.thread)
        sentences = " ".join(f"{sentence}." for _, sentence in said.parts)
        greeting, parting = GREETINGS[said.thread % len(GREETINGS)], PARTINGS[said.thread % len(PARTINGS)]
        candidates = [{"topic": label, "span": sentence} for label, sentence in said.parts]
        if said.misquoted:
            candidates.append({"topic": "hometown", "span": "I grew up by the sea"})
        body = {
            "message": f"{greeting} {counterparty}! {sentences} {parting}",
            "said_on": said.said_on.isoformat(),
            "avoid": [counterparty],
            "asked": f"{counterparty} here. Tell me about yourself.",
            "candidates": candidates,
        }
        response = self._in_thread(said, "capture", "POST", "/v1/captures", body, scope="capture")
        if response.status_code == 200:
            outcomes = response.json()["outcomes"]
            self._remember(name_of(said.who), said.thread, said.said_on, outcomes)
            for (label, _), outcome in zip(said.parts, outcomes, strict=False):
                forbidden = label in LISTED and LISTED[label].handling == "forbidden"
                if outcome["accepted"] is forbidden:
                    self.statuses["capture judged otherwise than expected", 200] += 1

    def line(self, line: Line, today: date) -> None:
        """Plays a line of a transcript: what its principal typed, with the answers that are in it."""
        day = line.said_on or today
        for start in range(0, len(line.answers), MOST_CANDIDATES):
            candidates = line.answers[start : start + MOST_CANDIDATES]
            body = {
                "message": line.message, "said_on": day.isoformat(), "asked": line.question or "",
                "candidates": [{"topic": one.topic, "span": one.span} for one in candidates],
            }  # fmt: skip
            response = self._place.call(
                "POST", "/v1/captures", body, scope="capture", who=line.principal, thread=line.thread
            )
            self._count("capture", response)
            if response.status_code == 200:
                self._remember(line.principal, line.thread, day, response.json()["outcomes"])

    def _remember(self, who: str, thread: object, day: date, outcomes: list[dict[str, Any]]) -> None:
        principal = self._principal(who)
        self.told += [
            Told(principal, outcome["topic"], outcome["answer"], day, thread)
            for outcome in outcomes
            if outcome["accepted"]
        ]

    def _principal(self, who: str) -> str:
        return str(self._place.deployment.context.identity.principal(who))

    def _act(self, did: Did) -> None:
        who = name_of(did.who)
        entry = f"/v1/me/entries/{self._place.entry_id(who, did.label)}"
        consent = {"decision": "granted" if did.act == "grant" else "revoked", "notice": NOTICE}
        calls: dict[str, tuple[str, str, Any]] = {
            "grant": ("PUT", "/v1/me/consent", consent),
            "revoke": ("PUT", "/v1/me/consent", consent),
            "object": ("PUT", "/v1/me/objection", None),
            "withdraw": ("DELETE", "/v1/me/objection", None),
            "withhold": ("PUT", f"{entry}/withheld", None),
            "release": ("DELETE", f"{entry}/withheld", None),
            "correct": ("PUT", entry, {"answer": did.words}),
            "delete": ("DELETE", entry, None),
            "keep": ("POST", f"{entry}/decision", {"keep": True}),
            "decline": ("POST", f"{entry}/decision", {"keep": False}),
            "erase": ("DELETE", "/v1/me", None),
            "hold": ("PUT", "/v1/operator/legal-holds", {"principal": who}),
            "lift": ("DELETE", "/v1/operator/legal-holds", {"principal": who}),
        }
        method, path, body = calls[did.act]
        if path.startswith("/v1/operator"):
            self._count(did.act, self._place.call(method, path, body, scope="operator"))
        else:
            self._count(did.act, self._place.call(method, path, body, scope="principal", who=who))

    def _in_thread(
        self,
        step: Said | Coined | Reconfirmed | Looked,
        kind: str,
        method: str,
        path: str,
        body: Any,
        *,
        scope: str,
    ) -> httpx.Response:
        response = self._place.call(
            method,
            path,
            body,
            scope=scope,
            who=name_of(step.who),
            thread=step.thread,
            headers=_device(step.thread),
        )
        self._count(kind, response)
        return response

    def _count(self, kind: str, response: httpx.Response) -> None:
        self.statuses[kind, response.status_code] += 1

    def faults(self) -> list[str]:
        """Answers that no play may get: the application's own failures, and what the histories do not provoke."""
        own = {
            "withhold",
            "release",
            "correct",
            "delete",
            "keep",
            "decline",
        }  # of what may not be there, or is held
        allowed = {200, 204}
        return [
            f"{kind} was answered {status}, {n} times"
            for (kind, status), n in sorted(self.statuses.items())
            if " " in kind or status not in (allowed | {404, 409} if kind in own else allowed)
        ]


def _alone(operation: Any) -> UseCase[Any]:
    found = yield operation
    return found


def _name(thread: int) -> str:
    return COUNTERPARTIES[thread % len(COUNTERPARTIES)]


def _device(thread: int) -> dict[str, str]:
    return {
        "User-Agent": f"chat-{thread}/1.0",
        "X-Forwarded-For": f"192.0.2.{thread + 1}",
        "X-Request-Id": f"thread-{thread}",
        "Traceparent": f"00-{thread + 1:032x}-{thread + 1:016x}-01",
        "Cookie": f"session={_name(thread)}",
    }
