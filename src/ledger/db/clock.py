"""Another day, for a ledger that is made to be thrown away: the demo's, the replay's and the proof's.

The clock is one SQL function (schema/04_tools.sql); only the installer can replace it, and no setting can.
"""

from __future__ import annotations

from datetime import date
from typing import Any, Self

import psycopg
from psycopg import sql

from ledger.db.inspection import released


class Clock:
    """Sets the day of one database, as its installer. A context manager."""

    def __init__(self, installer: str) -> None:
        self._connection: psycopg.Connection[Any] = psycopg.connect(installer, autocommit=True)
        self._day: date | None = None

    def set(self, day: date) -> None:
        """From now on it is this day, for every connection."""
        if day != self._day:
            self._connection.execute(
                sql.SQL(
                    "create or replace function ledger.today() returns date "
                    "language sql stable parallel safe return {}::date"
                ).format(sql.Literal(day.isoformat()))
            )
            self._day = day

    def put_back(self) -> None:
        """From now on it is the day of the server again: the clock of the release."""
        self._connection.execute(released.declared()["today"].statements.encode())
        self._day = None

    def strike_midnight(self, day: date) -> None:
        """From now on it is this day, but for a transaction that began before: as at any midnight, it keeps its own."""
        self._connection.execute(
            sql.SQL(
                "create or replace function ledger.today() returns date language sql stable parallel safe "
                "return case when now() < {}::timestamptz then {}::date else {}::date end"
            ).format(
                sql.Literal(self._now()), sql.Literal(str(self._day or day)), sql.Literal(day.isoformat())
            )
        )
        self._day = None

    def _now(self) -> str:
        ((now,),) = self._connection.execute("select clock_timestamp()::text").fetchall()
        return str(now)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
