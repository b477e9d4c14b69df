"""Only the user who started it reaches the server, by the socket alone, and with the password."""

from __future__ import annotations

import os
import pwd
import re
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from servers import (
    PROC,
    as_root,
    as_user,
    cluster_of,
    mode,
    postmaster_of,
    processes_of,
    sockets_of,
    with_proc,
)

from ledger.embedded import EmbeddedServer
from ledger.errors import SetupError


@with_proc
def test_no_process_of_it_listens_on_the_network(data_dir: Path) -> None:
    with EmbeddedServer.open(data_dir):
        open_sockets = {link for pid in processes_of(data_dir) for link in sockets_of(pid)}
        listed = [
            line.split()
            for name in ("tcp", "tcp6")
            for line in (PROC / "net" / name).read_text().splitlines()
        ]
        network = {f"socket:[{columns[9]}]" for columns in listed}
        assert open_sockets
        assert not open_sockets & network


def test_nobody_is_let_in_without_a_password(data_dir: Path) -> None:
    with EmbeddedServer.open(data_dir):
        lines = (cluster_of(data_dir) / "pg_hba.conf").read_text().splitlines()
        assert [line.split() for line in lines if not line.startswith("#")] == [
            ["local", "all", "all", "scram-sha-256"],
            ["host", "all", "all", "all", "reject"],
        ]


@pytest.mark.parametrize("password", ["", "wrong"])
def test_a_wrong_password_is_refused(data_dir: Path, password: str) -> None:
    with (
        EmbeddedServer.open(data_dir) as server,
        pytest.raises(psycopg.OperationalError, match=r"password authentication failed|no password supplied"),
    ):
        psycopg.connect(make_conninfo(server.admin_conninfo(), password=password))


def test_its_folders_and_files_are_its_owners_alone(data_dir: Path) -> None:
    with EmbeddedServer.open(data_dir):
        home = data_dir / "postgres"
        assert {path.name: mode(path) for path in home.iterdir()} == {
            "cluster": 0o700,
            "socket": 0o700,
            "superuser.secret": 0o600,
            "server.log": 0o600,
            "start.lock": 0o600,
            "owners.lock": 0o600,
            "server.lock": 0o600,
        }
        assert mode(home) == 0o700
        assert {mode(path) & 0o077 for path in cluster_of(data_dir).rglob("*")} == {0}


@as_root
def test_another_user_of_the_system_can_not_reach_the_socket(open_folder: Path) -> None:
    with EmbeddedServer.open(open_folder) as server:
        conninfo = server.admin_conninfo()
        # It is the folder that refuses him: he even has the password.
        said = as_user(pwd.getpwnam("nobody").pw_uid, lambda: psycopg.connect(conninfo))
        assert "Permission denied" in said
        assert as_user(0, lambda: psycopg.connect(conninfo).close()) == ""


@with_proc
def test_it_never_sees_the_secrets_of_our_environment(
    data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEDGER_PEPPER", "a-pepper")
    with EmbeddedServer.open(data_dir):
        environment = (PROC / str(postmaster_of(data_dir)) / "environ").read_bytes()
        assert b"LC_ALL=C" in environment
        assert b"a-pepper" not in environment


@with_proc
def test_a_crash_of_it_leaves_no_core_file(data_dir: Path) -> None:
    with EmbeddedServer.open(data_dir):
        limits = (PROC / str(postmaster_of(data_dir)) / "limits").read_text()
        assert re.search(r"Max core file size +0 +0 ", limits)


@pytest.mark.parametrize("name", ["postgres", "superuser"])
def test_what_others_could_read_is_refused(data_dir: Path, name: str) -> None:
    path = {"postgres": data_dir / "postgres", "superuser": data_dir / "postgres" / "superuser.secret"}[name]
    path.chmod(0o755)
    with pytest.raises(SetupError, match=r"open to other users. Close it with: chmod"):
        EmbeddedServer.open(data_dir)


@as_root
def test_a_folder_of_another_user_is_refused(data_dir: Path) -> None:
    os.chown(data_dir / "postgres", pwd.getpwnam("nobody").pw_uid, -1)
    with pytest.raises(SetupError, match="belongs to another user"):
        EmbeddedServer.open(data_dir)
