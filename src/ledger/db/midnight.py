"""A write that began before midnight and comes after the cut: how the proof brings one about.

For ledgers that are made to be thrown away.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

import psycopg

T = TypeVar("T")

_LONGEST_S = 10.0
_WAITS = """
select exists (select from pg_locks l join pg_database d on d.oid = l.database
                where l.locktype = 'advisory' and not l.granted and d.datname = current_database())
"""


def across(installer: str, strike: Callable[[], None], write: Callable[[], T]) -> tuple[T, bool]:
    """Holds the whole lock while a write begins, lets midnight strike and the day be cut while it waits, and lets
    it go on. Gives what came of the write, and whether it did wait."""
    waited = threading.Event()
    with psycopg.connect(installer, autocommit=True) as other:
        other.execute("select pg_advisory_lock(hashtextextended('ledger.whole', 0))")

        def midnight() -> None:
            deadline = time.monotonic() + _LONGEST_S
            while not waited.is_set() and time.monotonic() < deadline:
                if other.execute(_WAITS).fetchone() == (True,):
                    waited.set()
            strike()
            other.execute("select ledger.cut()")
            other.execute("select pg_advisory_unlock_all()")

        night = threading.Thread(target=midnight)
        night.start()
        try:
            return write(), waited.is_set()
        finally:
            night.join()
