"""Everything that a database holds: every table, every column, and the transaction that wrote each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import psycopg
from psycopg import sql
from rich import box
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from ledger.db import expected

SHIPPED = "bare_form"  # the one table that is told and not shown: the release's own data


def show(console: Console, conninfo: str) -> None:
    """Prints the tables that have rows, that of answers first, then the names of those that have none."""
    empty = []
    with psycopg.connect(conninfo, autocommit=True) as connection:
        for name, columns in {"entry": expected.COLUMNS["entry"], **expected.COLUMNS}.items():
            query = sql.SQL("select xmin::text, * from ledger.{} order by 2").format(sql.Identifier(name))
            rows = connection.execute(query).fetchall()
            if not rows:
                empty.append(name)
            elif name == SHIPPED:
                some = ", ".join(repr(row[1]) for row in rows[:: len(rows) // 3])
                console.print(
                    f"[bold]{name}[/]: comes with the release, the same in every ledger: {len(rows):,} forms, "
                    f"such as {escape(some)}\n",
                )
            else:
                _rows(console, name, ("xmin", *columns), rows)
    console.print(f"empty: {', '.join(empty)}")


def _rows(console: Console, name: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> None:
    """A table; where it is too wide for the terminal, a line a value. Nothing is cut off."""
    used = [at for at in range(len(columns)) if any(row[at] is not None for row in rows)]
    unused = [column for at, column in enumerate(columns) if at not in used]
    console.print(f"[bold]{name}[/]" + (f" ({', '.join(unused)}: empty)" if unused else ""))
    wide = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    least = {at: max(len(columns[at]), *(_least(row[at]) for row in rows)) for at in used}
    for at in used:
        wide.add_column(columns[at], overflow="fold", min_width=least[at])
    for row in rows:
        wide.add_row(*(_written(row[at]) for at in used))
    if 1 + sum(least.values()) + 2 * len(used) <= console.width:
        console.print(wide)
        return
    tall = Table.grid(padding=(0, 1))
    for row in rows:
        for at in used:
            tall.add_row("", columns[at], _written(row[at]))
        tall.add_row()
    console.print(tall)


def _least(value: Any) -> int:
    """How many characters a column needs at the least: days and numbers stay on one line, words may be folded."""
    return min(len(_written(value)), 12) if not isinstance(value, str) else 0


def _written(value: Any) -> str:
    return escape("" if value is None else str(value))
