"""Use cases of agents: before a turn, "is this covered, and may I know the answer?"

Replies carry no tier. Of a revoked principal they are those of an unknown one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ledger.core import plan as planning
from ledger.core import prompt
from ledger.core.model import Entry, Freshness, PlanItem, Topic
from ledger.core.registry.label import normalise
from ledger.core.registry.named import Named
from ledger.db import agent as db
from ledger.db.agent import Reader
from ledger.db.operation import Surface, UseCase
from ledger.errors import SimilarTopics
from ledger.service.context import Context, keys_of


@dataclass(frozen=True, slots=True)
class Recall:
    """What he said, as far as this agent may know. The prompt block is rendered when asked for."""

    entries: tuple[Entry, ...]

    @property
    def prompt(self) -> str:
        return prompt.render(self.entries)


@dataclass(frozen=True, slots=True)
class Plan:
    """What to do about each label, in order."""

    items: tuple[PlanItem, ...]

    @property
    def prompt(self) -> str:
        return prompt.render(planning.shown(self.items))


def recall(
    context: Context, reader: Reader, topics: Sequence[str] | None = None, limit: int = 12
) -> UseCase[Recall]:
    """At most twelve entries, on the topics named or on all listed ones. Raises BadLabel."""
    named = None if topics is None else (yield from _named(context, topics))
    entries = yield db.recall(reader, _labels(named), limit)
    return Recall(tuple(entry for entry in entries if _means_something(context, entry)))


def coverage(
    context: Context, reader: Reader, topics: Sequence[str] | None = None
) -> UseCase[list[tuple[str, Freshness]]]:
    """Which topics are covered: key and freshness. Raises BadLabel."""
    named = None if topics is None else (yield from _named(context, topics))
    covered: list[tuple[str, Freshness]] = yield db.coverage(reader, _labels(named))
    return covered


def plan(context: Context, reader: Reader, labels: Sequence[str]) -> UseCase[Plan]:
    """For each label: ask, covered, reconfirm or known. Raises BadLabel."""
    named = yield from _named(context, labels, at="labels")
    planned: list[db.Planned] = yield db.plan(reader, [one.label for one in named])
    entries = {p.key: p.entry for p in planned if p.entry is not None and _means_something(context, p.entry)}
    items = planning.plan(
        labels,
        keys={label: p.key for label, p in zip(labels, planned, strict=True)},
        entries=entries,
        covered={p.key: p.freshness for p in planned if p.freshness is not None},
        questions={p.key: p.question for p in planned if p.question is not None},
        similar={p.key: one.similar for one, p in zip(named, planned, strict=True) if not p.listed},
    )
    return Plan(tuple(items))


def topics(context: Context, after: str = "", limit: int = 100) -> UseCase[list[Topic]]:
    """Listed topics, by key, from the one after `after`."""
    found: list[Topic] = yield db.topics_listed(after, limit)
    return found


def coin(context: Context, label: str, avoid: Sequence[str] = (), *, new: bool = False) -> UseCase[Topic]:
    """The topic that a label names: a listed one if it is one, or near enough; else a key of its own.

    Depends on the label and the listed registry alone: whether an unlisted key was there does not show.
    Raises BadLabel, and SimilarTopics where listed topics are near and `new` does not insist.
    """
    key = normalise(label, context.avoid.and_(avoid))
    registry = yield from context.listed.registry(Surface.AGENT, anew=True)
    named = registry.named(key)
    if named.topic is not None:
        return Topic(named.key, named.topic.question, listed=True)
    if named.similar and not new:
        raise SimilarTopics(
            "Use one of the similar topics, or send `new: true` if yours is about something else.",
            named.similar,
        )
    yield db.coin(key)
    return Topic(key)


def _named(context: Context, labels: Sequence[str], at: str = "topics") -> UseCase[list[Named]]:
    """What the labels name, before anything of anybody is read. Raises BadLabel."""
    keys = keys_of(labels, at)
    registry = yield from context.listed.registry(Surface.AGENT)
    return [registry.named(key) for key in keys]


def _labels(named: Sequence[Named] | None) -> list[str] | None:
    return None if named is None else [one.label for one in named]


def _means_something(context: Context, entry: Entry) -> bool:
    # A bare "No." is shown with its question or not at all.
    return entry.question is not None or not context.gate.is_bare(entry.answer)
