"""The sweep that the serving processes run, soon after midnight (UTC). Several may run at once; the database keeps
them apart, and who finds today's done leaves it at that."""

from __future__ import annotations

import asyncio
import logging
import random
from datetime import UTC, datetime

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
    """Sweep soon after each midnight, and look every so many hours whether that is still to be done; 0: never.

    So a day that was missed is made up for, and a failure waits for the next turn."""
    if not every_hours:
        return
    await asyncio.sleep(FIRST_AFTER)
    while True:
        try:
            done = await ledger.run(unless_done(ledger.context.record))
        except LedgerError as error:
            log.error("the sweep failed: %s", error.slug)
        else:
            if done is not None:
                metrics.HELD_BACK.set(done["held_back"])
                if done["held_back"]:
                    log.error("a transaction that is open for long holds the vacuum of the sweep back")
                if done["behind"]:
                    log.error(BEHIND)
        await asyncio.sleep(until_next(datetime.now(UTC), every_hours) + random.uniform(0, SPREAD))  # noqa: S311


def until_next(now: datetime, every_hours: int) -> float:
    """Seconds from `now` to the next turn: soon after midnight (UTC), or so many hours after that."""
    since_midnight = (now - now.replace(hour=0, minute=0, second=0, microsecond=0)).total_seconds()
    turns = (24 + every_hours - 1) // every_hours
    coming = [turn * every_hours * 3600 + AFTER_MIDNIGHT for turn in range(turns)] + [86_400 + AFTER_MIDNIGHT]
    return next(at - since_midnight for at in coming if at > since_midnight)


def unless_done(record: Record | None = None) -> UseCase[dict[str, int] | None]:
    """A sweep; None where today's has come to its end."""
    if (yield from sweeps.is_done_today()):
        return None
    done = yield from sweeps.sweep(record=record)
    return done
