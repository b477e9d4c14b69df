"""Random lives of two people, with crashes at every step and restores of every earlier state: nothing that was taken away
is ever served again, and nothing else is lost.

A short form runs with the suite. RECORD_HISTORIES=200 plays so many histories (`make record-histories`).

What an act comes to is told by a model that knows neither the database nor the record. Of an act that a crash ended before
it was acknowledged either outcome is right.
"""

from __future__ import annotations

import os
from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from ledger.errors import LegalHold, NotFound

from .house import TOPICS, House, Rows

HISTORIES = int(os.environ.get("RECORD_HISTORIES", "5"))
NAMES = ("ann", "ben")
ACTS = (
    "say", "say", "grant", "revoke", "object", "unobject", "withhold", "release", "delete", "correct",
    "erase", "hold", "lift", "later", "sweep", "backup", "backup", "restore", "restore", "reopen",
)  # fmt: skip

act = st.tuples(
    st.sampled_from(ACTS),
    st.sampled_from(NAMES),
    st.sampled_from(TOPICS),
    st.integers(0, 9),
    st.integers(0, 40),
)
"""What, who, on what; of a restore: which backup; and after how many steps a crash ends it (many have fewer, and are not ended)."""


@dataclass
class Person:
    """What is known of somebody who does not look into the database."""

    decision: str | None = None
    objects: bool = False
    held: bool = False
    erasing: bool = False
    withheld: set[str] = field(default_factory=set)
    said: dict[str, str] = field(default_factory=dict)  # topic -> the words that stand


@dataclass
class Truth:
    """`gone`: words that must never be served again; `open`: people of whom a crash left something open."""

    people: dict[str, Person] = field(default_factory=lambda: {name: Person() for name in NAMES})
    gone: set[str] = field(default_factory=set)
    open: set[str] = field(default_factory=set)


class Play:
    def __init__(self, house: House) -> None:
        self.house = house
        self.truth = Truth()
        self.backups: list[tuple[Rows, Truth]] = []
        self.number = 0
        for name in NAMES:
            for topic in TOPICS:
                self._say("say", name, topic)
            house.decide("granted", name)
            self.truth.people[name].decision = "granted"
        self._backup()

    def step(self, what: str, name: str, topic: str, which: int, crash: int) -> None:
        getattr(self, f"_{what}", self._act)(what, name, topic, which, crash)
        self.look()

    def look(self) -> None:
        """What agents are told now."""
        for name, person in self.truth.people.items():
            told = self.house.quotes(name)
            assert not told & self.truth.gone, "what was deleted, corrected or erased is served"
            if name in self.truth.open:
                continue
            shut = person.decision != "granted" or person.objects or person.erasing
            allowed = {} if shut else {t: w for t, w in person.said.items() if t not in person.withheld}
            assert told == set(allowed.values()), (name, person)

    # ── What happens to the ledger ───────────────────────────────────────────────────────────────

    def _later(self, *_: Any) -> None:
        self.house.later()

    def _sweep(self, _what: str, _name: str, _topic: str, _which: int, crash: int) -> None:
        if self.house.crash(self.house.sweeping(), 3 * crash):
            self._reopen()
        assert not self.house.ahead

    def _reopen(self, *_: Any) -> None:
        self.house.reopen()
        assert not self.house.ahead

    def _backup(self, *_: Any) -> None:
        self.backups.append((self.house.backup(), deepcopy(self.truth)))

    def _restore(self, _what: str, _name: str, _topic: str, which: int, _crash: int) -> None:
        rows, then = self.backups[which % len(self.backups)]
        now, self.truth = self.truth, deepcopy(then)
        self.truth.gone |= now.gone
        self.truth.open |= now.open
        self.house.restore(rows)
        if self.house.ahead:
            assert not any(self.house.quotes(name) for name in NAMES)
            self.house.reconcile()
        assert not self.house.ahead
        for name, person in self.truth.people.items():
            before = now.people[name]
            # what stands is what was taken away by the end, and not given back
            if before.decision == "revoked":
                person.decision = "revoked"
            person.objects |= before.objects
            person.withheld |= before.withheld
            person.held |= before.held
            person.erasing |= before.erasing
            if person.held:
                self.truth.open.add(name)  # what a hold keeps is hidden, and comes back with no end of it
            person.said = {t: words for t, words in person.said.items() if words not in self.truth.gone}

    # ── What people do ───────────────────────────────────────────────────────────────────────────

    def _say(self, _what: str, name: str, topic: str, *_: Any) -> None:
        self.number += 1
        words = f"I have {self.number} {topic}"
        before = self.house.stored(name)
        self.house.say(topic, words, name)
        if words in self.house.stored(name):  # what a barrier of today stops, other tests look at
            self.truth.people[name].said[topic] = words
        else:
            assert self.house.stored(name) == before

    def _act(self, what: str, name: str, topic: str, _which: int, crash: int) -> None:
        house, person = self.house, self.truth.people[name]
        self.number += 1
        words = f"I have {self.number} {topic}"
        use_case = {
            "grant": lambda: house.decision("granted", name),
            "revoke": lambda: house.decision("revoked", name),
            "object": lambda: house.object_(True, name),
            "unobject": lambda: house.object_(False, name),
            "withhold": lambda: house.withholding(topic, name),
            "release": lambda: house.releasing(topic, name),
            "delete": lambda: house.deleting(topic, name),
            "correct": lambda: house.correcting(topic, words, name),
            "erase": lambda: house.erasing(name),
            "hold": lambda: house.holding(name),
            "lift": lambda: house.lifting(name),
        }[what]()
        try:
            crashed = house.crash(use_case, crash)
        except (NotFound, LegalHold):
            return
        if crashed:
            self.truth.open.add(name)
            house.reopen()
            assert not house.ahead, f"a crash of {what} after {crash} steps locks everybody out"
        else:
            self._done(what, name, person, topic, words)

    def _done(self, what: str, name: str, person: Person, topic: str, words: str) -> None:
        match what:
            case "grant":
                person.decision = "granted"
            case "revoke":
                person.decision = "revoked"
            case "object" | "unobject":
                person.objects = what == "object"
            case "withhold":
                person.withheld.add(topic)
            case "release":
                person.withheld.discard(topic)
            case "delete":
                self.truth.gone.add(person.said.pop(topic, words))
            case "correct":
                self.truth.gone.add(person.said.get(topic, "-"))
                person.said[topic] = words
            case "erase" if person.held:
                person.erasing = True
                person.decision = "revoked" if person.decision == "granted" else person.decision
            case "erase":
                self._erased(person)
            case "hold":
                person.held = True
            case "lift":
                if person.erasing:
                    self._erased(person)
                person.held = person.erasing = False

    def _erased(self, person: Person) -> None:
        self.truth.gone |= set(person.said.values())
        person.decision = "revoked" if person.decision == "granted" else person.decision
        person.said.clear()
        person.withheld.clear()


def test_nothing_that_was_taken_away_is_served_again_and_nothing_else_is_lost(
    wheel_server: Any, settings_for: Any
) -> None:
    @settings(
        max_examples=HISTORIES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        derandomize=HISTORIES < 50,
        phases=[Phase.generate],
    )
    @given(st.lists(act, min_size=12, max_size=40))
    def play(acts: list[tuple[str, str, str, int, int]]) -> None:
        database = wheel_server.clone()
        try:
            with House(database, settings_for(database)) as house:
                played = Play(house)
                for one in acts:
                    played.step(*one)
        finally:
            wheel_server.drop(database)

    play()
