"""Looks at a live database for what leaks: whatever differs from what this release consists of.

Run as the installer, who sees the catalog. Each finding says what to do about it.

Source: DESIGN section 3 (G1); PostgreSQL's documentation of each setting and catalog.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import psycopg

from ledger.db.inspection import (
    catalog,
    constraints,
    elsewhere,
    logging,
    notices,
    pooling,
    raw_logins,
    reach,
    released,
    roles,
    settings,
)
from ledger.db.inspection.finding import Finding, Query

__all__ = ["Finding", "Query", "findings", "notices", "pooling"]

_LOOKS = (
    *settings.LOOKS, *catalog.LOOKS, *constraints.LOOKS, *released.LOOKS, *elsewhere.LOOKS, *roles.LOOKS, *raw_logins.LOOKS,
    *logging.LOOKS, *reach.LOOKS,
)  # fmt: skip


def findings(conninfo: str) -> list[Finding]:
    """Everything that was looked at, in order. Raises psycopg.Error where the database can't be reached."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        _take_time(connection)

        def rows(query: str, *parameters: Any) -> list[tuple[Any, ...]]:
            return connection.execute(query, parameters or None).fetchall()

        found = [catalog.server(connection.info.server_version)]
        for look in _LOOKS:
            found.extend(look(rows))
        return found


def _take_time(connection: psycopg.Connection[Any]) -> None:
    """A time limit may be what is looked for, and is not to end the look; it may be shorter than this takes."""
    for _ in range(100):
        with suppress(psycopg.errors.QueryCanceled):
            connection.execute("set statement_timeout = 0")
            return
