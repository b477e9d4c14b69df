"""Where the proof is played: the real application on real databases, each a clone of one that was set up once.

A stage is a server and a template. The proof's own (`alone`) is an embedded server that is made to be thrown away;
tests bring theirs, and may break the database or the application on purpose.
"""

from __future__ import annotations

import asyncio
import io
import itertools
import json
import logging
import os
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import quote

import httpx
import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from starlette.types import ASGIApp

from ledger.api.app import create_app
from ledger.core.model import Handling, Tier
from ledger.db import expected, logins, migrations
from ledger.db.clock import Clock
from ledger.db.operation import UseCase
from ledger.embedded import EmbeddedServer
from ledger.passwords import Passwords
from ledger.proof.client import Client
from ledger.proof.histories import FIRST_DAY
from ledger.proof.routes import inner
from ledger.proof.words import LISTED
from ledger.record.file import NAME
from ledger.service import credentials
from ledger.service.deployment import Deployment, bare_forms
from ledger.settings import Settings
from ledger.tokens import MAX_TTL_OF_ISSUERS, Scope, Tokens

PEPPER = (
    "cHJvdmUgaXQgcHJvdmUgaXQgcHJvdmUgaXQgcHJvdmU="  # not secret: of ledgers that are made to be thrown away
)
RELEASE = "release"
EVE = FIRST_DAY - timedelta(days=1)
"""The day on which a stage is set up."""

T = TypeVar("T")

_numbers = itertools.count(1)


@dataclass
class Stage:
    """A server, and the database that others are cloned from. `conninfo` is a superuser's; `folder` is for the key
    files of what is opened, `passwords` are those of the surfaces; `build` makes the application of a deployment. `server`: that of `alone`."""

    conninfo: str
    template: str
    folder: Path
    passwords: Passwords
    build: Callable[[Deployment], ASGIApp] = create_app
    server: EmbeddedServer | None = None
    _listed: str | None = None

    @classmethod
    @contextmanager
    def alone(cls) -> Iterator[Self]:
        """A stage on a server of its own, with the schema of this release; nothing of it is left behind."""
        with tempfile.TemporaryDirectory(prefix="ledger-proof-") as name:
            folder = Path(name)
            with EmbeddedServer.open(folder / "server", lasting=False) as server:
                with psycopg.connect(server.admin_conninfo(), autocommit=True) as admin:
                    # What is played is thrown away, so nobody waits for the disk; and what autovacuum does, the
                    # play does itself, at the same point of each.
                    for setting in ("fsync", "synchronous_commit", "autovacuum"):
                        admin.execute(f"alter system set {setting} = off")
                    admin.execute("select pg_reload_conf()")
                    admin.execute(f"create database {RELEASE}")
                passwords = Passwords.new(logins.ROLES)
                migrations.migrate(server.admin_conninfo(RELEASE), passwords, bare_forms())
                yield cls(server.admin_conninfo(), RELEASE, folder, passwords, server=server)

    def admin(self, database: str) -> str:
        """The superuser's connection string for a database."""
        if self.server is not None:
            return self.server.admin_conninfo(database)
        return make_conninfo(self.conninfo, dbname=database)

    def prepare(self) -> None:
        """Lists the topics of `words`, once, in a database that places are cloned from."""
        if self._listed is None:
            self._listed = self._clone(self.template)
            with self._opened(self._listed) as place:
                place.clock.set(EVE)
                for key, topic in LISTED.items():
                    place.list_topic(key, topic.question, topic.handling)

    @contextmanager
    def place(self) -> Iterator[Place]:
        """A ledger of its own, with the topics of `words` listed."""
        self.prepare()
        name = self._clone(self._listed or self.template)
        try:
            with self._opened(name) as place:
                yield place
        finally:
            with self._administration() as admin:
                admin.execute(sql.SQL("drop database {}").format(sql.Identifier(name)))

    def _clone(self, template: str) -> str:
        name = f"proof_{os.getpid()}_{next(_numbers)}"
        with self._administration() as admin:
            clone = sql.SQL("create database {} template {}")
            admin.execute(clone.format(sql.Identifier(name), sql.Identifier(template)))
        if self.record_of(template).exists():
            shutil.copytree(self.record_of(template), self.record_of(name))
        return name

    def record_of(self, database: str) -> Path:
        return self.folder / f"{database}-taken"

    @contextmanager
    def _opened(self, database: str) -> Iterator[Place]:
        with Place(self, database) as place:
            yield place

    def restart(self) -> None:
        """Stops the server in good order and starts it again, where it is the proof's own. Every connection is lost."""
        if self.server is not None:
            with psycopg.connect(self.admin("postgres")) as connection:
                ((cluster,),) = connection.execute("show data_directory").fetchall()
            running = Path(cluster) / "postmaster.pid"
            os.kill(int(running.read_text("ascii").split()[0]), signal.SIGINT)
            while running.exists():
                time.sleep(0.005)
            self.server.ensure_running()

    def _administration(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self.admin("postgres"), autocommit=True)


