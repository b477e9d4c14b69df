"""What SQL lets an agent see is the rule, whatever was decided, withheld, objected, listed, narrowed or changed before.

The rule is written here a second time, in a few lines that know nothing of SQL; a state machine drives both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from ledger.core import windows
from ledger.core.model import Freshness, Handling, Tier, Window
from ledger.db import agent
from ledger.db.agent import Reader
from ledger.db.operation import Surface

PRINCIPALS = [UUID(int=n << 76 | 8 << 76 | 2 << 62) for n in (16, 32)]
KEYS = [f"topic_{n:02d}" for n in range(14)]  # more than are ever shown
ALIASES = ["another_name", "a_third_name"]
LABELS = [*KEYS, *ALIASES, "never_coined"]
START = date(2026, 9, 1)
MOST = 12

people = st.sampled_from(PRINCIPALS)
keys = st.sampled_from(KEYS)
ages = st.sampled_from([0, 30, 31, 59, 60, 60, 61, 120, 121, 539, 540, 540, 541])
window = st.sampled_from([None, (30, 60), (120, 540)])


@dataclass
class Topic:
    handling: Handling
    listed: bool
    window: Window | None


@dataclass
class Rule:
    """Who may see what. Everything that the gate looks at, and nothing else."""

    today: date = START
    undecided: Tier = Tier.TOPICS
    next_day: bool = False
    default: Window = field(default_factory=Window)
    topics: dict[str, Topic] = field(default_factory=dict)
    aliases: dict[str, str] = field(default_factory=dict)
    entries: dict[tuple[UUID, str], date] = field(default_factory=dict)
    decisions: dict[UUID, str] = field(default_factory=dict)
    objecting: set[UUID] = field(default_factory=set)
    erasing: set[UUID] = field(default_factory=set)  # asked for it, and a hold keeps it waiting
    withheld: set[tuple[UUID, str]] = field(default_factory=set)

    def tier(self, reader: Reader) -> Tier:
        who = reader.principal
        if who in self.objecting | self.erasing:
            return Tier.NONE
        his = {"granted": Tier.FULL, "revoked": Tier.NONE, None: self.undecided}[self.decisions.get(who)]
        return min(his, reader.max_tier, key=lambda tier: tier.rank)

    def freshness(self, who: UUID, key: str) -> Freshness | None:
        """Of an entry that is there and served at all."""
        topic, said = self.topics.get(key), self.entries.get((who, key))
        if topic is None or said is None or topic.handling is Handling.FORBIDDEN:
            return None
        if (self.next_day and said >= self.today) or (who, key) in self.withheld:
            return None
        found = windows.freshness(said, self.today, topic.window or self.default)
        return None if found is Freshness.DROPPED else found

    def key(self, label: str) -> str:
        return self.aliases.get(label, label)

    def shown(
        self, reader: Reader, labels: Sequence[str] | None, *, content: bool
    ) -> list[tuple[str, str, Freshness]]:
        """The name that the reply has for it, its key, its freshness; in the reply's order."""
        tier = self.tier(reader)
        allowed = None if reader.topics is None else {self.key(label) for label in reader.topics}
        named = {}  # key -> the label that the caller named it by first
        for label in labels or ():
            named.setdefault(self.key(label), label)
        found = []
        for key, topic in self.topics.items():
            if (labels is not None and key not in named) or (allowed is not None and key not in allowed):
                continue
            if tier is Tier.NONE or (
                tier is Tier.TOPICS and (content or topic.handling is not Handling.OPEN)
            ):
                continue
            if not topic.listed and (labels is None or tier is not Tier.FULL):
                continue
            freshness = self.freshness(reader.principal, key)
            if freshness is not None:
                found.append((key if topic.listed else named[key], key, freshness))
        if labels is not None:
            return sorted(found, key=lambda one: list(named).index(one[1]))

        def newest_month(one: tuple[str, str, Freshness]) -> tuple[Any, ...]:
            said = self.entries[reader.principal, one[1]]
            return one[2] is not Freshness.FRESH, -said.year, -said.month, one[1]

        return sorted(found, key=newest_month)


