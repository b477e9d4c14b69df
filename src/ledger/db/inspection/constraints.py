"""The constraints and defaults of a live database, each held against the tables of this release.

A CHECK and a default may call functions: with each row that is written, a copy of it may go anywhere. A default may be a clock, a
counter, or a number drawn for each row.

Source: PostgreSQL, sections 5.2 to 5.5 (defaults, constraints) and 53.13 (pg_constraint); schema/02_tables.sql.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from ledger.db.inspection.finding import Finding, Query, none
from ledger.db.inspection.released import in_short
from ledger.db.migrations import schema_folder


@dataclass(slots=True)
class Declared:
    """What the schema says of one table: its constraints in short -> as they are written; column -> default; the columns that may be null."""

    constraints: dict[str, str] = field(default_factory=dict)
    defaults: dict[str, str] = field(default_factory=dict)
    nullable: set[str] = field(default_factory=set)


@cache
def _schema() -> str:
    return "\n".join(path.read_text("utf-8") for path in sorted(schema_folder().glob("[0-9]*.sql")))


@cache
def declared() -> dict[str, Declared]:
    """What the schema says of each table, `version` among them, which the runner of migrations makes."""
    text = re.sub(r"--.*", "", _schema())
    found = {
        table: _declared(body)
        for table, body in re.findall(r"create table ledger\.(\w+) \((.*?)\n\);", text, re.S)
    }
    found["version"] = Declared({in_short("primary key (version_num)"): "primary key (version_num)"})
    return found


def _declared(body: str) -> Declared:
    table = Declared()
    keys = re.findall(r"\n  primary key \(.*?\)", body)
    for name, rest in re.findall(r"\n  (?!primary key|check)(\w+)\s+(.*)", body):
        if "primary key" in rest:
            keys.append(f"primary key ({name})")
        elif "not null" not in rest:
            table.nullable.add(name)
        if given := re.search(r"\bdefault ('[^']*'|\w+)", rest):
            table.defaults[name] = given[1]
    for written in [*map(str.strip, keys), *_checks(body)]:
        table.constraints[in_short(_spelled_out(written))] = " ".join(written.split())
    return table


def _checks(body: str) -> Iterator[str]:
    """Each `check (...)`, up to the parenthesis that closes it; those inside of a string do not count."""
    for start in re.finditer(r"\bcheck \(", body):
        depth = 0
        for part in re.finditer(r"'[^']*'|[()]", body[start.start() :]):
            depth += {"(": 1, ")": -1}.get(part[0], 0)
            if depth == 0:
                yield body[start.start() : start.start() + part.end()]
                break


def _spelled_out(check: str) -> str:
    """`between` as the server writes it."""
    return re.sub(r"([\w()]+) between (\d+) and (\d+)", r"\1 >= \2 and \1 <= \3", check)


def constraints(rows: Query) -> Iterator[Finding]:
    there: dict[tuple[str, str], tuple[str, str]] = {}
    extra = []
    for table, name, written in rows(
        """select c.relname, k.conname, pg_get_constraintdef(k.oid)
             from pg_constraint k join pg_class c on c.oid = k.conrelid
            where c.relnamespace = 'ledger'::regnamespace and k.contype not in ('n', 'f')"""
    ):
        key = (table, in_short(written))
        if key in there or key[1] not in declared().get(table, Declared()).constraints:
            extra.append((f"{table}: {written}", f'alter table ledger.{table} drop constraint "{name}";'))
        there[key] = (name, written)
    missing = [
        (f"{table}: {written} is missing", f"alter table ledger.{table} add {written};")
        for table, what in declared().items()
        for short, written in what.constraints.items()
        if (table, short) not in there
    ]
    yield none(
        "constraints other than those of this release",
        [*extra, *missing],
        "find out who changed them: a constraint may call a function with each row",
    )
    null = set(rows(
        """select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace = 'ledger'::regnamespace and c.relkind in ('r', 'p') and a.attnum > 0
              and not a.attisdropped and not a.attnotnull"""
    ))  # fmt: skip
    yield none(
        "nullable columns, where a value has to be",
        [
            (f"{table}.{name}", f"alter table ledger.{table} alter column {name} set not null;")
            for table, name in null
            if table in declared() and name not in declared()[table].nullable
        ],
        "find out who changed them",
    )


def defaults(rows: Query) -> Iterator[Finding]:
    there = {
        (table, name): written
        for table, name, written in rows(
            """select c.relname, a.attname, pg_get_expr(d.adbin, d.adrelid)
                 from pg_attrdef d join pg_class c on c.oid = d.adrelid
                 join pg_attribute a on a.attrelid = d.adrelid and a.attnum = d.adnum
                where c.relnamespace = 'ledger'::regnamespace and c.relkind in ('r', 'p')"""
        )
    }
    ours = {(table, name): to for table, what in declared().items() for name, to in what.defaults.items()}
    wrong = []
    for table, name in there.keys() | ours.keys():
        is_, to = there.get((table, name), ""), ours.get((table, name), "")
        if in_short(is_) != in_short(to):
            mending = f"set default {to}" if to else "drop default"
            wrong.append(
                (
                    f"{table}.{name}: {is_ or 'none'}",
                    f"alter table ledger.{table} alter column {name} {mending};",
                )
            )
    yield none(
        "defaults other than those of this release",
        wrong,
        "find out who changed them: a default may be a clock or a counter, or call a function with each row",
    )


def indexes(rows: Query) -> Iterator[Finding]:
    """An index is known by its name (`catalog.hangers_on`); here it is of what it is to be of."""
    ours = {
        name: in_short(f"on {table} {columns}")
        for name, table, columns in re.findall(r"create index (\w+) on (ledger\.\w+) (.*?);", _schema())
    }
    wrong = [
        (f"{name}: {written}", f"drop index ledger.{name};")
        for name, written in rows(
            """select x.relname, pg_get_indexdef(i.indexrelid) from pg_index i join pg_class x on x.oid = i.indexrelid
                where x.relnamespace = 'ledger'::regnamespace and not i.indisprimary"""
        )
        if name in ours
        and in_short(re.sub(r"^.*? (on ledger\.\w+) using btree", r"\1", written, flags=re.I)) != ours[name]
    ]
    yield none(
        "indexes of other columns than in this release",
        wrong,
        "create them anew from schema/02_tables.sql: an index of an expression keeps its values",
    )


LOOKS = (constraints, defaults, indexes)