def _url(conninfo: str) -> str:
    parts = {name: quote(str(value), safe="") for name, value in conninfo_to_dict(conninfo).items()}
    return f"postgresql://{parts['user']}:{parts.get('password', '')}@{parts['host']}:{parts['port']}/{parts['dbname']}"


@dataclass
class Place:
    """An open ledger, called over its HTTP interface by whoever may. A context manager."""

    stage: Stage
    database: str
    printed: io.StringIO = field(default_factory=io.StringIO)
    _logged: io.StringIO = field(default_factory=io.StringIO)
    _runner: asyncio.Runner = field(default_factory=asyncio.Runner)
    _issued: dict[tuple[object, ...], str] = field(default_factory=dict)
    _server_told: list[str] = field(default_factory=list)  # before it was restarted

    def __post_init__(self) -> None:
        self._open()
        with psycopg.connect(self.installer) as connection:
            ((cluster,),) = connection.execute("show data_directory").fetchall()
        self.cluster = Path(cluster)
        self._log = _Log(self._logged)
        self._server_log = self.cluster.parent / "server.log"
        self._logged_before = self._server_log.stat().st_size
        self._figures_before = self.figures()

    def __enter__(self) -> Self:
        self._log.listen()
        return self

    def __exit__(self, *_: object) -> None:
        self._log.leave()
        self._close()
        self._runner.close()

    def reopen(self, *, server: bool = False) -> None:
        """Closes the ledger and opens it anew; restarts the server too, where it is the proof's own."""
        self._close()
        if server and self.stage.server is not None:
            self._server_told = self.server_logged()
            self.stage.restart()
            self._logged_before = 0  # it begins its log anew
        self._open()

    @property
    def installer(self) -> str:
        """The superuser's connection string."""
        return self.stage.admin(self.database)

    def _open(self) -> None:
        settings = Settings.alone(
            database_url=_url(self.installer), data_dir=self.stage.folder / self.database, pepper=PEPPER,
            taken_dir=self.stage.record_of(self.database), sweep_every_hours=0, pool_max=1,
        )  # fmt: skip
        self.stage.passwords.keep(settings.data_dir)
        self.deployment = Deployment.open(settings)
        self.app: Any = self.stage.build(self.deployment)
        self.tokens = Tokens.open(settings, self.deployment.keys, self.deployment.context.identity.principal)
        self.clock = Clock(self.installer)
        self._client = Client(self.app, self._runner.get_loop())

    def _close(self) -> None:
        self.clock.__exit__()
        self._runner.run(ledger_of(self.app).close())
        self.deployment.close()

    # ── Calls ────────────────────────────────────────────────────────────────────────────────────

    def token(self, scope: str, who: str | None = None, thread: object = None, **narrowed: Any) -> str:
        """A token of a scope; the same one again for the same thread, another for another."""
        name = (scope, who, thread, repr(narrowed))
        if name not in self._issued:
            principal = None if who is None else self.deployment.context.identity.principal(who)
            if "max_tier" in narrowed:
                narrowed["max_tier"] = Tier(narrowed["max_tier"])
            scopes = [Scope(word) for word in scope.split()]
            if scopes == [Scope.ISSUER]:
                narrowed["credential"] = self.run(credentials.register(MAX_TTL_OF_ISSUERS))
            self._issued[name] = self.tokens.issue(scopes, principal=principal, **narrowed).token
        return self._issued[name]

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        scope: str | None = None,
        who: str | None = None,
        thread: object = None,
        headers: Mapping[str, str] | None = None,
        raw: bytes | None = None,
        **narrowed: Any,
    ) -> httpx.Response:
        """One request. Without a scope it comes without a token."""
        sent = (
            {} if scope is None else {"Authorization": f"Bearer {self.token(scope, who, thread, **narrowed)}"}
        )
        content = raw if raw is not None else None if body is None else json.dumps(body).encode()
        if content is not None:
            sent["Content-Type"] = "application/json"
        sent |= headers or {}
        with redirect_stdout(self.printed), redirect_stderr(self.printed):
            return self._client.send(method, path, sent, content)

    def run(self, use_case: UseCase[T]) -> T:
        """Runs a use case on the connections that the application works with: one a surface."""
        done: T = self._runner.run(ledger_of(self.app).run(use_case))
        return done

    def list_topic(self, key: str, question: str | None, handling: Handling) -> None:
        body = {"label": key, "handling": handling} | ({} if question is None else {"question": question})
        created = self.call("POST", "/v1/operator/topics", body, scope="operator")
        if created.status_code != 200:
            raise AssertionError(f"the topic {key} could not be listed: {created.text}")

    def capture(
        self, who: str, said_on: date, topic: str, message: str, span: str | None = None
    ) -> httpx.Response:
        body = {
            "message": message,
            "said_on": said_on.isoformat(),
            "candidates": [{"topic": topic, "span": span or message}],
        }
        return self.call("POST", "/v1/captures", body, scope="capture", who=who)

    def entry_id(self, who: str, topic: str) -> str:
        """Names an entry of theirs in a path."""
        identity = self.deployment.context.identity
        return identity.entry_id(identity.principal(who), topic)

    def vacuum(self) -> None:
        """What autovacuum does to the tables of a ledger, without their statistics."""
        with psycopg.connect(self.installer, autocommit=True) as installer:
            tables = sql.SQL(", ").join(sql.Identifier("ledger", table) for table in expected.MAINTAINED)
            installer.execute(sql.SQL("vacuum {}").format(tables))

    # ── What the application and the server have told ────────────────────────────────────────────

    def figures(self) -> str:
        return self.call("GET", "/metrics").text

    def grown(self) -> tuple[str, str]:
        """The figures before the first call, and now."""
        return self._figures_before, self.figures()

    def logged(self) -> list[str]:
        return self._logged.getvalue().splitlines()

    def server_logged(self) -> list[str]:
        with self._server_log.open(encoding="utf-8", errors="replace") as log:
            log.seek(self._logged_before)
            return [*self._server_told, *log.read().splitlines()]

    def files(self) -> Iterable[Path]:
        """The files that the product has written beside the database."""
        return (path for path in self.deployment.settings.data_dir.rglob("*") if path.is_file())

    def recorded(self) -> list[str]:
        """The record of what was taken away, line by line as it lies, and the time of its file within the day (UTC)."""
        folder = self.deployment.settings.taken_dir
        assert folder is not None  # noqa: S101 - each place has one
        told = []
        for path in sorted(folder.iterdir()):
            lines = path.read_text("ascii").splitlines()
            told += [f"{path.name} {line}" for line in lines[2:]]  # after its form, and the mark of the sweep
            if path.name == NAME:
                told.append(f"{path.name} is of second {path.stat().st_mtime % 86_400:g} of a day")
        return told


def ledger_of(app: Any) -> Any:
    """The ledger of an application."""
    return inner(app).state.ledger


class _Log(logging.Handler):
    """Keeps everything that is logged, by us at any level, by others at theirs; but for the client of the proof."""

    def __init__(self, into: io.StringIO) -> None:
        super().__init__()
        self._into = into

    def listen(self) -> None:
        logging.getLogger().addHandler(self)
        logging.getLogger("ledger").setLevel(logging.DEBUG)

    def leave(self) -> None:
        logging.getLogger().removeHandler(self)
        logging.getLogger("ledger").setLevel(logging.NOTSET)

    def emit(self, record: logging.LogRecord) -> None:
        if not record.name.startswith(("httpx", "httpcore", "asyncio")):
            self._into.write(f"{record.name} {record.levelname}: {record.getMessage()}\n")