class Visibility(RuleBasedStateMachine):
    """Every rule changes the store, as its owner would, and the model beside it; every read compares the two."""

    database: Any
    connection: Any

    def __init__(self) -> None:
        super().__init__()
        self.rule = Rule()

    def write(self, statement: str, *values: Any) -> None:
        self.database.installer.execute(statement, values)

    @initialize(coined=st.sets(keys, min_size=6), handling=st.sampled_from(Handling))
    def empty(self, coined: set[str], handling: Handling) -> None:
        for table in ("entry", "consent", "objection", "legal_hold", "withheld", "topic", "topic_alias"):
            self.write(f"delete from ledger.{table}")
        self.write(
            "update ledger.setting set undecided_tier = 'topics', visible_from = 'same_day', reconfirm_after = 120, drop_after = 540"
        )
        self.database.day(START)
        for key in sorted(coined):
            self.put_topic(key, Handling.OPEN, True, None)
        for key in sorted(coined)[::2]:
            for who in PRINCIPALS:
                self.write(
                    "insert into ledger.entry values (%s, %s, %s, %s)", who, key, answer(who, key), START
                )
                self.rule.entries[who, key] = START
        self.put_topic(sorted(coined)[0], handling, True, None)
        self.decide(PRINCIPALS[0], "granted")

    def put_topic(self, key: str, handling: Handling, listed: bool, own: tuple[int, int] | None) -> None:
        self.write("delete from ledger.topic where key = %s", key)
        first, last = own or (None, None)
        self.write(
            "insert into ledger.topic (key, handling, listed, reconfirm_after, drop_after) values (%s, %s, %s, %s, %s)",
            key, handling.value, listed, first, last,
        )  # fmt: skip
        self.rule.topics[key] = Topic(handling, listed, Window(*own) if own else None)

    # ── What changes ────────────────────────────────────────────────────────────────────────────

    @rule(key=keys, handling=st.sampled_from(Handling), listed=st.booleans(), own=window)
    def change_a_topic(self, key: str, handling: Handling, listed: bool, own: tuple[int, int] | None) -> None:
        self.put_topic(key, handling, listed, own)

    @rule(alias=st.sampled_from(ALIASES), key=keys)
    def put_an_alias(self, alias: str, key: str) -> None:
        self.write("delete from ledger.topic_alias where alias = %s", alias)
        self.write("insert into ledger.topic_alias values (%s, %s)", alias, key)
        self.rule.aliases[alias] = key

    @rule(who=people, key=keys, age=ages)
    def say(self, who: UUID, key: str, age: int) -> None:
        said = self.rule.today - timedelta(days=age)
        self.write("delete from ledger.entry where principal = %s and topic = %s", who, key)
        self.write("insert into ledger.entry values (%s, %s, %s, %s)", who, key, answer(who, key), said)
        self.rule.entries[who, key] = said

    @rule(who=people, decision=st.sampled_from(["granted", "granted", "revoked", None]))
    def decide(self, who: UUID, decision: str | None) -> None:
        self.write("delete from ledger.consent where principal = %s", who)
        self.rule.decisions.pop(who, None)
        if decision is not None:
            self.write("insert into ledger.consent values (%s, %s, %s, 'v1')", who, decision, START)
            self.rule.decisions[who] = decision

    @rule(who=people, kept_back=st.sets(keys))
    def withhold(self, who: UUID, kept_back: set[str]) -> None:
        self.write("delete from ledger.withheld where principal = %s", who)
        self.write("insert into ledger.withheld select %s, unnest(%s::text[])", who, sorted(kept_back))
        self.rule.withheld = {one for one in self.rule.withheld if one[0] != who} | {
            (who, k) for k in kept_back
        }

    @rule(who=people)
    def object_or_not(self, who: UUID) -> None:
        self.write("delete from ledger.objection where principal = %s", who)
        self.rule.objecting ^= {who}
        if who in self.rule.objecting:
            self.write("insert into ledger.objection values (%s)", who)

    @rule(who=people, asked=st.sampled_from([None, False, True]))
    def hold(self, who: UUID, asked: bool | None) -> None:
        self.write("delete from ledger.legal_hold where principal = %s", who)
        self.rule.erasing.discard(who)
        if asked is not None:
            self.write("insert into ledger.legal_hold values (%s, %s)", who, asked)
            self.rule.erasing |= {who} if asked else set()

    @rule(tier=st.sampled_from([Tier.NONE, Tier.TOPICS]), next_day=st.booleans(), default=window.filter(bool))
    def change_the_settings(self, tier: Tier, next_day: bool, default: tuple[int, int]) -> None:
        self.write(
            "update ledger.setting set undecided_tier = %s, visible_from = %s, reconfirm_after = %s, drop_after = %s",
            tier.value, "next_day" if next_day else "same_day", *default,
        )  # fmt: skip
        self.rule.undecided, self.rule.next_day, self.rule.default = tier, next_day, Window(*default)

    @rule(days=st.sampled_from([1, 1, 31, 120]))
    def let_time_pass(self, days: int) -> None:
        self.rule.today += timedelta(days=days)
        self.database.day(self.rule.today)

    # ── What is seen ────────────────────────────────────────────────────────────────────────────

    readers = st.builds(
        Reader,
        people,
        st.sampled_from([Tier.FULL, Tier.FULL, Tier.TOPICS, Tier.NONE]),
        st.none() | st.frozensets(st.sampled_from(LABELS)),
    )
    labels = st.lists(st.sampled_from(LABELS), unique=True)

    def read(self, operation: Any) -> Any:
        return operation.read(self.connection.execute(operation.sql, operation.parameters).fetchall())

    @invariant()
    def an_agent_that_names_everything_sees_no_more(self) -> None:
        for who in PRINCIPALS:
            self.recall(Reader(who), KEYS, MOST)
            self.coverage(Reader(who), KEYS)
            self.coverage(Reader(who), None)

    @rule(reader=readers, labels=st.none() | labels, most=st.integers(1, MOST))
    def recall_some(self, reader: Reader, labels: list[str] | None, most: int) -> None:
        self.recall(reader, labels, most)

    @rule(reader=readers, labels=st.none() | labels)
    def cover_some(self, reader: Reader, labels: list[str] | None) -> None:
        self.coverage(reader, labels)

    def recall(self, reader: Reader, labels: list[str] | None, most: int) -> None:
        expected = self.rule.shown(reader, labels, content=True)[:most]
        found = self.read(agent.recall(reader, labels, most))
        assert [(e.topic, e.answer, e.freshness, e.month) for e in found] == [
            (
                name,
                answer(reader.principal, key),
                freshness,
                self.rule.entries[reader.principal, key].replace(day=1),
            )
            for name, key, freshness in expected
        ]

    def coverage(self, reader: Reader, labels: list[str] | None) -> None:
        expected = self.rule.shown(reader, labels, content=False)
        assert self.read(agent.coverage(reader, labels)) == [
            (name, freshness) for name, _, freshness in expected
        ]

    @rule(reader=readers, labels=labels)
    def plan(self, reader: Reader, labels: list[str]) -> None:
        covered = {key: freshness for _, key, freshness in self.rule.shown(reader, labels, content=False)}
        known = [key for _, key, _ in self.rule.shown(reader, labels, content=True)][:MOST]
        for label, item in zip(labels, self.read(agent.plan(reader, labels)), strict=True):
            key = self.rule.key(label)
            topic = self.rule.topics.get(key)
            assert item.key == (key if topic is not None and topic.listed else label)
            assert item.freshness == covered.get(key)
            assert (item.entry.answer if item.entry else None) == (
                answer(reader.principal, key) if key in known else None
            )


