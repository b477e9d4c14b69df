"""The one place where use cases take something away, or give it back: in the database, and in the record beside it."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, TypeVar
from uuid import UUID

from ledger.core.record import HANDLINGS, Taken, What
from ledger.db import record as db
from ledger.db.operation import Operation, UseCase
from ledger.record.keeping import Goes, Step
from ledger.service.context import Context

T = TypeVar("T")


def take(context: Context, principal: UUID, operation: Operation[T]) -> UseCase[T]:
    """Does what takes something of a principal away. Raises what the operation does, and Unavailable."""
    (found,) = yield from _steps(context, principal, Step(operation))
    done: T = found
    return done


def give_back(context: Context, principal: UUID, operation: Operation[T], goes: Goes) -> UseCase[T]:
    """Does what gives back to a principal the rows that `goes` says. Raises what the operation does, and Unavailable."""
    (found,) = yield from _steps(context, principal, Step(operation, goes))
    done: T = found
    return done


def erase(
    context: Context,
    principal: UUID,
    operation: Operation[T],
    rest: Operation[None],
    goes: Goes | None = None,
) -> UseCase[T]:
    """Does what erases, and then the `rest`: what is withheld goes only once the record holds that all is erased.

    `goes`: what the operation gives back, such as a hold that an erasure waited for.
    """
    included = of(What.WITHHELD, What.DELETED, What.DECLINED, What.SAID_BEFORE)
    found, _ = yield from _steps(context, principal, Step(operation, goes), Step(rest, included))
    done: T = found
    return done


def step_of_the_registry(
    context: Context,
    operation: Operation[T],
    loosens: Collection[str] = (),
    withheld: Sequence[str] = (),
    label: str | None = None,
) -> UseCase[T]:
    """A step of an operator. `loosens`: keys whose restrictions it may take back, and merges into which it may move;
    `withheld`: topics that it may withhold for many. `label`: it may lead elsewhere from now on, and what is withheld where
    it led does not stand under it any more."""
    record = context.record
    if record is None:
        done: T = yield operation
        return done
    goes: Goes | None = None
    if loosens:
        registry: db.Registry = yield db.registry()
        names = {*loosens, *(key for _, key, into in registry if into in loosens)}
        marks = {record.marks.mark(name) for name in names}
        led = {record.marks.mark(key) for key in loosens}

        def goes(row: Taken) -> bool:
            restricts = row.what in (*HANDLINGS, What.UNLISTED)
            return (restricts and row.mark in marks) or (not restricts and row.principal in led)

    moves: dict[UUID, Goes] = {}
    if label is not None:
        topic, *_ = yield db.names(label)
        if topic != label:
            for principal in (yield db.withholding(topic)):
                moves[principal] = of(What.WITHHELD, marks={record.marks.mark(label, of=principal)})
    found: T = yield from record.of_the_registry(Step(operation, goes), withheld, moves)
    return found


def release(context: Context, principal: UUID, topic: str, operation: Operation[None]) -> UseCase[None]:
    """Lets a topic that was withheld go, under all its names."""
    record = context.record
    if record is None:
        yield operation
        return
    names: list[str] = yield db.names(topic)
    marks = {record.marks.mark(name, of=principal) for name in (topic, *names)}
    yield from give_back(context, principal, operation, of(What.WITHHELD, marks=marks))


def of(*kinds: What, marks: Collection[UUID] | None = None) -> Goes:
    """Rows of these kinds; with `marks`, those alone that are about one of them."""
    return lambda row: row.what in kinds and (marks is None or row.mark in marks)


def _steps(context: Context, principal: UUID, *steps: Step) -> UseCase[list[Any]]:
    if context.record is not None:
        return (yield from context.record.of(principal, *steps))
    found = []
    for step in steps:
        found.append((yield step.operation))
    return found
