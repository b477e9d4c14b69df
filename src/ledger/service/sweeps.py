"""The sweep: deletes what is past its window, draws the snapshot, stamps anew what was written."""

from __future__ import annotations

from collections.abc import Callable

from ledger.db import sweeper as db
from ledger.db.operation import UseCase

BATCH = 5_000  # rows of a kind a transaction, so that no capture waits long


def due() -> UseCase[dict[str, int]]:
    """What a sweep would delete now: rows by kind."""
    counts: dict[str, int] = yield db.due()
    return counts


def sweep(progress: Callable[[int], None] = lambda _: None) -> UseCase[dict[str, int]]:
    """Runs the whole sweep, and gives what was done: rows by kind, and how many were stamped anew.

    `progress` hears of the entries deleted so far. Safe to run at any time and twice at once.
    """
    total: dict[str, int] = {}
    while True:
        batch: dict[str, int] = yield db.expired(BATCH)
        total = {kind: total.get(kind, 0) + n for kind, n in batch.items()}
        progress(total["entries"] + total["pending"])
        if not any(batch.values()):
            break
    yield db.snapshot()
    restamped: int = yield db.restamp()
    return {**total, "restamped": restamped}
