"""Everything that lasts in a database, read as a superuser who looks for order: rows, and how they lie.

What can't be equal in two databases that were filled with the same is left out here, column by column, and
nowhere else (docs/operations/prove.md says why).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

LARGE = 2_000
"""Rows: a larger table holds the release's own data, and is looked at in short."""

SYSTEM = ("pg_catalog", "information_schema")

LEFT_OUT: dict[str, tuple[str, ...]] = {
    # how large the files are, and how old what lies in them
    "pg_class": (
        "relpages", "reltuples", "relallvisible", "relallfrozen", "relfrozenxid", "relminmxid", "relfilenode",
    ),
    # which database it is, and how old what lies in it
    "pg_database": ("oid", "datname", "datfrozenxid", "datminmxid"),
    "pg_shdepend": ("dbid",),
    "pg_db_role_setting": ("setdatabase",),
}  # fmt: skip
"""Columns of the catalog that differ by nature: catalog -> columns."""

IN_PART: dict[tuple[str, str], str] = {
    # how far a column's order is that of the places of its rows
    ("pg_statistic", f"stanumbers{slot}"): f"case when t.stakind{slot} <> 3 then t.stanumbers{slot} end"
    for slot in range(1, 6)
}
"""Columns of the catalog that differ by nature in part: what is read of them."""

# What the cluster keeps of all its databases: only what concerns this one.
_OF_THIS_DATABASE = {
    "pg_database": "t.datname = current_database()",
    "pg_shdepend": "t.dbid in (0, (select oid from pg_database where datname = current_database()))",
    "pg_db_role_setting": "t.setdatabase in (0, (select oid from pg_database where datname = current_database()))",
}

_TABLES = """
select n.nspname, c.relname, array_agg(a.attname::text order by a.attnum), array_agg(a.atttypid::regtype::text order by a.attnum)
  from pg_class c
  join pg_namespace n on n.oid = c.relnamespace
  join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
 where c.relkind in ('r', 'm', 't') and c.relpersistence <> 't'
   and (n.nspname <> 'pg_toast' or exists (
         select from pg_class o join pg_namespace m on m.oid = o.relnamespace
          where o.reltoastrelid = c.oid and m.nspname <> all (%(system)s)))
 group by 1, 2
 order by 1, 2
"""


@dataclass(frozen=True, slots=True)
class Table:
    schema: str
    name: str
    columns: tuple[str, ...]
    kinds: tuple[str, ...]

    @property
    def full_name(self) -> str:
        return f"{self.schema}.{self.name}"

    @property
    def of_the_system(self) -> bool:
        return self.schema in SYSTEM


@dataclass(frozen=True, slots=True)
class Row:
    """A row as a superuser sees it: its columns as text, and the system's. `place` is page and item."""

    table: str
    values: dict[str, str | None]
    text: str
    xmin: int
    xmax: int
    place: tuple[int, int]
    command: int


@dataclass(frozen=True, slots=True)
class Log:
    """A write-ahead log: its bytes, the place (LSN) of the first of them, and the files that they stand in."""

    content: bytes
    start: int
    segments: tuple[Path, ...]


