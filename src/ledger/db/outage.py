"""A function that is away for a while: how the proof makes a request crash in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from ledger.db.expected import FUNCTIONS


@contextmanager
def without(installer: str, function: str) -> Iterator[None]:
    """For this time no surface may call a function of ours: each call fails, one that is prepared too. For ledgers
    that are made to be thrown away."""
    roles = [sql.Identifier(role) for role, names in FUNCTIONS.items() if function in names]
    named = sql.Identifier("ledger", function), sql.SQL(", ").join(roles)
    with psycopg.connect(installer, autocommit=True) as connection:
        connection.execute(sql.SQL("revoke execute on function {} from {}").format(*named))
        try:
            yield
        finally:
            connection.execute(sql.SQL("grant execute on function {} to {}").format(*named))
