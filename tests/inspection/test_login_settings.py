"""Settings that a login has beyond its own, whatever their names, and those that stop the service."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.db import inspection, migrations

ABOUT = "settings of the ledger's logins"


@pytest.fixture
def name(database: Any) -> str:
    found: str = database.rows("select current_database()")[0][0]
    return found


@pytest.mark.parametrize(
    ("role", "setting"),
    [
        ("ledger_agent", "row_security = off"), ("ledger_agent", "search_path = pg_temp"),
        ("ledger_agent", "application_name = 'me'"), ("ledger_agent", "note.kept = 'x'"),
        ("ledger_capture", "log_statement = 'all'"), ("ledger_capture", "statement_timeout = 1"),
        ("ledger_capture", "default_transaction_isolation = 'serializable'"),
        ("ledger_operator", "default_transaction_read_only = on"), ("ledger_principal", "idle_session_timeout = 1"),
        ("ledger_sweeper", "vacuum_cost_delay = 100"), ("ledger_sweeper", "extra_float_digits = 0"),
        ("ledger_writer", "work_mem = '64kB'"), ("ledger_owner", "DateStyle = 'German'"), ("ledger_agent", "jit = on"),
    ],
)  # fmt: skip
def test_a_role_with_a_setting_beyond_its_own_is_found(
    database: Any, name: str, role: str, setting: str, mended: Any
) -> None:
    database.installer.execute(f"alter role {role} in database {name} set {setting}")
    assert mended(ABOUT) == f"{role}: {setting.split()[0]}"


@pytest.mark.parametrize(
    ("change", "seen"),
    [
        ("set lock_timeout = 1", "ledger_capture: lock_timeout"),
        ("set jit = on", "ledger_capture: jit"),
        ("reset timezone", "ledger_capture: TimeZone is missing"),
        (
            "set idle_in_transaction_session_timeout = 0",
            "ledger_capture: idle_in_transaction_session_timeout",
        ),
    ],
)
def test_one_in_every_database_is_found_too_and_migrate_puts_it_back(
    database: Any, change: str, seen: str, mended: Any
) -> None:
    try:
        for _ in range(2):
            database.installer.execute(f"alter role ledger_capture {change}")
            assert mended(ABOUT) == seen
        database.installer.execute(f"alter role ledger_capture {change}")
    finally:
        migrations.migrate(database.conninfo, database.passwords, ("no",))
    assert [one.about for one in inspection.findings(database.conninfo) if not one.well] == []


def test_migrate_takes_away_what_a_login_gave_itself_in_this_database(database: Any, name: str) -> None:
    for role in ("ledger_operator", "ledger_registrar"):
        database.installer.execute(f"alter role {role} in database {name} set statement_timeout = 1")
    migrations.migrate(database.conninfo, database.passwords, ("no",))
    assert [one.about for one in inspection.findings(database.conninfo) if not one.well] == []


STOPS = [
    "statement_timeout = 1", "statement_timeout = '30s'", "lock_timeout = 1", "idle_session_timeout = '1s'",
    "default_transaction_isolation = 'repeatable read'", "default_transaction_read_only = on",
    "default_transaction_deferrable = on", "row_security = off", "transaction_timeout = '1s'",
]  # fmt: skip


@pytest.mark.parametrize("setting", STOPS)
def test_a_setting_of_the_database_that_stops_the_service_is_found(
    database: Any, name: str, setting: str, mended: Any
) -> None:
    database.installer.execute(f"alter database {name} set {setting}")
    assert mended("settings of the server").startswith(setting.split()[0])


def test_one_of_the_server_or_of_everybody_is_found(database: Any, wheel_server: Any, mended: Any) -> None:
    try:
        wheel_server.tune("default_transaction_isolation", "serializable")
        assert mended("settings of the server") == "default_transaction_isolation = serializable"
        database.installer.execute("alter role all set lock_timeout = 1")
        assert mended("settings of the server") == "lock_timeout = 1"
    finally:
        wheel_server.tune("default_transaction_isolation", None)
        database.installer.execute("alter role all reset all")


@pytest.mark.parametrize("setting", ["statement_timeout = '10min'", "lock_timeout = '5s'"])
def test_one_that_leaves_time_enough_is_well(database: Any, name: str, setting: str) -> None:
    database.installer.execute(f"alter database {name} set {setting}")
    assert [one.about for one in inspection.findings(database.conninfo) if not one.well] == []
