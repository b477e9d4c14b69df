"""Two things to hold a ledger's tables against, in databases that are made for it: a copy of the contents alone, and
a plain table that was filled as it came."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import date

import psycopg
from psycopg import sql

from ledger.db import expected
from ledger.db.remains import Remains, Row, Table

PLAIN = "plain"


def fill(conninfo: str, contents: Mapping[Table, Sequence[Row]]) -> None:
    """Puts the contents of these rows in place of all others: in one transaction, a statement a table, in the order of their values.
    How they lie then depends on the contents and on nothing else."""
    with psycopg.connect(conninfo) as connection:
        connection.execute(
            "set local session_replication_role = replica"
        )  # whatever order the tables come in
        for table, rows in contents.items():
            name = sql.Identifier(table.schema, table.name)
            connection.execute(sql.SQL("truncate {}").format(name))
            kept = [n for n, column in enumerate(table.columns) if _on_purpose(table, column)]
            columns = [[row.values[table.columns[n]] for row in rows] for n in kept]
            given = sql.SQL(", ").join(sql.Identifier(table.columns[n]) for n in kept)
            places = sql.SQL(", ").join(sql.SQL("%s::text[]") for _ in kept)
            names = sql.SQL(", ").join(sql.Identifier(f"c{n}") for n in kept)
            values = sql.SQL(", ").join(
                sql.SQL("{}::{}").format(sql.Identifier(f"c{n}"), sql.SQL(table.kinds[n])) for n in kept
            )
            insert = sql.SQL("insert into {} ({}) select {} from unnest({}) as u({}) order by {}")
            connection.execute(insert.format(name, given, values, places, names, names), columns)


def _on_purpose(table: Table, column: str) -> bool:
    """Whether it is kept on purpose; what was added by others gets the value that it takes by itself."""
    return table.schema != "ledger" or column in expected.COLUMNS.get(table.name, {})


def plain(conninfo: str, told: Iterable[tuple[str, str, str, date]]) -> list[Row]:
    """Upserts answers into a plain table as they come, each in a transaction of its own; gives its rows."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(
            sql.SQL(
                "create table public.{} (principal uuid, topic text, answer text, as_of date, primary key (principal, topic))"
            ).format(sql.Identifier(PLAIN))
        )
        for answer in told:
            connection.execute(
                sql.SQL(
                    "insert into public.{} values (%s, %s, %s, %s) on conflict (principal, topic) "
                    "do update set answer = excluded.answer, as_of = excluded.as_of"
                ).format(sql.Identifier(PLAIN)),
                answer,
            )
    with Remains(conninfo) as remains:
        (table,) = [one for one in remains.tables() if one.name == PLAIN]
        return remains.rows(table)