class Remains:
    """Reads one database. A context manager. Raises psycopg.Error."""

    def __init__(self, conninfo: str) -> None:
        self._connection: psycopg.Connection[Any] = psycopg.connect(conninfo, autocommit=True)

    def __enter__(self) -> Remains:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def tables(self) -> list[Table]:
        """Every table that holds rows, of every schema."""
        found = self._connection.execute(_TABLES, {"system": list(SYSTEM)}).fetchall()
        return [Table(schema, name, tuple(columns), tuple(kinds)) for schema, name, columns, kinds in found]

    def rows(self, table: Table) -> list[Row]:
        """Every row of a table, in the order of their text. Columns that are transaction numbers read as such."""
        columns = sql.SQL(", ").join(
            sql.SQL("t.{}::text").format(sql.Identifier(name)) for name in table.columns
        )
        query = sql.SQL(
            "select t.xmin::text::bigint, t.xmax::text::bigint, t.ctid::text, t.cmin::text::bigint, {} from {} t"
        ).format(columns, sql.Identifier(table.schema, table.name))
        found = []
        for xmin, xmax, ctid, command, *values in self._connection.execute(query).fetchall():
            page, item = ctid.strip("()").split(",")
            named = dict(zip(table.columns, values, strict=True))
            text = ", ".join("null" if value is None else value for value in values)
            found.append(Row(table.full_name, named, text, xmin, xmax, (int(page), int(item)), command))
        return sorted(found, key=lambda row: row.text)

    def groups(self, table: Table) -> list[Row]:
        """A large table in short: a row for each xmin and xmax in it, which holds how many and a digest of them."""
        query = sql.SQL(
            "select xmin::text::bigint, xmax::text::bigint, count(*)::text, sum(hashtextextended({}, 0))::text "
            "from {} t group by xmin::text, xmax::text"
        ).format(_row(table), sql.Identifier(table.schema, table.name))
        found = []
        for xmin, xmax, n, digest in self._connection.execute(query).fetchall():
            values = {"rows": n, "digest": digest}
            found.append(Row(table.full_name, values, f"{n}, {digest}", xmin, xmax, (0, 0), 0))
        return sorted(found, key=lambda row: row.text)

    def count(self, table: Table) -> int:
        query = sql.SQL("select count(*) from {}").format(sql.Identifier(table.schema, table.name))
        return int(self._connection.execute(query).fetchall()[0][0])

    def digest(self, table: Table) -> str:
        """How many rows a table of the catalog has, and a digest of them, without what differs by nature."""
        query = sql.SQL(
            "select count(*) || ' rows, ' || coalesce(md5(string_agg(h, '' order by h)), 'none') "
            "from (select md5({}) as h from {} t where {}) r"
        ).format(_row(table), sql.Identifier(table.schema, table.name), _condition(table))
        return str(self._connection.execute(query).fetchall()[0][0])

    def texts(self, table: Table) -> list[str]:
        """The rows behind a digest."""
        query = sql.SQL("select {} from {} t where {} order by 1").format(
            _row(table), sql.Identifier(table.schema, table.name), _condition(table)
        )
        return [text for (text,) in self._connection.execute(query).fetchall()]

    def sequences(self) -> list[str]:
        """Every sequence of ours, and how far it has counted."""
        named = self._connection.execute(
            "select schemaname, sequencename from pg_sequences where schemaname <> all (%s) order by 1, 2",
            (list(SYSTEM),),
        ).fetchall()
        counted = []
        for schema, name in named:
            query = sql.SQL("select last_value, is_called from {}").format(sql.Identifier(schema, name))
            counted.append(f"{schema}.{name}: {self._connection.execute(query).fetchone()}")
        return counted

    def disorder(self) -> list[str]:
        """Principals whose rows in a table carry more than one xmin, or lie out of key order."""
        found = []
        for table, keys in self._connection.execute(_KEYED).fetchall():
            key = sql.SQL(", ").join(map(sql.Identifier, keys))
            query = sql.SQL(
                """select principal::text, count(distinct stamp::text), coalesce(bool_or(here < before), false)
                     from (select principal, xmin as stamp, ctid as here,
                                  lag(ctid) over (partition by principal order by {}) as before from {} t) r
                    group by principal
                   having count(distinct stamp::text) > 1 or bool_or(here < before) order by 1"""
            ).format(key, sql.Identifier("ledger", table))
            for principal, stamps, unordered in self._connection.execute(query).fetchall():
                what = f"{stamps} xmins" if stamps > 1 else ""
                found.append(
                    f"{table} of {principal}: {what}{' and ' if what and unordered else ''}{'out of key order' if unordered else ''}"
                )
        return found

    def locked(self) -> list[str]:
        """Tables in which rows that stand carry another's xmax: a lock was on them, or a deletion that was taken back.

        An upsert leaves its own, which is the row's xmin and tells nothing more.
        """
        found = []
        for table in self.tables():
            if not table.of_the_system:
                query = sql.SQL("select count(*) from {} t where xmax::text not in ('0', xmin::text)")
                ((n,),) = self._connection.execute(
                    query.format(sql.Identifier(table.schema, table.name))
                ).fetchall()
                found += [f"{n} rows of {table.full_name} carry another's xmax"] if n else []
        return found

    def maintain(self, tables: Iterable[Table]) -> None:
        """What autovacuum would do to these at a time of its own: frees what is dead, and draws statistics."""
        names = sql.SQL(", ").join(
            sql.Identifier(table.schema, table.name) for table in tables if table.schema != "pg_toast"
        )
        self._connection.execute(sql.SQL("vacuum (analyze) {}").format(names))

    def write_ahead_log(self) -> Log:
        """The write-ahead log as far as the server still keeps it; of all databases."""
        ((cluster,),) = self._connection.execute("show data_directory").fetchall()
        ((size,),) = self._connection.execute(
            "select setting::bigint from pg_settings where name = 'wal_segment_size'"
        ).fetchall()
        ((last,),) = self._connection.execute(
            "select pg_walfile_name(pg_current_wal_insert_lsn())"
        ).fetchall()
        segments = sorted(
            path
            for path in (Path(cluster) / "pg_wal").iterdir()
            if len(path.name) == 24 and path.name <= last
        )
        first = segments[0].name
        start = int(first[8:16], 16) << 32 | int(first[16:], 16) * size
        return Log(b"".join(path.read_bytes() for path in segments), start, tuple(segments))

    def newest_transaction(self) -> int:
        """The number that the next transaction to write gets, of all databases."""
        ((number,),) = self._connection.execute(
            "select pg_snapshot_xmax(pg_current_snapshot())::text::bigint"
        ).fetchall()
        return int(number)

    def checkpoint(self) -> None:
        """Begins a new file of the log, and gives up the files before it."""
        self._connection.execute("select pg_switch_wal()")
        self._connection.execute("checkpoint")


_KEYED = """
select c.relname, array_agg(a.attname::text order by k.ord)
  from pg_class c
  join pg_index i on i.indrelid = c.oid and i.indisprimary
  cross join unnest(i.indkey) with ordinality k(attnum, ord)
  join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
 where c.relnamespace = 'ledger'::regnamespace
   and exists (select from pg_attribute p where p.attrelid = c.oid and p.attname = 'principal' and not p.attisdropped)
 group by c.relname
 order by 1
"""


def _kept(table: Table) -> Iterator[str]:
    left_out = LEFT_OUT.get(table.name, ()) if table.of_the_system else ()
    return (name for name in table.columns if name not in left_out)


def _row(table: Table) -> sql.Composed:
    columns = sql.SQL(", ").join(
        sql.SQL(IN_PART.get((table.name, name), "t.{}")).format(sql.Identifier(name)) for name in _kept(table)
    )
    return sql.SQL("row({})::text").format(columns)


def _condition(table: Table) -> sql.SQL:
    return sql.SQL(_OF_THIS_DATABASE.get(table.name, "true") if table.of_the_system else "true")
