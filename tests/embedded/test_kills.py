"""Whatever is killed, the next start finds all that was acknowledged, and nothing that runs is disturbed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
from servers import (
    HOLD,
    Hold,
    cluster_of,
    content,
    end,
    is_open,
    kill_all,
    postmaster_of,
    processes_of,
    until,
    with_proc,
)

from ledger.embedded import EmbeddedServer, server


def test_a_server_whose_owners_were_killed_is_joined_and_then_stopped(data_dir: Path, hold: Hold) -> None:
    killed = [hold(data_dir), hold(data_dir)]
    assert all(map(is_open, killed))
    before = postmaster_of(data_dir)
    for process in killed:
        process.kill()
        process.wait()
    with EmbeddedServer.open(data_dir) as joined:
        assert postmaster_of(data_dir) == before
        assert content(joined) == 7
    assert postmaster_of(data_dir) is None


def test_an_owner_that_was_killed_does_not_keep_the_others_from_stopping_it(
    data_dir: Path, hold: Hold
) -> None:
    killed, other = hold(data_dir), hold(data_dir)
    assert is_open(killed)
    assert is_open(other)
    killed.kill()
    killed.wait()
    end(other)
    assert postmaster_of(data_dir) is None


@with_proc
def test_when_everything_was_killed_all_that_was_committed_is_there(data_dir: Path, hold: Hold) -> None:
    owner = hold(data_dir)
    assert is_open(owner)
    with EmbeddedServer.open(data_dir) as shared, psycopg.connect(shared.admin_conninfo()) as connection:
        connection.execute("update kept set n = 8")
        connection.commit()
        owner.kill()
        kill_all(data_dir)
    with EmbeddedServer.open(data_dir) as restarted:
        assert content(restarted) == 8


@with_proc
def test_a_process_left_by_a_killed_postmaster_does_not_block_the_start(data_dir: Path) -> None:
    first = EmbeddedServer.open(data_dir)
    with psycopg.connect(first.admin_conninfo()) as connection:
        backend = connection.info.backend_pid
        # Stopped, it can't notice that its postmaster is gone.
        os.kill(backend, signal.SIGSTOP)
        postmaster = postmaster_of(data_dir)
        assert postmaster
        os.kill(postmaster, signal.SIGKILL)
        until(lambda: processes_of(data_dir) == [backend])
        with EmbeddedServer.open(data_dir) as second:
            assert content(second) == 7
            assert backend not in processes_of(data_dir)
    first.close()


@with_proc
@pytest.mark.parametrize("pid", ["a stranger", "a zombie", "nobody", "nonsense"])
def test_a_pid_file_that_names_no_server_of_ours_does_not_block_the_start(data_dir: Path, pid: str) -> None:
    running = EmbeddedServer.open(data_dir)
    lock = cluster_of(data_dir) / "postmaster.pid"
    lines = lock.read_text().splitlines()
    kill_all(data_dir)
    until(lambda: not processes_of(data_dir))

    zombie = subprocess.Popen(["true"])
    named = {"a stranger": os.getpid(), "a zombie": zombie.pid, "nobody": 2**22 - 1, "nonsense": "x"}[pid]
    until(lambda: "Z" in Path(f"/proc/{zombie.pid}/stat").read_text())
    lock.write_text("\n".join([str(named), *lines[1:]]))

    with EmbeddedServer.open(data_dir) as restarted:
        assert content(restarted) == 7
    running.close()
    zombie.wait()


@pytest.mark.parametrize("after_s", [0.05, 0.4])
def test_a_first_start_killed_in_the_middle_is_made_anew(tmp_path: Path, after_s: float) -> None:
    starting = subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL
    )
    until((tmp_path / "postgres" / "cluster.new").exists)
    time.sleep(after_s)
    starting.kill()
    starting.wait()
    with EmbeddedServer.open(tmp_path):
        assert postmaster_of(tmp_path)
        assert not (tmp_path / "postgres" / "cluster.new").exists()
        assert not (tmp_path / "postgres" / "password.new").exists()


def test_no_password_lies_about_once_the_database_has_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever is killed right behind the renaming is never asked to clear up.
    lies_about = []
    rename = Path.rename

    def watched(self: Path, target: Path) -> Path:
        lies_about.append((self.parent / "password.new").exists())
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", watched)
    with EmbeddedServer.open(tmp_path):
        assert lies_about == [False]


def test_what_a_killed_first_start_left_is_never_taken_for_a_database(tmp_path: Path) -> None:
    draft = tmp_path / "postgres" / "cluster.new"
    draft.mkdir(parents=True)
    draft.parent.chmod(0o700)
    (draft / "PG_VERSION").write_text("18\n")
    with EmbeddedServer.open(tmp_path):
        assert not draft.exists()


def test_a_server_that_does_not_stop_in_order_is_stopped_at_once(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "STOP_S", 0.5)
    with EmbeddedServer.open(data_dir) as running, psycopg.connect(running.admin_conninfo()) as connection:
        backend = connection.info.backend_pid
        os.kill(backend, signal.SIGSTOP)
    assert postmaster_of(data_dir) is None
    with EmbeddedServer.open(data_dir) as restarted:
        assert content(restarted) == 7


@with_proc
@pytest.mark.parametrize("name", ["data", "deep" * 25])
def test_its_owners_can_start_it_again_and_know_how_to_reach_it(data_dir: Path, name: str) -> None:
    data_dir = data_dir.rename(data_dir.with_name(name))
    with EmbeddedServer.open(data_dir) as running:
        before = running.admin_conninfo()
        kill_all(data_dir)
        until(lambda: not processes_of(data_dir))
        running.ensure_running()
        running.ensure_running()
        assert content(running) == 7
        assert running.admin_conninfo() == before
    assert postmaster_of(data_dir) is None
    running.ensure_running()
    assert postmaster_of(data_dir) is None
