"""One server per data directory: the first process starts it, the last one stops it."""

from __future__ import annotations

import os
from pathlib import Path

import psycopg
import pytest
from servers import Hold, cluster_of, content, end, is_open, postmaster_of

from ledger.embedded import EmbeddedServer


def test_the_first_start_makes_a_database(tmp_path: Path) -> None:
    with (
        EmbeddedServer.open(tmp_path / "not" / "yet") as server,
        psycopg.connect(server.admin_conninfo()) as connection,
    ):
        assert connection.execute("select current_user, current_setting('is_superuser')").fetchone() == (
            "postgres",
            "on",
        )
        assert connection.execute("show server_version").fetchone() == (server.version,)


def test_the_next_start_finds_what_was_kept(data_dir: Path) -> None:
    with EmbeddedServer.open(data_dir) as server:
        assert content(server) == 7


def test_nothing_of_the_server_is_left_when_it_was_closed(data_dir: Path) -> None:
    with EmbeddedServer.open(data_dir):
        assert postmaster_of(data_dir)
    assert postmaster_of(data_dir) is None
    assert not (cluster_of(data_dir) / "postmaster.pid").exists()
    assert not (data_dir / "postgres" / "socket").exists()


def test_a_second_close_does_nothing(data_dir: Path) -> None:
    server = EmbeddedServer.open(data_dir)
    server.close()
    server.close()


def test_the_same_process_may_open_it_twice(data_dir: Path) -> None:
    first = EmbeddedServer.open(data_dir)
    second = EmbeddedServer.open(data_dir)
    first.close()
    assert content(second) == 7
    second.close()
    assert postmaster_of(data_dir) is None


def test_a_second_process_joins_and_the_last_one_stops_it(data_dir: Path, hold: Hold) -> None:
    with EmbeddedServer.open(data_dir):
        started = postmaster_of(data_dir)
        other = hold(data_dir)
        assert is_open(other)
        assert postmaster_of(data_dir) == started
    assert postmaster_of(data_dir) == started
    end(other)
    assert postmaster_of(data_dir) is None


def test_processes_that_race_at_the_first_start_share_one_server(tmp_path: Path, hold: Hold) -> None:
    racing = [hold(tmp_path) for _ in range(3)]
    assert all(map(is_open, racing))
    for process in racing:
        assert postmaster_of(tmp_path)
        end(process)
    assert postmaster_of(tmp_path) is None


def test_a_forked_child_neither_stops_the_server_nor_keeps_it(data_dir: Path) -> None:
    server = EmbeddedServer.open(data_dir)
    child = os.fork()
    if child == 0:
        server.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert content(server) == 7

    lasting = os.fork()
    if lasting == 0:
        os.read(os.pipe()[0], 1)
    try:
        server.close()
        assert postmaster_of(data_dir) is None
    finally:
        os.kill(lasting, 9)
        os.waitpid(lasting, 0)


@pytest.mark.parametrize(
    "name", ["a name with blanks", "with'quote$and`tick", "komma,", "größe", "deep" * 25]
)
def test_any_path_will_do(template: Path, tmp_path: Path, name: str) -> None:
    data_dir = tmp_path / name
    template.rename(data_dir)
    try:
        with EmbeddedServer.open(data_dir) as server, EmbeddedServer.open(data_dir) as second:
            assert content(server) == content(second) == 7
            socket = Path(psycopg.conninfo.conninfo_to_dict(server.admin_conninfo())["host"])
            assert socket.stat().st_mode & 0o777 == 0o700
        assert not socket.exists()
    finally:
        data_dir.rename(template)


def test_its_repr_holds_no_secret(data_dir: Path) -> None:
    with EmbeddedServer.open(data_dir) as server:
        secret = (data_dir / "postgres" / "superuser.secret").read_text()
        assert secret in server.admin_conninfo()
        assert secret not in repr(server)
