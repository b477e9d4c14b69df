"""Real servers for all tests: the wheel's PostgreSQL, and for schema and isolation any other that is found.

The schema is installed once a server; each test gets a database of its own, cloned from that (a few
milliseconds). Tests log in as the production roles.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict

from ledger import languages
from ledger.core.gate import Gate
from ledger.db import logins, migrations
from ledger.db.operation import Surface
from ledger.embedded import EmbeddedServer
from ledger.identity import Identity
from ledger.passwords import Passwords
from ledger.service.ledger import Ledger
from ledger.settings import Settings

PEPPER = "dGVzdHMgdGVzdHMgdGVzdHMgdGVzdHMgdGVzdHMgISE="
_OTHER_SERVERS = sorted(
    (path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/initdb")),
    key=lambda folder: int(folder.parent.name),
)
_numbers = itertools.count(1)

BARE_FORMS = Gate(languages.load()).bare_forms()


@dataclass
class Database:
    """A database of one test. `installer` is the superuser's connection, committing by itself."""

    conninfo: str
    identity: Identity
    passwords: Passwords
    installer: psycopg.Connection[Any] = field(init=False)
    _open: list[psycopg.Connection[Any]] = field(default_factory=list)
    _captures: psycopg.Connection[Any] | None = None
    _twins: list[Database] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.installer = self._keep(psycopg.connect(self.conninfo, autocommit=True))

    @property
    def url(self) -> str:
        parts = conninfo_to_dict(self.conninfo)
        host, password = quote(str(parts["host"]), safe=""), quote(str(parts["password"]), safe="")
        return f"postgresql://{parts['user']}:{password}@{host}:{parts['port']}/{parts['dbname']}"

    @property
    def logins(self) -> dict[Surface, str]:
        return logins.with_passwords(self.conninfo, self.passwords)

    def surface(self, surface: Surface) -> psycopg.Connection[Any]:
        """A connection as the production role of a surface."""
        return self._keep(psycopg.connect(self.logins[surface], autocommit=True))

    def keep(self, principal: UUID, day: date, answers: Mapping[str, str]) -> None:
        """Coins what is missing and keeps answers, as the capture surface alone."""
        captures = self._captures = self._captures or self.surface(Surface.CAPTURE)
        captures.execute("select * from ledger.topics_for(%s, true, %s)", (list(answers), day))
        marks = [str(self.identity.mark_all(principal))]
        document = [
            {
                "topic": t,
                "answer": a,
                "question": None,
                "names": [t],
                "marks": [str(self.identity.mark(principal, t)), *marks],
            }
            for t, a in answers.items()
        ]
        kept = captures.execute(
            "select ledger.capture(%s, %s, %s::jsonb)", (principal, day, json.dumps(document))
        ).fetchone()
        assert kept == (True,)

    def day(self, day: date, *, cut: bool = True) -> None:
        """Sets the clock, which is one SQL function. A raw login does not make the cut between two days by itself."""
        self.installer.execute(
            f"create or replace function ledger.today() returns date language sql stable parallel safe "
            f"return date '{day.isoformat()}'"
        )
        if cut:
            self.installer.execute("select ledger.cut()")

    def restamp(self) -> int:
        """The part of a sweep that stamps anew, as the sweeper alone; gives how many rows."""
        sweeper = self.surface(Surface.SWEEPER)
        pieces = sweeper.execute("select piece from ledger.sweep_pieces() where is_stamped").fetchall()
        return sum(
            row[0]
            for (piece,) in pieces
            for row in sweeper.execute("select ledger.sweep_restamp(%s)", (piece,)).fetchall()
        )

    def hour(self, hour: int) -> None:
        """Sets the hour of the day (UTC)."""
        self.installer.execute(
            f"create or replace function ledger.hour() returns integer language sql stable parallel safe return {hour:d}"
        )

    def rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """What a superuser sees: no filter at all."""
        return self.installer.execute(query, parameters or None).fetchall()

    def another(self) -> Database:
        """The same database over connections of its own, for a thread; closed with this one."""
        twin = Database(self.conninfo, self.identity, self.passwords)
        self._twins.append(twin)
        return twin

    def _keep(self, connection: psycopg.Connection[Any]) -> psycopg.Connection[Any]:
        self._open.append(connection)
        return connection

    def close(self) -> None:
        for twin in self._twins:
            twin.close()
        for connection in self._open:
            connection.close()


