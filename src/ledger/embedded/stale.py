"""What a server that was killed leaves behind: its pid file, its socket, now and then a process."""

from __future__ import annotations

import os
import shutil
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ledger.embedded.configuration import PORT

_PROC = Path("/proc")


def socket_folder(cluster: Path) -> Path | None:
    """Where the server that was started last listens; None if it was stopped in order."""
    # Source: PostgreSQL, miscadmin.h, LOCK_FILE_LINE_SOCKET_DIR.
    lines = _lock_file(cluster)
    return Path(lines[4]) if len(lines) > 4 and lines[4].startswith("/") else None


def says_ready(cluster: Path) -> bool:
    """Whether the server wrote that it takes connections; to ask earlier leaves a line in its log."""
    # Source: PostgreSQL, miscadmin.h, LOCK_FILE_LINE_PM_STATUS; pg_ctl waits for the same word.
    lines = _lock_file(cluster)
    return len(lines) > 7 and lines[7].strip() == "ready"


def postmaster(cluster: Path) -> int | None:
    """The server's first process, if it lives: neither a zombie nor a stranger that got its number.

    Without /proc (macOS) a stranger can't be told from it.
    """
    try:
        pid = int(_lock_file(cluster)[0])
    except (IndexError, ValueError):
        return None
    if _PROC.is_dir():
        return pid if _works_in(pid, cluster) else None
    try:
        os.kill(pid, 0)
    except OSError:
        return None
    return pid


def end_all(cluster: Path) -> None:
    """Ends what does not end by itself, when the postmaster is gone or deaf.

    What these processes were doing is undone by the recovery at the next start.
    """
    for pid in _workers(cluster):
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def clear(cluster: Path) -> Path | None:
    """Removes the pid file and the socket of a server of which no process is left; returns its folder."""
    folder = socket_folder(cluster)
    if folder is not None:
        discard_socket(folder)
    (cluster / "postmaster.pid").unlink(missing_ok=True)
    return folder


def discard_socket(folder: Path) -> None:
    """Removes a folder that we made for a socket; one that meanwhile is somebody else's is left alone."""
    names = {f".s.PGSQL.{PORT}", f".s.PGSQL.{PORT}.lock"}
    with suppress(OSError):
        if all(path.name in names for path in folder.iterdir()):
            shutil.rmtree(folder)


def _lock_file(cluster: Path) -> list[str]:
    try:
        return (cluster / "postmaster.pid").read_text("utf-8", "surrogateescape").splitlines()
    except (FileNotFoundError, NotADirectoryError):
        return []


def _workers(cluster: Path) -> Iterator[int]:
    if _PROC.is_dir():
        yield from (
            int(it.name) for it in _PROC.iterdir() if it.name.isdigit() and _works_in(int(it.name), cluster)
        )


def _works_in(pid: int, cluster: Path) -> bool:
    # A zombie has no working directory, and every process of the server has the cluster's.
    try:
        return (_PROC / str(pid) / "cwd").readlink() == cluster.resolve()
    except OSError:
        return False
