"""What the application that carries the chats writes. Source: schema/06_capture.sql."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from ledger.core.model import Handling
from ledger.db.operation import Operation, Surface


@dataclass(frozen=True, slots=True)
class Named:
    """The topic that a label names, as the listed registry has it."""

    key: str
    listed: bool
    question: str | None
    handling: Handling
    authority: str | None
    names: tuple[str, ...]  # the key and its aliases: under each something may have been deleted
    today: date


def topics_for(labels: Sequence[str], said_on: date, *, coin: bool) -> Operation[list[Named]]:
    """The topic of each label, in order; with `coin`, registers those that were not there."""
    return Operation(
        Surface.CAPTURE,
        "select * from ledger.topics_for(%s, %s, %s)",
        (list(labels), coin, said_on),
        lambda rows: [
            Named(key, listed, question, Handling(handling), authority, tuple(names), today)
            for key, listed, question, handling, authority, names, today in rows
        ],
    )


def today() -> Operation[date]:
    """The day (UTC) by the database's clock, which is the only one."""
    return Operation(Surface.CAPTURE, "select ledger.today()", (), lambda rows: rows[0][0])


def keep(
    principal: UUID,
    answers: Mapping[str, str],
    questions: Mapping[str, str | None],
    said_on: date,
    marks: Mapping[str, Sequence[UUID]],
    mark_all: UUID,
) -> Operation[None]:
    """Keeps answers by topic, as far as they may be kept. `marks` are those of each topic's names, `questions`
    those that the gate had.

    Raises TopicGone where the registry says otherwise by now; nothing is kept then.
    """
    pairs = [(topic, mark) for topic, own in marks.items() for mark in own]
    return Operation(
        Surface.CAPTURE,
        "select ledger.capture(%s, %s, %s, %s, %s, %s, %s, %s)",
        (
            principal,
            list(answers),
            [questions[topic] or "" for topic in answers],
            list(answers.values()),
            said_on,
            [topic for topic, _ in pairs],
            [mark for _, mark in pairs],
            mark_all,
        ),
        lambda _: None,
        once=True,
    )


def reconfirm(
    principal: UUID, topic: str, said_on: date, still_true: bool, marks: Sequence[UUID], mark_all: UUID
) -> Operation[tuple[bool, int]]:
    """Confirms or takes back a stale entry. Gives whether to count it, and its age in whole weeks."""
    return Operation(
        Surface.CAPTURE,
        "select * from ledger.reconfirm(%s, %s, %s, %s, %s, %s, %s)",
        (principal, topic, said_on, still_true, marks[0], list(marks), mark_all),
        lambda rows: (rows[0][0], rows[0][1]),
        once=True,
    )


def outcome_add(topic: str, age_weeks: int, still_true: bool) -> Operation[None]:
    """Counts how a reconfirmation came out; without a principal, in a transaction of its own."""
    return Operation(
        Surface.CAPTURE,
        "select ledger.outcome_add(%s, %s, %s)",
        (topic, age_weeks, still_true),
        lambda _: None,
        once=True,
    )
