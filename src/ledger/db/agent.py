"""What agents read, and the one thing they write: a coined key. Source: schema/05_agent.sql."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from ledger.core.model import Entry, Freshness, Handling, Tier, Topic
from ledger.db.operation import Operation, Row, Surface

_FRESHNESS = {freshness.value: freshness for freshness in Freshness}  # quicker than the enum's own call


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads whose: a principal, and how far the caller's token narrows what may be read of him."""

    principal: UUID
    max_tier: Tier = Tier.FULL
    topics: frozenset[str] | None = None  # keys; None: not narrowed

    def narrowing(self) -> tuple[str, bool, list[str]]:
        return self.max_tier.value, self.topics is not None, sorted(self.topics or ())


@dataclass(frozen=True, slots=True)
class Planned:
    """What the database lets this agent know of one label: nothing but the key, the key, or the answer."""

    key: str
    listed: bool
    question: str | None
    freshness: Freshness | None
    entry: Entry | None


def recall(reader: Reader, keys: Sequence[str] | None, most: int) -> Operation[list[Entry]]:
    """At most `most` (12) entries on `keys`, or on all listed topics; none below tier full."""
    return Operation(
        Surface.AGENT,
        "select * from ledger.recall(%s, %s, %s, %s, %s, %s, %s)",
        (reader.principal, list(keys or ()), keys is None, *reader.narrowing(), most),
        _entries,
    )


def coverage(reader: Reader, keys: Sequence[str] | None) -> Operation[list[tuple[str, Freshness]]]:
    """Which of `keys`, or of all listed topics, are covered, as far as this agent may know."""
    return Operation(
        Surface.AGENT,
        "select * from ledger.coverage(%s, %s, %s, %s, %s, %s)",
        (reader.principal, list(keys or ()), keys is None, *reader.narrowing()),
        lambda rows: [(key, _FRESHNESS[freshness]) for key, freshness in rows],
    )


def plan(reader: Reader, keys: Sequence[str]) -> Operation[list[Planned]]:
    """Both at once, one row for each of `keys`, in their order."""
    return Operation(
        Surface.AGENT,
        "select * from ledger.plan(%s, %s, %s, %s, %s)",
        (reader.principal, list(keys), *reader.narrowing()),
        lambda rows: [_planned(*row) for row in rows],
    )


def topics_listed(after: str, most: int) -> Operation[list[Topic]]:
    """Listed topics whose key comes after `after`, in the order of their code points."""
    return Operation(
        Surface.AGENT,
        "select * from ledger.topics_listed(%s, %s)",
        (after, most),
        lambda rows: [Topic(k, question=q, aliases=tuple(a), listed=True) for k, q, a in rows],
    )


def labels_listed(surface: Surface) -> Operation[tuple[Topic, ...]]:
    """The listed topics whole, by key; for agents and for captures."""
    return Operation(
        surface,
        "select * from ledger.labels_listed()",
        (),
        lambda rows: tuple(
            Topic(k, q, Handling(handling), authority, listed=True, aliases=tuple(a), retired=tuple(r))
            for k, q, handling, authority, a, r in rows
        ),
    )


def labels_former(surface: Surface) -> Operation[dict[str, tuple[str, ...]]]:
    """The keys to which labels led once, before operators moved them; for agents and for captures."""
    return Operation(
        surface,
        "select * from ledger.labels_former()",
        (),
        lambda rows: {label: tuple(keys) for label, keys in rows},
    )


def coin(key: str) -> Operation[None]:
    """Registers a key if it is not there; does not say which."""
    return Operation(Surface.AGENT, "select ledger.coin(%s)", (key,), lambda _: None)


def _entries(rows: list[Row]) -> list[Entry]:
    return [
        Entry(topic, _FRESHNESS[freshness], answer, question, month)
        for topic, freshness, answer, question, month in rows
    ]


def _planned(
    key: str,
    listed: bool,
    question: str | None,
    freshness: str | None,
    answer: str | None,
    month: date | None,
) -> Planned:
    known = None if freshness is None else _FRESHNESS[freshness]
    if known is None or answer is None or month is None:
        return Planned(key, listed, question, known, None)
    return Planned(key, listed, question, known, Entry(key, known, answer, question, month))
