"""The sweep that the serving processes run, soon after midnight (UTC). Several may run at once; the database keeps
them apart, and who finds today's done leaves it at that."""

from __future__ import annotations

import asyncio
import logging
import random
from datetime import UTC, date, datetime

from ledger.api import metrics
from ledger.db.operation import UseCase
from ledger.errors import LedgerError
from ledger.record.keeping import Record
from ledger.service import sweeps
from ledger.service.ledger import AsyncLedger

FIRST_AFTER = 60.0  # seconds from the start, where today's sweep has not been
AFTER_MIDNIGHT = 60.0  # seconds: the clocks of two machines differ by a few
SPREAD = 60.0  # seconds over which several workers begin, so that the first is often done before the next

BEHIND = (
    "this database lost what was taken away, as after a restore: agents get nothing, and captures wait, till you run "
    "answer-ledger reconcile"
)

log = logging.getLogger("ledger.api")


async def sweep_regularly(ledger: AsyncLedger, every_hours: int) -> None:
    """Sweep soon after each midnight, and look every so many hours whether that is still to be done.

    So a day that was missed is made up for, and a failure waits for the next turn. 0: look each hour which day was swept
    last, for the figures, and leave the sweep to somebody else."""
    await _look(ledger, sweeps.last())
    await asyncio.sleep(FIRST_AFTER)
    while True:
        await _look(ledger, unless_done(ledger.context.record) if every_hours else sweeps.last())
        await asyncio.sleep(until_next(datetime.now(UTC), every_hours or 1) + random.uniform(0, SPREAD))  # noqa: S311


async def _look(ledger: AsyncLedger, turn: UseCase[date | None]) -> None:
    try:
        metrics.swept(await ledger.run(turn))
    except LedgerError as error:
        log.error("the sweep failed: %s", error.slug)


def until_next(now: datetime, every_hours: int) -> float:
    """Seconds from `now` to the next turn: soon after midnight (UTC), or so many hours after that."""
    since_midnight = (now - now.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()
    turns = (24 + every_hours - 1) // every_hours
    coming = [turn * every_hours * 3600 + AFTER_MIDNIGHT for turn in range(turns)] + [86_400 + AFTER_MIDNIGHT]
    return next(at - since_midnight for at in coming if at > since_midnight)


def unless_done(record: Record | None = None) -> UseCase[date | None]:
    """A sweep, unless today's has come to its end. Gives the day of the last that has."""
    if not (yield from sweeps.is_done_today()):
        done = yield from sweeps.sweep(record=record)
        metrics.HELD_BACK.set(done["held_back"])
        if done["held_back"]:
            log.error("a transaction that is open for long holds the vacuum of the sweep back")
        if done["behind"]:
            log.error(BEHIND)
    else:
        metrics.HELD_BACK.set(0)  # else it had not come to its end, whichever worker it was of
    last = yield from sweeps.last()
    return last
