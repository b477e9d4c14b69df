"""A sweep that an operator asks for. It says that it was done and no more; what would go is told by the snapshot.

Exact counts are the owner's, on the command line (`ledger.service.sweeps`): two of them with a hold in between would
tell an operator whether somebody has an answer, and how old it is.
"""

from __future__ import annotations

from datetime import date

from ledger.core.figures import Figure, Figures
from ledger.db import operator as db
from ledger.db.operation import UseCase
from ledger.errors import TooManyRequests
from ledger.service import sweeps
from ledger.service.context import Context
from ledger.service.operators.defaults import default_window

AN_HOUR = 3600  # seconds


def sweep(context: Context) -> UseCase[date]:
    """Runs the whole sweep; gives its day. Raises TooManyRequests where one was asked for in this hour (UTC)."""
    day: date | None = yield db.sweep_ask()
    if day is None:
        raise TooManyRequests(
            "An operator may ask for one sweep an hour. The ledger sweeps by itself every day.", AN_HOUR
        )
    yield from sweeps.sweep(record=context.record)
    return day


def due(context: Context) -> UseCase[tuple[date | None, Figure]]:
    """The day of the snapshot, and how many answers on listed topics a sweep would delete by it, at the most."""
    default = yield from default_window(context)
    figures: Figures = yield db.snapshot_read(None)
    return figures.drawn_on, figures.due(default)
