"""What was taken away and still stands, as rows, and the comparison of two such sets.

A row says of a principal (a keyed hash) what stands, on what (a mark, a keyed hash too), and since or until which
day. The database has such rows by its nature (its *projection*: consent, objections, what is withheld, holds, barriers,
the registry's restrictions and merges), and the record keeps them apart from it. In a ledger that never went back every
row of the record is contained in the projection, so a row that is not tells that the database lost something.

Source: DESIGN sections 3 (G7) and 4.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from uuid import UUID

NOBODY = UUID(int=0)
"""Whose rows are those of the registry, and the mark of what is about everything of a principal."""


class What(StrEnum):
    """What stands. The day of a barrier is its `not_before`, that of a refusal when it was decided; others have none."""

    REVOKED = "revoked"
    OBJECTED = "objected"
    WITHHELD = "withheld"
    HELD = "held"
    ERASE_ASKED = "erase_asked"  # an erasure waits for the end of a hold: all is hidden

    DELETED = "deleted"  # what was said on a topic before the day is gone
    DECLINED = "declined"  # what waited for a yes is gone; an answer that stands is not
    ERASED = "erased"  # everything that was said before the day is gone
    SAID_BEFORE = "said_before"  # nothing is gone; what was said before the day is not to be kept

    SEALED = "sealed"
    CONFIRM = "confirm"
    FORBIDDEN = "forbidden"
    UNLISTED = "unlisted"
    LED = "led"  # a key goes on as a label of another topic; the row's principal is the mark of that one
    MERGED = "merged"  # the same, and it stays there

    BEGUN = "begun"  # something is being given back: what the database still has is to be put down again


BARRIERS = frozenset({What.DELETED, What.DECLINED, What.ERASED, What.SAID_BEFORE})
OF_THE_REGISTRY = frozenset({What.SEALED, What.CONFIRM, What.FORBIDDEN, What.UNLISTED, What.LED, What.MERGED})
HANDLINGS = (What.SEALED, What.CONFIRM, What.FORBIDDEN)  # each holds those before it


@dataclass(frozen=True, slots=True)
class Taken:
    """One row. `day` is None where the database keeps none."""

    principal: UUID
    what: What
    mark: UUID = NOBODY
    day: date | None = None

    @property
    def key(self) -> tuple[UUID, What, UUID]:
        return self.principal, self.what, self.mark

    @property
    def whose(self) -> UUID:
        """Whose rows it is compared with: a principal's, or (NOBODY) the registry's."""
        return NOBODY if self.what in OF_THE_REGISTRY else self.principal

    def is_over(self, oldest: date) -> bool:
        """Whether nothing that this could stop would be kept any more: of barriers, up to the `oldest` day of a window."""
        return self.what in BARRIERS and self.day is not None and self.day <= oldest

    def stands_in(self, other: Taken | None) -> bool:
        """Whether a row of the same key holds at least as much."""
        return other is not None and (self.day is None or (other.day is not None and other.day >= self.day))


def lacking(rows: Iterable[Taken], among: Iterable[Taken]) -> list[Taken]:
    """The rows that do not stand among others, in the order of their keys."""
    there = united(among)
    return sorted(
        (row for row in rows if row.what is not What.BEGUN and not row.stands_in(there.get(row.key))),
        key=lambda row: row.key,
    )


def united(*sets: Iterable[Taken]) -> dict[tuple[UUID, What, UUID], Taken]:
    """The union: of two rows of one key the later day."""
    rows: dict[tuple[UUID, What, UUID], Taken] = {}
    for one in sets:
        for row in one:
            if not row.stands_in(rows.get(row.key)):
                rows[row.key] = row
    return rows
