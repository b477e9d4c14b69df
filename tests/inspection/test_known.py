"""What the threat model leaves open: well, and named."""

from __future__ import annotations

from typing import Any

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ledger import notices
from ledger.core.model import Decision
from ledger.db import inspection
from ledger.db.inspection.notices import HANDFUL
from ledger.db.operation import Surface


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
            "create extension postgres_fdw; create server far foreign data wrapper postgres_fdw",
            "foreign servers",
            "far",
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


def decide(database: Any, who: str, notice: str) -> None:
    """As a raw login of the surface may: the application takes no version that is no file."""
    decided = (database.identity.principal(who), Decision.GRANTED, notice)
    database.surface(Surface.PRINCIPAL).execute("select ledger.own_decide_consent(%s, %s, %s, '{}')", decided)


def of_notices(database: Any, *files: str) -> list[tuple[str, bool, bool]]:
    found = inspection.notices.findings(database.conninfo, {*notices.versions(), *files})
    return [(one.seen, one.well, one.residue) for one in found]


def test_many_versions_of_the_notice_are_told_of_and_nobody_who_decided(database: Any) -> None:
    assert of_notices(database) == [("0", True, False), ("none", True, False)]
    files = ["v1", *(f"v2.{n}" for n in range(2, HANDFUL + 2))]
    for n in range(3):
        decide(database, f"person {n}", "v1")
    for notice in files[:HANDFUL]:
        decide(database, "ann", notice)  # an earlier decision counts like the one that stands
    assert of_notices(database, *files) == [(str(HANDFUL), True, False), ("none", True, False)]
    decide(database, "ben", files[HANDFUL])
    assert of_notices(database, *files) == [(str(HANDFUL + 1), True, True), ("none", True, False)]


def test_a_version_that_is_no_file_is_told_of_and_not_repeated(database: Any) -> None:
    decide(database, "ann", "v1")
    decide(database, "ann", "thread42")
    assert of_notices(database) == [("2", True, False), ("1", True, True)]
    found = inspection.notices.findings(database.conninfo, notices.versions())
    assert "thread42" not in repr(found)
    assert all(one.todo for one in found)


@pytest.mark.parametrize(("role", "seen"), [("ledger_custodian", "1"), ("pg_monitor", "not counted")])
def test_an_installer_that_is_no_superuser_counts_them_and_no_other_login(
    database: Any, role: str, seen: str
) -> None:
    decide(database, "ann", "v1")
    database.installer.execute(f"create role a_looker login password 'looks' in role {role}")
    try:
        there = conninfo_to_dict(database.conninfo) | {"user": "a_looker", "password": "looks"}
        found = inspection.notices.findings(make_conninfo(**there), notices.versions())
    finally:
        database.installer.execute("drop role a_looker")
    assert (found[0].seen, found[0].well, found[0].residue) == (seen, True, seen != "1")
