"""The server's settings: durable, and silent about what was asked, by whom and when."""

from __future__ import annotations

import os
import signal
import threading
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from servers import content, until

from ledger.embedded import EmbeddedServer
from ledger.embedded.configuration import MAX_CONNECTIONS

WANTED = {
    "listen_addresses": "",
    "max_connections": str(MAX_CONNECTIONS),
    "shared_buffers": "64MB",
    "server_encoding": "UTF8",
    "data_checksums": "on",
    "jit": "off",
    "fsync": "on",
    "full_page_writes": "on",
    "synchronous_commit": "on",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "archive_mode": "off",
    "wal_recycle": "off",
    "wal_segment_size": "1MB",
    "max_wal_size": "32MB",
    "track_commit_timestamp": "off",
    "track_activities": "off",
    "update_process_title": "off",
    "logging_collector": "off",
    "log_min_messages": "fatal",
    "log_min_error_statement": "panic",
    "log_line_prefix": "",
    "log_statement": "none",
    "log_duration": "off",
    "log_min_duration_statement": "-1",
    "log_min_duration_sample": "-1",
    "log_parameter_max_length": "0",
    "log_parameter_max_length_on_error": "0",
    "log_disconnections": "off",
    "log_checkpoints": "off",
    "log_lock_waits": "off",
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
}
OTHERS = sorted(path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb"))


def settings_of(server: EmbeddedServer) -> dict[str, str]:
    with psycopg.connect(server.admin_conninfo()) as connection:
        return {name: connection.execute(f"show {name}").fetchone()[0] for name in WANTED}  # type: ignore[index]


def test_the_settings_are_in_force(data_dir: Path) -> None:
    with EmbeddedServer.open(data_dir) as server:
        assert settings_of(server) == WANTED


def test_they_are_in_force_again_after_somebody_edited_the_file(data_dir: Path) -> None:
    (data_dir / "postgres" / "cluster" / "postgresql.conf").write_text("fsync = off\nlog_statement = all\n")
    with EmbeddedServer.open(data_dir) as server:
        assert settings_of(server) == WANTED


@pytest.mark.skipif(not OTHERS, reason="no other PostgreSQL is installed here")
def test_an_older_server_takes_them_too(tmp_path: Path) -> None:
    for folder in OTHERS:
        with EmbeddedServer.open(tmp_path / folder.parent.name, pg_bin=folder) as server:
            assert settings_of(server) == WANTED
            assert server.version.startswith(folder.parent.name)


def test_the_log_tells_nothing_of_statements_that_failed(data_dir: Path) -> None:
    log = data_dir / "postgres" / "server.log"
    with (
        EmbeddedServer.open(data_dir) as server,
        psycopg.connect(server.admin_conninfo(), autocommit=True) as connection,
    ):
        for query, values in (
            ("select 'private words'::date", ()),
            ("select %s::text::date", ("private words",)),
            ("do $$ begin raise exception 'private words'; end $$", ()),
            ("do $$ begin raise log 'private words'; end $$", ()),
            ("selekt 'private words'", ()),
        ):
            with suppress(psycopg.Error):
                connection.execute(query, values)
    assert log.read_text() == ""


def test_the_log_tells_nothing_of_a_statement_that_a_crash_cut_off(data_dir: Path) -> None:
    with EmbeddedServer.open(data_dir) as server:
        connection = psycopg.connect(server.admin_conninfo())

        def run() -> None:
            with suppress(psycopg.OperationalError):
                connection.execute("select pg_sleep(30), 'private words'")

        running = threading.Thread(target=run)
        running.start()
        os.kill(connection.info.backend_pid, signal.SIGKILL)
        running.join(timeout=10)
        connection.close()

        def recovered() -> bool:
            with suppress(psycopg.OperationalError):
                return content(server) == 7
            return False

        until(recovered)
    said = (data_dir / "postgres" / "server.log").read_text()
    assert "private" not in said
    assert not any(character.isdigit() for character in said), "an instant or a process"


def test_the_log_is_begun_anew_at_each_start(data_dir: Path) -> None:
    log = data_dir / "postgres" / "server.log"
    log.write_text("old\n" * 1000)
    log.chmod(0o600)
    with EmbeddedServer.open(data_dir):
        assert log.read_text() == ""


def test_deleted_content_leaves_the_write_ahead_log_with_a_checkpoint(data_dir: Path) -> None:
    wal = data_dir / "postgres" / "cluster" / "pg_wal"
    words = b"words that are to be gone"
    with (
        EmbeddedServer.open(data_dir) as server,
        psycopg.connect(server.admin_conninfo(), autocommit=True) as connection,
    ):
        connection.execute("create table said (answer text)")
        connection.execute("insert into said values (%s)", (words.decode(),))
        assert any(words in path.read_bytes() for path in wal.iterdir() if path.is_file())
        connection.execute("delete from said")
        for _ in range(3):
            connection.execute("select pg_switch_wal()")
            connection.execute("checkpoint")
        assert not any(words in path.read_bytes() for path in wal.iterdir() if path.is_file())
