"""One PostgreSQL server per data directory, shared by the processes that opened it.

Three locks of files say all there is to know, and the kernel drops them whatever kills a process:
`start.lock` is held while a server is started or stopped, `owners.lock` is held together by all who
use it, and `server.lock` is inherited by every process of the server, so that it is free when the
last of them is gone.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import psycopg
from psycopg.conninfo import make_conninfo

from ledger import private
from ledger.embedded import binaries, cluster, configuration, locks, privileges, stale
from ledger.errors import SetupError
from ledger.processes import this_process

START_S = 120.0
"""How long a server may take until it answers; most of it for the recovery after a crash."""
STOP_S = 60.0
ORPHAN_S = 3.0
"""How long the processes of a killed postmaster are waited for before they are ended."""
_POLL_S = 0.01
# The shortest limit of a socket's path (macOS: 104 bytes with the final zero).
_LONGEST_SOCKET = 103
_SHORT_FOLDER = "/tmp"  # noqa: S108 - mkdtemp makes a folder of ours in it


class EmbeddedServer:
    """A running server, used until `close`; the last process that closes it stops it.

    A context manager. Safe to open in several processes at once, and after any of them was killed. A forked child
    has no part in what its parent opened, and gets its own by `ensure_running`.
    """

    def __init__(self, home: Path, pg_bin: Path | None, lasting: bool) -> None:
        self._home = home
        self._pg_bin = pg_bin
        self._lasting = lasting
        self._process = this_process()
        self._owner: int | None = None
        self._socket = home / "socket"
        with locks.exclusive(home / "start.lock"):
            self._owner = locks.shared(home / "owners.lock")
            try:
                self._secret = cluster.secret(home)
                self.version = self._attach() or self._start()
            except BaseException:
                self._leave()
                raise

    @classmethod
    def open(cls, data_dir: Path, *, pg_bin: Path | None = None, lasting: bool = True) -> Self:
        """Starts the server of `data_dir`, made if absent, or joins the one that runs.

        `pg_bin` is a folder with initdb and postgres; absent, LEDGER_PG_BIN, the wheel's, the system's. `lasting`
        is false for one that is made to be thrown away: it is made in a quarter of the time, and a loss of power
        may leave none of it.
        Raises SetupError, with the next step, if it can't be started.
        """
        if sys.platform not in {"linux", "darwin"}:
            raise SetupError(
                "The embedded PostgreSQL runs on Linux and macOS. "
                "On this system, reach a running server with --database."
            )
        home = private.folder(private.data_folder(data_dir) / "postgres")
        with private.explained(home):
            return cls(home, pg_bin, lasting)

    @staticmethod
    def is_there(data_dir: Path) -> bool:
        """Whether a server was ever made in `data_dir`."""
        return (private.data_place(data_dir) / "postgres" / "cluster").exists()

    def admin_conninfo(self, dbname: str = "postgres") -> str:
        """The superuser's connection string (libpq) for one database. It holds the password."""
        return make_conninfo(
            host=str(self._socket),
            port=configuration.PORT,
            user=cluster.SUPERUSER,
            password=self._secret,
            dbname=dbname,
        )

    @property
    def inherited(self) -> bool:
        """Whether this is a forked child that has no part in the server yet: its parent may stop it at any time."""
        return self._owner is not None and self._process != this_process()

    def ensure_running(self) -> None:
        """Starts the server again if something killed it; does nothing once closed.

        In a forked child it joins first, as a second process does: the server runs until the child closes it too.
        Connection strings stay good. Raises SetupError if it can't be started.
        """
        if self._owner is None:
            return
        with private.explained(self._home), locks.exclusive(self._home / "start.lock"):
            if self.inherited:  # looked at under the lock, for two threads may have come here
                self._owner = locks.shared(self._home / "owners.lock")
                self._process = this_process()
            self.version = self._attach() or self._start()

    def close(self) -> None:
        """Gives the server up; stops it if nobody else uses it. A second call does nothing.

        Raises SetupError if it does not stop.
        """
        if self._owner is None or self.inherited:
            return
        with locks.exclusive(self._home / "start.lock"):
            self._leave()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"EmbeddedServer({str(self._home.parent)!r})"

    @property
    def _cluster(self) -> Path:
        return self._home / "cluster"

    @property
    def _lock(self) -> Path:
        return self._home / "server.lock"

    def _attach(self, *, just_started: bool = False) -> str | None:
        """The version of the server that runs, once it answers; None when no process of one is left."""
        deadline = time.monotonic() + START_S
        # One that was just started may take its time to name its postmaster.
        orphaned = deadline if just_started else time.monotonic() + ORPHAN_S
        while True:
            version = self._answer()
            if version is not None:
                return version
            if locks.is_free(self._lock):
                return None
            now = time.monotonic()
            if now > deadline:
                raise SetupError(
                    f"A PostgreSQL server of {self._home} is there and does not answer. "
                    "End its processes, and start again."
                )
            if now > orphaned and stale.postmaster(self._cluster) is None:
                stale.end_all(self._cluster)
            time.sleep(_POLL_S)

    def _start(self) -> str:
        account = privileges.choose()
        found = privileges.reachable(binaries.find(self._pg_bin), self._home, account)
        server = locks.try_exclusive(self._lock)
        if server is None:
            raise SetupError(f"Another program holds {self._lock}. End it, and start again.")
        try:
            path = cluster.prepare(self._home, found, account, keep=server, lasting=self._lasting)
            socket = self._make_socket_folder(stale.clear(path) or self._socket)
            account.give(socket)
            for file in configuration.write(path, socket):
                account.give(file)
            log = os.open(
                self._home / "server.log", os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o600
            )
            try:
                account.start(found.folder / "postgres", "-D", path, keep=server, output=log)
            finally:
                os.close(log)
        finally:
            # Not released: the server's processes hold it from here on.
            locks.leave(server)
        version = self._attach(just_started=True)
        if version is None:
            told = (self._home / "server.log").read_text("utf-8", "replace")
            raise SetupError(f"PostgreSQL did not start in {self._home}: {cluster.reason(told)}")
        return version

    def _make_socket_folder(self, earlier: Path | None) -> Path:
        """An empty folder of ours: in the data directory, or a temporary one where that path is too long.

        Whoever joins reads its name from the server's pid file. A temporary one gets its `earlier` name
        again, so that those who know it need not ask.
        """
        own = self._home / "socket"
        for folder in (own, earlier):
            if folder is not None and _fits(folder):
                stale.discard_socket(folder)
                # What is there now is not ours.
                with suppress(FileExistsError):
                    folder.mkdir(mode=0o700)
                    return folder
        parents = (Path(it) for it in (tempfile.gettempdir(), _SHORT_FOLDER))
        parent = next((it for it in parents if _fits(it / "answer-ledger-12345678")), None)
        if parent is None:
            raise SetupError(
                "The path of the temporary folder is too long for a socket. Set TMPDIR to a short one."
            )
        return Path(tempfile.mkdtemp(prefix="answer-ledger-", dir=parent))

    def _answer(self) -> str | None:
        """The version of a server that takes our password, or None if none answers (yet)."""
        socket = stale.socket_folder(self._cluster)
        if socket is None or not stale.says_ready(self._cluster):
            return None
        self._socket = socket
        try:
            with psycopg.connect(self.admin_conninfo(), connect_timeout=5) as connection:
                version = connection.info.server_version
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise SetupError(
                    f"The database in {self._home} was made with another superuser.secret. "
                    "Put the file back from the backup that the database came from."
                ) from None
            return None
        return f"{version // 10000}.{version % 10000}"

    def _leave(self) -> None:
        if self._owner is None:
            return
        locks.release(self._owner)
        self._owner = None
        last = locks.try_exclusive(self._home / "owners.lock")
        if last is None:
            return
        try:
            self._stop()
        finally:
            locks.release(last)

    def _stop(self) -> None:
        socket = stale.socket_folder(self._cluster)
        # Fast, with a checkpoint; else at once, with a recovery at the next start.
        for how in (signal.SIGINT, signal.SIGQUIT):
            postmaster = stale.postmaster(self._cluster)
            if postmaster is not None:
                with suppress(ProcessLookupError):
                    os.kill(postmaster, how)
            if self._is_gone(ORPHAN_S if postmaster is None else STOP_S):
                break
        else:
            stale.end_all(self._cluster)
            if not self._is_gone(ORPHAN_S):
                raise SetupError(f"The PostgreSQL server of {self._home} does not stop. End its processes.")
        stale.clear(self._cluster)
        if socket is not None:
            stale.discard_socket(socket)

    def _is_gone(self, seconds: float) -> bool:
        """Whether no process of the server is left, within so many seconds."""
        deadline = time.monotonic() + seconds
        while not (free := locks.is_free(self._lock)) and time.monotonic() < deadline:
            time.sleep(_POLL_S)
        return free


def _fits(folder: Path) -> bool:
    """Whether a server can listen in a folder of this name, and libpq can be told it in a list."""
    name = str(folder / f".s.PGSQL.{configuration.PORT}")
    return name.isprintable() and not set(name) & set(",'\"\\") and len(os.fsencode(name)) <= _LONGEST_SOCKET