class Server:
    """A running server with an installed template."""

    def __init__(self, folder: Path, pg_bin: Path | None = None) -> None:
        self.embedded = EmbeddedServer.open(folder, pg_bin=pg_bin, lasting=False)
        self.identity = Identity(b"tests" * 8, "default")
        self.passwords = Passwords.new(logins.ROLES)
        with self._admin() as admin:
            admin.execute("create database template_ledger")
            # Tests that kill a server have servers of their own; here nobody waits for the disk.
            admin.execute("alter system set fsync = off")
            admin.execute("alter system set synchronous_commit = off")
            admin.execute("select pg_reload_conf()")
        migrations.migrate(self.embedded.admin_conninfo("template_ledger"), self.passwords, BARE_FORMS)

    def _admin(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self.embedded.admin_conninfo("postgres"), autocommit=True)

    def tune(self, setting: str, value: str | None) -> None:
        """Sets a setting of the whole server; None: as it was."""
        with self._admin() as admin:
            admin.execute(
                f"alter system reset {setting}"
                if value is None
                else f"alter system set {setting} = '{value}'"
            )
            admin.execute("select pg_reload_conf()")

    def empty(self) -> str:
        """A database without a schema."""
        name = f"empty_{next(_numbers)}"
        with self._admin() as admin:
            admin.execute(f"create database {name} template template0")
        return self.embedded.admin_conninfo(name)

    def clone(self) -> Database:
        name = f"test_{next(_numbers)}"
        with self._admin() as admin:
            admin.execute(f"create database {name} template template_ledger")
        database = Database(self.embedded.admin_conninfo(name), self.identity, self.passwords)
        database.installer.execute("select ledger.cut()")
        return database

    def drop(self, database: Database) -> None:
        database.close()
        name = conninfo_to_dict(database.conninfo)["dbname"]
        with self._admin() as admin:
            admin.execute(f"drop database {name} with (force)")


@pytest.fixture(scope="session")
def wheel_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The PostgreSQL of the wheel."""
    server = Server(tmp_path_factory.mktemp("wheel"))
    yield server
    server.embedded.close()


NEEDED = pytest.mark.skip(
    reason="needs PostgreSQL 15: apt-get install postgresql-15 (`.ci/run` does it where it may)"
)


@pytest.fixture(
    scope="session",
    params=["wheel", *map(str, _OTHER_SERVERS)] + [pytest.param("15", marks=NEEDED)] * (not _OTHER_SERVERS),
)
def any_server(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Every PostgreSQL there is on this machine, 15 or newer."""
    if request.param == "wheel":
        yield request.getfixturevalue("wheel_server")
        return
    server = Server(tmp_path_factory.mktemp("other"), Path(request.param))
    yield server
    server.embedded.close()


@pytest.fixture
def database(wheel_server: Server) -> Iterator[Database]:
    """A database of this test's own, on the wheel's server."""
    made = wheel_server.clone()
    yield made
    wheel_server.drop(made)


@pytest.fixture
def any_database(any_server: Server) -> Iterator[Database]:
    """The same on every server found."""
    made = any_server.clone()
    yield made
    any_server.drop(made)


@pytest.fixture
def settings_for(tmp_path: Path) -> Callable[..., Settings]:
    """Settings that point at a test's database."""

    def make(database: Database, **given: Any) -> Settings:
        database.passwords.keep(tmp_path / "data")
        name = conninfo_to_dict(database.conninfo)["dbname"]
        given = {
            "data_dir": tmp_path / "data",
            "taken_dir": tmp_path / f"{name}-taken",
            "pepper": PEPPER,
        } | given
        return Settings.load(database_url=database.url, **given)

    return make


@pytest.fixture
def ledger(database: Database, settings_for: Callable[..., Settings]) -> Iterator[Ledger]:
    """An open ledger on a database of this test's own."""
    with Ledger.open(settings_for(database)) as opened:
        yield opened
