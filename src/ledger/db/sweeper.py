"""What the sweep does. Source: schema/09_sweeper.sql."""

from __future__ import annotations

from typing import Any

from ledger.db.operation import Operation, Row, Surface

_ACTIONS = ("entries", "pending", "barriers", "audit")


def due() -> Operation[dict[str, int]]:
    """How much is past its window now."""
    return Operation(Surface.SWEEPER, "select * from ledger.sweep_due()", (), _counts)


def expired(most: int) -> Operation[dict[str, int]]:
    """Deletes one batch of what is past its window: at most `most` of each kind."""
    return Operation(Surface.SWEEPER, "select * from ledger.sweep_expired(%s)", (most,), _counts, once=True)


def snapshot() -> Operation[bool]:
    """Draws the weekly snapshot, if a week has passed."""
    return Operation(Surface.SWEEPER, "select ledger.sweep_snapshot()", (), _value, once=True)


def restamp() -> Operation[int]:
    """Stamps anew every row that was written since the last run."""
    return Operation(Surface.SWEEPER, "select ledger.sweep_restamp()", (), _value, once=True)


def _counts(rows: list[Row]) -> dict[str, int]:
    return dict(zip(_ACTIONS, rows[0], strict=True))


def _value(rows: list[Row]) -> Any:
    return rows[0][0]
