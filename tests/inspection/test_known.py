"""What the threat model leaves open: well, and named."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.db import inspection


@pytest.mark.parametrize(
    ("change", "about", "seen"),
    [
        ("select lo_from_bytea(0, 'left behind')", "large objects", "postgres: 1"),
        (
            "create role a_reader in role pg_read_all_data",
            "who reads every row",
            "a_reader (pg_read_all_data)",
        ),
        (
            "grant temporary on database {} to ledger_agent",
            "logins that may make temporary tables",
            "ledger_agent",
        ),
        ("grant execute on function lo_create(oid) to public", "functions by which", "lo_create"),
        ("alter event trigger ledger_columns_closed disable", "event trigger", "there is none"),
        (
            "create or replace function ledger.today() returns date language sql stable return date '2026-09-01'",
            "clock other",
            "ledger.today()",
        ),
        ("grant select on pg_stat_all_tables to public", "views of statistics", "pg_stat_all_tables"),
    ],
    ids=lambda value: value if " " in value else None,
)
def test_what_the_threat_model_leaves_open_is_known_and_no_leak(
    database: Any, change: str, about: str, seen: str
) -> None:
    try:
        database.installer.execute(change.format(database.rows("select current_database()")[0][0]))
        found = inspection.findings(database.conninfo)
    finally:
        database.installer.execute("drop role if exists a_reader")
    (one,) = [one for one in found if one.about.startswith(about)]
    assert (one.well, one.residue) == (True, True)
    assert seen in one.seen and one.todo
    assert all(other.well for other in found)
