"""The sweep that the serving processes run. Several may run at once; the database keeps them apart."""

from __future__ import annotations

import asyncio
import logging

from ledger.errors import LedgerError
from ledger.service import sweeps
from ledger.service.ledger import AsyncLedger

FIRST_AFTER = 60.0  # seconds, so that processes which are often restarted sweep too

log = logging.getLogger("ledger.api")


async def sweep_regularly(ledger: AsyncLedger, every_hours: int) -> None:
    """Sweep a minute after the start, then every so many hours; 0: never. A failure waits for the next turn."""
    if not every_hours:
        return
    await asyncio.sleep(FIRST_AFTER)
    while True:
        try:
            await ledger.run(sweeps.sweep())
        except LedgerError as error:
            log.error("the sweep failed: %s", error.slug)
        await asyncio.sleep(every_hours * 3600)
