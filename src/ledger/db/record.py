"""What stands in the database, and how far the record agrees with it. Source: schema/09_record.sql."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from uuid import UUID

from ledger.db.operation import Operation, Surface


@dataclass(frozen=True, slots=True)
class Standing:
    """A row of the projection. `topic` is the key that a mark is to be made of; '' where `mark` says it, or none does."""

    principal: UUID
    what: str
    topic: str
    mark: UUID
    day: date | None


@dataclass(frozen=True, slots=True)
class State:
    """`mark`: of the last sweep; None: no record is kept. `ahead`: agents get nothing. `oldest`: barriers up to this day
    have expired."""

    mark: UUID | None
    ahead: bool
    oldest: date


Registry = list[tuple[str, str, str]]
"""What stands, of which key, and where that leads to, if anywhere."""


def in_place(mark: UUID) -> str:
    """What stands in the place of a key that this database does not have."""
    return "_" + str(mark).replace("-", "_")


def standing(principal: UUID) -> Operation[list[Standing]]:
    return Operation(
        Surface.SWEEPER,
        "select what, topic, mark, day from ledger.record_standing(%s)",
        (principal,),
        lambda rows: [Standing(principal, *row) for row in rows],
    )


def page(after: UUID, most: int) -> Operation[list[Standing]]:
    """Of so many principals, from the one after `after` on."""
    return Operation(
        Surface.SWEEPER,
        "select principal, what, topic, mark, day from ledger.record_page(%s, %s)",
        (after, most),
        lambda rows: [Standing(*row) for row in rows],
    )


def withholding(topic: str) -> Operation[list[UUID]]:
    """Who withholds a topic."""
    return Operation(
        Surface.SWEEPER,
        "select * from ledger.record_withholding(%s)",
        (topic,),
        lambda rows: [principal for (principal,) in rows],
    )


def names(label: str) -> Operation[list[str]]:
    """The topic that a label leads to, first; then all its names and labels."""
    return Operation(
        Surface.SWEEPER,
        "select * from ledger.record_names(%s)",
        (label,),
        lambda rows: [name for (name,) in rows],
    )


def registry() -> Operation[Registry]:
    return Operation(
        Surface.SWEEPER,
        "select what, key, into_key from ledger.record_registry()",
        (),
        lambda rows: [(what, key, into) for what, key, into in rows],
    )


def state() -> Operation[State]:
    return Operation(
        Surface.SWEEPER,
        "select mark, ahead, oldest from ledger.record_state()",
        (),
        lambda rows: State(*rows[0]),
    )


def renew(mark: UUID) -> Operation[None]:
    return Operation(Surface.SWEEPER, "select ledger.record_renew(%s)", (mark,), lambda _: None)


def set_ahead(ahead: bool) -> Operation[None]:
    return Operation(Surface.SWEEPER, "select ledger.record_is_ahead(%s)", (ahead,), lambda _: None)
