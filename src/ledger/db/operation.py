"""An operation is a value: a statement, its parameters, and how to read the rows.

A step outside the database, on the disk of this machine or in the record, is a value too (`Work`), and so is a moment
in which nothing is done (`Pause`).

It runs nowhere by itself. The executors (`connections`) are a few lines each, one for threads and one
for asyncio; everything above them is written once, as generators that yield operations.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Row = tuple[Any, ...]

UseCase = Generator["Operation[Any] | Work[Any] | Pause", Any, T]
"""A use case yields operations, is sent what they read, and returns a T."""


class Surface(StrEnum):
    """Which login an operation runs as: the role is `ledger_<surface>`. Source: schema/01_roles.sql."""

    AGENT = "agent"
    CAPTURE = "capture"
    PRINCIPAL = "principal"
    OPERATOR = "operator"
    SWEEPER = "sweeper"

    @property
    def role(self) -> str:
        return f"ledger_{self.value}"


@dataclass(frozen=True, slots=True)
class Operation(Generic[T]):
    """One statement of one surface. `read` turns its rows into a T. Values are bind parameters only.

    `once`: it must not be sent a second time when the connection breaks in the middle, since it may have
    been done. Everything else is safe to repeat.
    """

    surface: Surface
    sql: str
    parameters: Sequence[Any]
    read: Callable[[list[Row]], T]
    once: bool = False


@dataclass(frozen=True, slots=True)
class Work(Generic[T]):
    """A step that may wait for a disk or for another server. asyncio runs it in a thread."""

    do: Callable[[], T]


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing, for so many seconds."""

    seconds: float
