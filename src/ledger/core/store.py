"""What a record can do, wherever it lies."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import Protocol
from uuid import UUID

from ledger.core.record import Taken


@dataclass(frozen=True, slots=True)
class Head:
    """`proof` tells whose record it is: a keyed hash of the pepper. `mark` is that of the last sweep."""

    proof: UUID
    mark: UUID


class Lock(Protocol):
    """What somebody holds of a record. A process that ends lets go of it."""

    def release(self) -> None: ...


class Store(Protocol):
    """A record. Its rows lie in key order, and nothing in it keeps the order of writing past a renewal.

    Whoever changes the rows of a principal holds their lock. Each call is done when it returns, also after a loss of
    power. Raises Unavailable where it can't be reached, SetupError where it is not fit to be used.
    """

    @property
    def place(self) -> str:
        """Where it lies, for the person who runs the deployment; without a secret."""
        ...

    def lock(self, principal: UUID) -> Lock | None:
        """The lock of a principal's rows; None where somebody holds it."""
        ...

    def head(self) -> Head | None:
        """None: there is no record here."""
        ...

    def begin(self, head: Head) -> None:
        """Makes an empty record; one that is there goes."""
        ...

    def fresh(self) -> list[Taken]:
        """The rows that were written since the last renewal."""
        ...

    def rows(self, after: UUID, upto: UUID | None) -> list[Taken]:
        """The rows of the principals after `after`, up to and with `upto` (None: to the end), by key."""
        ...

    def registry(self) -> list[Taken]:
        """The rows of the registry, by key."""
        ...

    def unite(self, rows: Iterable[Taken], done: UUID | None = None) -> None:
        """Puts rows down; of two of one key the later day stays. What was begun for `done` is over.

        It is written whether or not something is new, so that its time does not tell.
        """
        ...

    def take_out(self, principal: UUID, goes: Callable[[Taken], bool]) -> None:
        """Takes out the rows of a principal that are about to be given back, and notes that this has begun."""
        ...

    def renew(self, mark: UUID, oldest: date) -> None:
        """Writes everything anew, in key order, under a new mark, without barriers up to `oldest`; no row is fresh any
        more."""
        ...

    def close(self) -> None: ...
