"""What a raw login may call of the server's own functions was looked at, one by one: a deny-list by name forgets sisters.

`open_functions.txt` lists every function of pg_catalog that is not immutable and that a surface may execute, each with
the versions that have it. Whoever adds a line says that it tells nothing of what is written, when, or for whom. Written
by: python tests/isolation/test_open_functions.py CONNINFO... > tests/isolation/open_functions.txt
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger.db import expected

PAGE = Path(__file__).with_name("open_functions.txt")

_OPEN = """
select distinct format('%%s(%%s)', p.proname, oidvectortypes(p.proargtypes)) collate "C"
  from pg_proc p, unnest(%s::text[]) as surface
 where p.pronamespace = 'pg_catalog'::regnamespace and p.provolatile <> 'i'
   and has_function_privilege(surface, p.oid, 'execute')
 order by 1
"""


def open_to_surfaces(connection: psycopg.Connection[Any]) -> set[str]:
    return {name for (name,) in connection.execute(_OPEN, (list(expected.SURFACES),)).fetchall()}


def reviewed() -> dict[str, set[str]]:
    """Version -> functions."""
    found: dict[str, set[str]] = {}
    for line in PAGE.read_text("utf-8").splitlines():
        versions, _, function = line.partition(": ")
        for version in versions.split():
            found.setdefault(version, set()).add(function)
    return found


def test_every_function_that_a_surface_may_call_was_looked_at(any_database: Any) -> None:
    there = open_to_surfaces(any_database.installer)
    by_version = reviewed()
    known = set().union(*by_version.values())
    assert sorted(there - by_version.get(version_of(any_database.installer), known)) == []


def test_the_list_holds_nothing_that_is_not_there(any_database: Any) -> None:
    listed = reviewed().get(version_of(any_database.installer), set())
    assert sorted(listed - open_to_surfaces(any_database.installer)) == []


@pytest.mark.parametrize(
    "function",
    [
        "pg_available_wal_summaries()", "pg_wal_summary_contents(bigint, pg_lsn, pg_lsn)", "pg_get_wal_summarizer_state()",
        "pg_xact_commit_timestamp_origin(xid)", "pg_isolation_test_session_is_blocked(integer, integer[])",
    ],
)  # fmt: skip
def test_what_tells_which_pages_were_written_and_when_or_who_waits_is_not_open(
    any_database: Any, function: str
) -> None:
    assert function not in open_to_surfaces(any_database.installer)


def test_a_function_that_is_opened_would_be_noticed(any_database: Any) -> None:
    before = open_to_surfaces(any_database.installer)
    any_database.installer.execute("grant execute on function pg_lock_status() to public")
    assert open_to_surfaces(any_database.installer) - before == {"pg_lock_status()"}


def version_of(connection: psycopg.Connection[Any]) -> str:
    return str(connection.info.server_version // 10_000)


def main(conninfos: list[str]) -> None:
    versions: dict[str, list[str]] = {}
    for conninfo in conninfos:
        with psycopg.connect(conninfo) as connection:
            for function in open_to_surfaces(connection):
                versions.setdefault(function, []).append(version_of(connection))
    for function in sorted(versions):
        print(f"{' '.join(sorted(versions[function]))}: {function}")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
