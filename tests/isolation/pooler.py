"""PgBouncer in transaction mode in front of a test's database, with one server connection a login."""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import which
from urllib.parse import quote

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ledger.db.operation import Surface
from ledger.embedded import privileges

PROGRAM = which("pgbouncer", path=f"{os.environ.get('PATH', '')}:/usr/sbin")
NEEDED = "needs PgBouncer: apt-get install pgbouncer (`.ci/run` does it where it may)"

_CONFIGURATION = """
[databases]
{name} = host={socket} port={port} dbname={name}

[pgbouncer]
unix_socket_dir = {folder}
listen_port = 6432
auth_type = scram-sha-256
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 1
max_client_conn = 100
log_connections = 0
log_disconnections = 0
log_stats = 0
server_check_delay = 0
"""


@contextmanager
def pooler(logins: dict[Surface, str], folder: Path) -> Iterator[dict[Surface, str]]:
    """Runs one; gives the connection string of each surface through it."""
    assert PROGRAM is not None, NEEDED
    there = conninfo_to_dict(next(iter(logins.values())))
    given = {surface: conninfo_to_dict(login) for surface, login in logins.items()}
    (folder / "users").write_text("".join(f'"{one["user"]}" "{one["password"]}"\n' for one in given.values()))
    (folder / "ini").write_text(
        _CONFIGURATION.format(name=there["dbname"], socket=there["host"], port=there["port"], folder=folder)
    )
    account = privileges.choose()
    if account.other:
        for path in (folder, *folder.iterdir()):
            account.give(path)
    running = subprocess.Popen(
        [*account.prefix, PROGRAM, "-q", str(folder / "ini")],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        user=account.uid if account.other else None,
    )
    through = {s: make_conninfo(login, host=str(folder), port=6432) for s, login in logins.items()}
    try:
        _wait(through[Surface.AGENT])
        yield through
    finally:
        running.terminate()
        running.wait()


def url(conninfo: str) -> str:
    """The same as a URL, as settings want it."""
    parts = conninfo_to_dict(conninfo)
    host, password = quote(str(parts["host"]), safe=""), quote(str(parts["password"]), safe="")
    return f"postgresql://{parts['user']}:{password}@{host}:{parts['port']}/{parts['dbname']}"


def _wait(conninfo: str) -> None:
    deadline = time.monotonic() + 10
    while True:
        try:
            psycopg.connect(conninfo, connect_timeout=5).close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