def answer(who: UUID, key: str) -> str:
    return f"what {who.hex[:6]} said on {key}"


@pytest.fixture
def machine(database: Any) -> type[Visibility]:
    class Driven(Visibility):
        pass

    Driven.database, Driven.connection = database, database.surface(Surface.AGENT)
    return Driven


def test_what_sql_shows_is_the_rule(machine: type[Visibility]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=60,
            stateful_step_count=30,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )


@pytest.mark.parametrize(
    "breach",
    [
        "alter policy content on ledger.entry using (principal = ledger.me() and ledger.tier() = 'full')",
        "alter policy content on ledger.entry using (principal = ledger.me() and topic <> all (ledger.kept_back()))",
        "create or replace function ledger.freshness(age integer, reconfirm_after integer, drop_after integer) returns text "
        "language sql immutable return case when age >= drop_after then 'dropped' when age >= reconfirm_after then 'reconfirm' else 'fresh' end",
    ],
    ids=["withheld topics forgotten", "the tier forgotten", "a question a day early"],
)
def test_a_rule_that_is_broken_is_noticed(machine: type[Visibility], breach: str) -> None:
    machine.database.installer.execute(breach)
    with pytest.raises(AssertionError):
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=200,
                stateful_step_count=30,
                deadline=None,
                database=None,
                derandomize=True,
                suppress_health_check=list(HealthCheck),
                phases=[Phase.generate],
            ),
        )
