"""One server per data directory: the first process starts it, the last one stops it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
from servers import Hold, cluster_of, content, end, is_open, postmaster_of

from ledger.embedded import EmbeddedServer, locks


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


def forked(first: Callable[[], object], last: Callable[[], object] = lambda: None) -> tuple[int, int]:
    """A child that has done the first thing, and does the last when it is let end."""
    ready, tell = os.pipe()
    wait, end = os.pipe()
    child = os.fork()
    if child == 0:
        with suppress(BaseException):
            os.close(end)
            first()
            os.write(tell, b"!")
            os.read(wait, 1)
            last()
            os._exit(0)
        os._exit(1)
    os.close(wait)
    os.close(tell)
    assert os.read(ready, 1) == b"!"
    os.close(ready)
    return child, end


def let_end(child: int, end: int) -> None:
    os.close(end)
    assert os.waitpid(child, 0)[1] == 0


def test_a_forked_child_that_joins_keeps_the_server_until_it_closes_it_too(data_dir: Path) -> None:
    server = EmbeddedServer.open(data_dir)
    started = postmaster_of(data_dir)

    def join() -> None:
        assert server.inherited
        server.ensure_running()
        assert not server.inherited

    child = forked(join, server.close)
    server.close()
    assert postmaster_of(data_dir) == started
    let_end(*child)
    assert postmaster_of(data_dir) is None


@pytest.mark.parametrize("name", ["data", "deep" * 25])
def test_a_forked_child_whose_parent_has_closed_starts_the_server_where_it_was(
    data_dir: Path, name: str
) -> None:
    data_dir = data_dir.rename(data_dir.with_name(name))
    server = EmbeddedServer.open(data_dir)
    known = server.admin_conninfo()

    def use() -> None:
        server.ensure_running()
        assert (server.admin_conninfo(), content(server)) == (known, 7)
        server.close()

    child = forked(lambda: None, use)
    server.close()
    assert postmaster_of(data_dir) is None
    let_end(*child)
    assert postmaster_of(data_dir) is None


LEAVING_A_CHILD = """
import os, signal, sys
from pathlib import Path
from ledger.embedded import EmbeddedServer
server = EmbeddedServer.open(Path(sys.argv[1]))
if os.fork() == 0:
    sys.stdin.readline()
    sys.exit()
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_child_of_a_killed_parent_holds_nothing_of_the_server(data_dir: Path) -> None:
    process = subprocess.Popen([sys.executable, "-c", LEAVING_A_CHILD, data_dir], stdin=subprocess.PIPE)
    process.wait()
    with EmbeddedServer.open(data_dir) as joined:
        assert content(joined) == 7
    assert postmaster_of(data_dir) is None
    process.communicate()  # the child, which lived until now


def test_a_child_forked_while_a_server_is_started_does_not_hold_its_lock(tmp_path: Path) -> None:
    path = tmp_path / "server.lock"
    handle = locks.try_exclusive(path)
    assert handle is not None
    child = forked(lambda: None)
    locks.leave(handle)
    assert locks.is_free(path)
    let_end(*child)


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
