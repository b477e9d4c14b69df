"""A function that is away for a while: how the proof makes a request crash in the middle."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql


@contextmanager
def without(installer: str, function: str) -> Iterator[None]:
    """For this time calls of a function of ours fail as those of one that there is not. For ledgers that are made
    to be thrown away."""
    away = f"{function}_away"
    with psycopg.connect(installer, autocommit=True) as connection:
        rename = sql.SQL("alter routine ledger.{} rename to {}")
        connection.execute(rename.format(sql.Identifier(function), sql.Identifier(away)))
        try:
            yield
        finally:
            connection.execute(rename.format(sql.Identifier(away), sql.Identifier(function)))
