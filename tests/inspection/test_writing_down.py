"""What the server writes down: settings of the server, of a database and of a role, libraries, the write-ahead log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from ledger.db import inspection, logins, migrations
from ledger.embedded import EmbeddedServer
from ledger.passwords import Passwords


def leaks(database: Any) -> dict[str, str]:
    """What a look at the database finds to leak: what it is, and what was seen of it."""
    return {one.about: one.seen for one in inspection.findings(database.conninfo) if not one.well}


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("log_statement", "all"),
        ("log_min_duration_statement", "0"),
        ("log_min_error_statement", "error"),
        ("log_parameter_max_length", "100"),
        ("log_parameter_max_length_on_error", "100"),
    ],
)
def test_a_setting_that_leaks_is_found(database: Any, setting: str, value: str, mended: Any) -> None:
    name = database.rows("select current_database()")[0][0]
    database.installer.execute(f"alter database {name} set {setting} = '{value}'")
    assert mended(setting) == value


def test_a_library_that_explains_statements_is_found_where_it_is_on(database: Any) -> None:
    name = database.rows("select current_database()")[0][0]
    database.installer.execute(f"alter database {name} set session_preload_libraries = 'auto_explain'")
    assert leaks(database) == {}, "loaded, and off"
    database.installer.execute(f"alter database {name} set auto_explain.log_min_duration = 0")
    assert set(leaks(database)) == {"the library auto_explain"}


# ── A server whose owner has set it up to remember ───────────────────────────────────────────────

REMEMBERING = {
    "log_line_prefix": "%m %a ", "log_connections": "on", "log_disconnections": "on", "log_duration": "on",
    "log_min_messages": "warning", "log_min_error_statement": "error", "log_statement": "mod", "log_lock_waits": "on",
    "log_min_duration_sample": "100", "log_transaction_sample_rate": "0.5", "debug_print_plan": "on",
    "debug_print_parse": "on", "debug_print_rewritten": "on", "track_commit_timestamp": "on", "archive_mode": "on",
    "wal_level": "logical", "summarize_wal": "on",
}  # fmt: skip
KEEPING = {
    "shared_preload_libraries": "pg_stat_statements, auto_explain", "auto_explain.log_min_duration": "0",
    "archive_command": "false", "max_wal_senders": "2", "wal_recycle": "on", "wal_keep_size": "16",
    "logging_collector": "on",
}  # fmt: skip


@pytest.fixture(scope="module")
def remembering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The installer's connection string of a ledger on a server that logs, archives and counts."""
    folder = tmp_path_factory.mktemp("remembering")
    with (
        EmbeddedServer.open(folder) as server,
        psycopg.connect(server.admin_conninfo(), autocommit=True) as admin,
    ):
        for name, value in (REMEMBERING | KEEPING).items():
            quoted = value if name == "shared_preload_libraries" else f"'{value}'"
            if name.startswith("auto_explain"):
                admin.execute("load 'auto_explain'")
            admin.execute(f"alter system set {name} = {quoted}")
    with EmbeddedServer.open(folder) as server:
        conninfo = server.admin_conninfo()
        migrations.migrate(conninfo, Passwords.new(logins.ROLES), ())
        with psycopg.connect(conninfo, autocommit=True) as admin:
            admin.execute("select pg_create_physical_replication_slot('held', true)")
            admin.execute("select pg_create_logical_replication_slot('read', 'pgoutput')")
        yield conninfo


def test_everything_that_such_a_server_remembers_is_found(remembering: str) -> None:
    found = {one.about: one for one in inspection.findings(remembering) if not one.well}
    assert set(found) == {
        *REMEMBERING, "the library auto_explain", "the library pg_stat_statements", "slots that hold the write-ahead log back",
    }  # fmt: skip
    assert found["slots that hold the write-ahead log back"].seen == (
        "held (physical, not in use), read (logical, not in use)"
    )
    assert all(one.todo for one in found.values())
    assert (
        "alter system set log_line_prefix = '%m [%p] '; select pg_reload_conf();"
        in found["log_line_prefix"].commands
    )


def test_what_keeps_the_log_longer_is_known(remembering: str) -> None:
    (one,) = [one for one in inspection.findings(remembering) if one.about.startswith("what keeps")]
    assert (one.well, one.residue, one.seen) == (True, True, "wal_keep_size = 16MB, wal_recycle = on")
