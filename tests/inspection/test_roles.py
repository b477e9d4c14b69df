"""Roles and raw logins: one that has become too strong, or gave itself settings; who may look."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from ledger.db import inspection


@pytest.mark.parametrize(
    ("damage", "mending", "about"),
    [
        (
            "alter role ledger_writer bypassrls",
            "alter role ledger_writer nobypassrls",
            "roles of the ledger that row-level",
        ),
        (
            "alter role ledger_custodian replication",
            "alter role ledger_custodian noreplication",
            "roles of the ledger that row-level",
        ),
        ("alter role ledger_owner login", "alter role ledger_owner nologin", "owner and definers"),
        (
            "grant ledger_writer to ledger_registrar",
            "revoke ledger_writer from ledger_registrar",
            "roles of the ledger that belong",
        ),
        ("grant ledger_writer to a_guest", "revoke ledger_writer from a_guest", "who else may become"),
    ],
    ids=lambda value: value if " " in value else None,
)
def test_a_role_that_has_become_too_strong_is_found(
    database: Any, damage: str, mending: str, about: str
) -> None:
    """Roles are of the whole server, so each is put back to what it was."""
    database.installer.execute("create role a_guest")
    try:
        database.installer.execute(damage)
        (found,) = [one for one in inspection.findings(database.conninfo) if one.about.startswith(about)]
        (command,) = found.commands
        assert not found.well
        database.installer.execute(command)
        assert [one.about for one in inspection.findings(database.conninfo) if not one.well] == []
    finally:
        database.installer.execute(mending)
        database.installer.execute("drop role a_guest")


def test_a_login_that_is_no_superuser_can_look_too(database: Any) -> None:
    """Managed servers have no superuser to give away."""
    database.installer.execute("create role a_looker login password 'looks'")
    try:
        there = psycopg.conninfo.conninfo_to_dict(database.conninfo) | {
            "user": "a_looker",
            "password": "looks",
        }
        found = inspection.findings(psycopg.conninfo.make_conninfo(**there))
    finally:
        database.installer.execute("drop role a_looker")
    assert [one.about for one in found if not one.well] == []
