"""What the application that carries the chats writes. Source: schema/06_capture.sql."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from ledger.db.operation import Operation, Surface


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer under a label is kept."""

    key: str
    listed: bool
    names: tuple[str, ...]  # the key and those merged into it: under each something may have been deleted


@dataclass(frozen=True, slots=True)
class Kept:
    """An answer that passed the gate, on its way to be kept.

    `label`: the one that was taken for the topic's. `question`: the one under which a bare answer was judged;
    None where the answer stands alone. `names`: the keys under which something may have been taken away that this
    answer would bring back, the topic's own first. `marks`: theirs, and last that of all topics.
    """

    topic: str
    label: str
    answer: str
    question: str | None
    names: tuple[str, ...]
    marks: tuple[UUID, ...]


def topics_for(labels: Sequence[str], said_on: date, *, coin: bool) -> Operation[list[Place]]:
    """Where an answer under each label is kept, in order; with `coin`, registers keys that are not there.

    Does the same for a key that is there and for one that is not. Raises InvalidRequest for a day that has yet
    to come.
    """
    return Operation(
        Surface.CAPTURE,
        "select * from ledger.topics_for(%s, %s, %s)",
        (list(labels), coin, said_on),
        lambda rows: [Place(key, listed, tuple(names)) for key, listed, names in rows],
    )


def keep(principal: UUID, said_on: date, answers: Sequence[Kept]) -> Operation[bool]:
    """Keeps answers, one a topic, as far as they may be kept.

    False: the registry has it otherwise than they take for granted, and nothing is kept. Raises
    InvalidRequest for a day that has yet to come.
    """
    # one document, since the driver takes longer over five arrays than the server over the whole call
    document = [
        {
            "topic": a.topic,
            "label": a.label,
            "answer": a.answer,
            "question": a.question,
            "names": a.names,
            "marks": [str(m) for m in a.marks],
        }
        for a in answers
    ]
    return Operation(
        Surface.CAPTURE,
        "select ledger.capture(%s, %s, %s::jsonb)",
        (principal, said_on, json.dumps(document, ensure_ascii=False)),
        lambda rows: bool(rows[0][0]),
        once=True,
    )


def outcome_add(
    principal: UUID, topic: str, said_on: date, still_true: bool, marks: Sequence[UUID]
) -> Operation[None]:
    """Counts how the reconfirmation that is about to be made comes out, where there is one to be made."""
    return _act("select ledger.outcome_add(%s, %s, %s, %s, %s)", principal, topic, said_on, still_true, marks)


def reconfirm(
    principal: UUID, topic: str, said_on: date, still_true: bool, marks: Sequence[UUID]
) -> Operation[None]:
    """Confirms or takes back a stale entry, where there is one."""
    return _act("select ledger.reconfirm(%s, %s, %s, %s, %s)", principal, topic, said_on, still_true, marks)


def _act(
    sql: str, principal: UUID, topic: str, said_on: date, still_true: bool, marks: Sequence[UUID]
) -> Operation[None]:
    parameters = (principal, topic, said_on, still_true, list(marks))
    return Operation(Surface.CAPTURE, sql, parameters, lambda _: None, once=True)
