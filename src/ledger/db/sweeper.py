"""What the sweep does. Source: schema/09_sweeper.sql."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from ledger.db.operation import Operation, Row, Surface


@dataclass(frozen=True, slots=True)
class Piece:
    """A table, or a partition of one. `name` is quoted for SQL; `expires`: what is deleted there when it is past
    its window, if anything is; `may_vacuum`, `may_rewrite`: whether the sweeper may; `size` in bytes, without indexes."""

    name: str
    expires: str | None
    is_stamped: bool
    may_vacuum: bool
    may_rewrite: bool
    size: int


def cut() -> Operation[date]:
    """Closes the days before today, if nobody has yet; gives today (UTC)."""
    return Operation(Surface.SWEEPER, "select ledger.cut()", (), _value)


def pieces() -> Operation[list[Piece]]:
    """Everything that is swept."""
    return Operation(
        Surface.SWEEPER,
        "select piece, expires, is_stamped, may_vacuum, may_rewrite, bytes from ledger.sweep_pieces()",
        (),
        lambda rows: [Piece(*row) for row in rows],
    )


def due() -> Operation[dict[str, int]]:
    """How much is past its window, and how many keys nobody needs, now: what -> how many, exactly."""
    return Operation(Surface.SWEEPER, "select what, n from ledger.sweep_due()", (), _counts)


def expired(piece: Piece, most: int) -> Operation[int]:
    """Deletes one batch of what is past its window in a piece, and gives how many rows: at most `most`."""
    return _step("select ledger.sweep_expired(%s, %s)", piece.name, most)


def keys(most: int) -> Operation[int]:
    """Deletes one batch of the keys that nobody needs, and gives how many: at most `most`."""
    return _step("select ledger.sweep_keys(%s)", most)


def credentials() -> Operation[int]:
    """Deletes the credentials whose last day is past, and gives how many."""
    return _step("select ledger.sweep_credentials()")


def snapshot() -> Operation[bool]:
    """Draws the weekly snapshot, if a week has passed."""
    return _step("select ledger.sweep_snapshot()")


def restamp(piece: Piece) -> Operation[int]:
    """Stamps anew what was written in a piece before today; gives how many rows."""
    return _step("select ledger.sweep_restamp(%s)", piece.name)


def vacuum(piece: Piece) -> Operation[None]:
    """Freezes what stands in a piece, and takes out what is dead."""
    sql = f"vacuum (freeze, index_cleanup on, truncate off) {piece.name}"
    return Operation(Surface.SWEEPER, sql, (), lambda _: None)


def rewrite(piece: Piece) -> Operation[None]:
    """Writes a piece into a new file, in key order, and its indexes: of what was deleted or written anew no byte is left in
    its pages, and nothing of the order in which it was written.

    Everybody else waits meanwhile. Raises Unavailable where it would have to wait for others for longer than a fifth of a second.
    """
    return _step("select ledger.sweep_rewrite(%s)", piece.name)


def held_back() -> Operation[set[str]]:
    """The names of the pieces in which a vacuum that reaches the last re-stamp is still to come."""
    return Operation(
        Surface.SWEEPER,
        "select * from ledger.sweep_held_back()",
        (),
        lambda rows: {name for (name,) in rows},
    )


def wait(seconds: float) -> Operation[None]:
    """Nothing, for so long."""
    return Operation(Surface.SWEEPER, "select pg_sleep(%s)", (seconds,), lambda _: None)


def done(day: date) -> Operation[None]:
    """The sweep that began on this day has come to its end."""
    return Operation(Surface.SWEEPER, "select ledger.sweep_done(%s)", (day,), lambda _: None)


def swept_on() -> Operation[date | None]:
    """The day of the last sweep that came to its end."""
    return Operation(Surface.SWEEPER, "select ledger.swept_on()", (), _value)


def _step(sql: str, *parameters: object) -> Operation[Any]:
    return Operation(Surface.SWEEPER, sql, parameters, _value, once=True)


def _counts(rows: list[Row]) -> dict[str, int]:
    return {what: int(n or 0) for what, n in rows}


def _value(rows: list[Row]) -> Any:
    return rows[0][0]
