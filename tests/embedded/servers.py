"""What the tests of the embedded server ask of servers and of the processes that hold one."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest

from ledger.embedded import EmbeddedServer, stale

Hold = Callable[[Path], subprocess.Popen[str]]

HOLD = """
import sys
from pathlib import Path
from ledger.embedded import EmbeddedServer
with EmbeddedServer.open(Path(sys.argv[1])):
    print("open", flush=True)
    sys.stdin.readline()
print("closed", flush=True)
"""


def is_open(process: subprocess.Popen[str]) -> bool:
    """Waits until a holding process has the server; False if it ended instead."""
    assert process.stdout
    return process.stdout.readline() == "open\n"


def end(process: subprocess.Popen[str]) -> None:
    """Lets a holding process close the server, and waits for it."""
    assert process.communicate("\n", timeout=30)[0] == "closed\n"


def cluster_of(data_dir: Path) -> Path:
    return data_dir / "postgres" / "cluster"


def postmaster_of(data_dir: Path) -> int | None:
    return stale.postmaster(cluster_of(data_dir))


def content(server: EmbeddedServer) -> int:
    with psycopg.connect(server.admin_conninfo()) as connection:
        row = connection.execute("select n from kept").fetchone()
    assert row
    return int(row[0])


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


as_root = pytest.mark.skipif(os.geteuid() != 0, reason="needs root, who can become another user")
with_proc = pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")

PROC = Path("/proc")


def processes_of(data_dir: Path) -> list[int]:
    """Every process of the server: all of them work in the cluster's folder."""
    found = []
    for it in PROC.glob("[0-9]*"):
        try:
            if (it / "cwd").readlink() == cluster_of(data_dir).resolve():
                found.append(int(it.name))
        except OSError:
            continue
    return found


def kill_all(data_dir: Path) -> None:
    """kill -9 of every process of the server; one may end by itself meanwhile, as workers do."""
    for pid in processes_of(data_dir):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def sockets_of(pid: int) -> set[str]:
    """What a process has open as sockets; nothing where it has ended meanwhile, or ends a file."""
    found = set()
    with suppress(FileNotFoundError, ProcessLookupError):
        for fd in (PROC / str(pid) / "fd").iterdir():
            with suppress(FileNotFoundError):
                found.add(str(fd.readlink()))
    return {link for link in found if link.startswith("socket:")}


def until(condition: Callable[[], object], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.01)


def as_user(uid: int, action: Callable[[], object]) -> str:
    """Runs an action in a forked child that has become another user; "" or the name of the error."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.setgroups([])
            os.setgid(uid)
            os.setuid(uid)
            action()
            said = ""
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        os.write(writer, said.encode()[:4000])
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said
