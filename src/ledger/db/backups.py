"""Every row of the database as lines of JSON, and back into a database of the same release that holds none.

By the owner and in SQL alone, so that no program of the server's version has to be there. Rows are read in key order and
of one instant, so a backup keeps no order of writing; they are put down in one transaction.

Source: schema/02_tables.sql; docs/operations/backup.md.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import psycopg
from psycopg import sql

from ledger.db.expected import COLUMNS
from ledger.db.failures import translate

Line = dict[str, Any]
"""`table`, and `row`: its columns."""

TABLES = tuple(
    table for table in COLUMNS if table not in ("bare_form", "version", "sweep_mark", "piece_mark", "setting")
)
"""Of the others the release fills one, and the sweep's marks mean nothing in another cluster."""

_BATCH = 2000
_WHOLE = "set local role ledger_custodian"  # whom the policies let see everybody, also where the owner is no superuser
_KEYS = """
select string_agg(quote_ident(a.attname), ', ' order by k.ord)
  from pg_index i
  cross join unnest(i.indkey) with ordinality k(attnum, ord)
  join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
 where i.indrelid = %s::regclass and i.indisprimary
"""


def dump(installer: str) -> Iterator[Line]:
    """Every row, table by table; the settings first. Raises Unavailable."""
    try:
        with psycopg.connect(installer) as connection:
            connection.execute("set transaction isolation level repeatable read, read only")
            keys = {table: _keys(connection, table) for table in TABLES}
            connection.execute(_WHOLE)
            ((setting, drawn_on),) = connection.execute(
                "select to_jsonb(s), m.snapshot_on::text from ledger.setting s, ledger.sweep_mark m"
            ).fetchall()
            yield {"table": "setting", "row": setting, "snapshot_on": drawn_on}
            for table in TABLES:
                with connection.cursor(name="rows") as rows:
                    rows.itersize = _BATCH
                    query = sql.SQL("select to_jsonb(t) from {} t order by {}")
                    rows.execute(query.format(sql.Identifier("ledger", table), keys[table]))
                    for (row,) in rows:
                        yield {"table": table, "row": row}
    except psycopg.Error as error:
        raise translate(error) from None


def is_empty(installer: str) -> bool:
    """Whether nobody has a row, and no topic is there."""
    some = sql.SQL(" or ").join(
        sql.SQL("exists (select from {})").format(sql.Identifier("ledger", table)) for table in TABLES
    )
    try:
        with psycopg.connect(installer) as connection:
            connection.execute(_WHOLE)
            return connection.execute(sql.SQL("select not ({})").format(some)).fetchone() == (True,)
    except psycopg.Error as error:
        raise translate(error) from None


def load(installer: str, lines: Iterable[Line]) -> int:
    """Puts every row down, in one transaction; gives how many. Agents get nothing of it until it is reconciled."""
    n = 0
    try:
        with psycopg.connect(installer) as connection:
            keys = {table: _keys(connection, table) for table in TABLES}
            connection.execute(_WHOLE)
            for table, group in groupby(lines, key=lambda line: str(line["table"])):
                if table == "setting":
                    (line,) = group
                    _settle(connection, line)
                    continue
                for rows in _batches(line["row"] for line in group):
                    query = sql.SQL(
                        "insert into {0} select * from jsonb_populate_recordset(null::{0}, %s::jsonb) order by {1}"
                    ).format(sql.Identifier("ledger", table), keys[table])
                    connection.execute(query, (json.dumps(rows),))
                    n += len(rows)
    except psycopg.Error as error:
        raise translate(error) from None
    return n


def _settle(connection: psycopg.Connection[Any], line: Line) -> None:
    setting = {**line["row"], "record_ahead": True}
    connection.execute("delete from ledger.setting")
    connection.execute(
        "insert into ledger.setting select * from jsonb_populate_record(null::ledger.setting, %s::jsonb)",
        (json.dumps(setting),),
    )
    connection.execute("update ledger.sweep_mark set snapshot_on = %s::date", (line["snapshot_on"],))


def _keys(connection: psycopg.Connection[Any], table: str) -> sql.SQL:
    ((keys,),) = connection.execute(_KEYS, (f"ledger.{table}",)).fetchall()
    return sql.SQL(keys)


def _batches(rows: Iterable[Any]) -> Iterator[list[Any]]:
    batch: list[Any] = []
    for row in rows:
        batch.append(row)
        if len(batch) == _BATCH:
            yield batch
            batch = []
    if batch:
        yield batch
