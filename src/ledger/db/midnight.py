"""A write that began before midnight and comes after the cut: how the proof brings one about.

For ledgers that are made to be thrown away.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
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
    with psycopg.connect(installer, autocommit=True) as other, ThreadPoolExecutor(1) as night:
        other.execute("select pg_advisory_lock(hashtextextended('ledger.whole', 0))")

        def pass_midnight() -> bool:
            deadline = time.monotonic() + _LONGEST_S
            waits = False
            try:
                while not waits and time.monotonic() < deadline:
                    waits = other.execute(_WAITS).fetchone() == (True,)
                strike()
                other.execute("select ledger.cut()")
            finally:
                other.execute("select pg_advisory_unlock_all()")
            return waits

        passed = night.submit(pass_midnight)
        return write(), passed.result()
