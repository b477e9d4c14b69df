"""Brings a database to the schema of this release.

Alembic keeps the order and the record (`ledger.version`; `revisions`); each revision is a file of SQL beside a few
lines of Python, run unchanged over the driver. Migrations only ever add, so that the workers of the previous
release go on meanwhile; a lock that is not to be had within five seconds fails the migration instead of
stopping captures.

Source: schema/migrations; decision 0004.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import psycopg
from psycopg import sql

from ledger.db import logins
from ledger.errors import NoLedger, NotMigrated, SetupError

T = TypeVar("T")

HEAD = "0001"
"""The revision that this release is made for: the newest of schema/migrations, by test. Said here, so that opening a
database that has it need not load what runs revisions."""

OLDEST_SERVER = 150_000  # libpq's server_version_num of PostgreSQL 15

_REFUSED = {
    "42501": "This login may not set the ledger up. Use a superuser, or a role with CREATEROLE that owns the database.",
    "LG007": "A role named ledger_... is there already, with rights that it must not have (such as SUPERUSER, BYPASSRLS, or "
    "membership in another role). Take them away, or drop it, and try again.",
    "LG011": "The roles of the ledger (ledger_owner and its like) are there already, and somebody else may become one of them: "
    "the installer of another ledger in this cluster, whose roles both share. Install every ledger of a cluster as the same "
    "role, or use a cluster of its own; if nobody installed one, revoke the membership.",
    "55P03": "The ledger is busy, and the change had to wait for longer than five seconds. Nothing was changed; try again.",
}
"""SQLSTATE (PostgreSQL, appendix A; of class LG: schema/01_roles.sql) -> what to do."""

_ALONE = "select pg_advisory_xact_lock(hashtextextended('ledger.migrate', 0))"
_NEIGHBOURS = """
select d.datname from pg_shdepend s join pg_database d on d.oid = s.dbid
 where s.refclassid = 'pg_authid'::regclass and s.refobjid = to_regrole('ledger_owner') and s.deptype = 'o'
   and d.datname <> current_database()
 group by 1 order by 1
"""

_RACE = (
    psycopg.errors.UniqueViolation,
    psycopg.errors.DuplicateObject,
    psycopg.errors.DuplicateSchema,
    psycopg.errors.DuplicateTable,
    psycopg.errors.InternalError_,  # XX000 "tuple concurrently updated": two alter one role
)


def schema_folder() -> Path:
    """Where the SQL is: inside the installed package, or beside `src` in a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "schema"
    return installed if installed.is_dir() else package.parents[1] / "schema"


def revisions_folder() -> Path:
    return schema_folder() / "migrations"


def check(found: str | None) -> None:
    """Raises NoLedger, NotMigrated or SchemaTooNew where the database's revision is not this release's."""
    if found == HEAD:
        return
    if found is None:
        raise NoLedger(
            "There is no ledger in this database. Set it up with: answer-ledger migrate --database URL"
        )
    from ledger.db import revisions

    revisions.refuse_stranger(revisions_folder(), found)
    raise NotMigrated(
        "This database is older than this release. Bring it up with: answer-ledger migrate --database URL"
    )


@contextmanager
def installing(conninfo: str) -> Iterator[Installation]:
    """The database, by the installer's connection string, to be set up by nobody else meanwhile: a second one waits.

    `conninfo` is a superuser's, or that of a role that may create roles and owns the database. Raises SetupError where it
    can't be: a password, host or database name that is wrong, a server that is too old, an encoding other than UTF8, a
    right that is missing, roles of another installer. Raises Unavailable where there is no server.
    """
    try:
        with psycopg.connect(conninfo, connect_timeout=10, autocommit=True) as connection:
            if connection.info.server_version < OLDEST_SERVER:
                raise SetupError("PostgreSQL 15 or newer is needed.")
            if (encoding := connection.info.parameter_status("server_encoding")) != "UTF8":
                raise SetupError(
                    f"This database is encoded in {encoding}, and answers are in any script. Make one with: "
                    "create database ... encoding 'UTF8' template template0"
                )
            # in a transaction, so that a pooler between leaves it with this connection
            with connection.transaction():
                connection.execute("set local idle_in_transaction_session_timeout = 0")
                connection.execute(_ALONE)
                yield Installation(conninfo)
    except psycopg.Error as error:
        if error.sqlstate in _REFUSED:
            raise SetupError(_REFUSED[error.sqlstate]) from None
        if isinstance(error, psycopg.OperationalError):
            raise logins.explained(error) from None
        raise


def migrate(conninfo: str, passwords: Mapping[str, str], bare_forms: Collection[str]) -> list[str]:
    """All that an installation does, with these passwords. Gives the revisions that ran. Raises as `installing` does."""
    with installing(conninfo) as installation:
        ran = installation.upgrade(bare_forms)
        if not installation.lets_in(passwords):
            installation.set_passwords(passwords)
    return ran


class Installation:
    """What is done to a database while nobody else sets it up."""

    def __init__(self, conninfo: str) -> None:
        self._conninfo = conninfo

    def proof(self) -> UUID | None:
        """That of the pepper which the database was filled with (Identity.proof); None where it has none yet."""
        with self._connection() as connection:
            if _revision(connection) is None:
                return None
            row = connection.execute("select pepper_proof from ledger.setting").fetchone()
        return None if row is None else row[0]

    def upgrade(self, bare_forms: Collection[str]) -> list[str]:
        """Runs what has not run yet, and puts this release's closed list of what bare answers are made of
        (Gate.bare_forms) where SQL looks for it. Gives the revisions that ran."""
        return self._again(lambda: self._upgrade(bare_forms))

    def lets_in(self, passwords: Mapping[str, str]) -> bool:
        """Whether the surfaces have these passwords already."""
        try:
            logins.check(logins.with_passwords(self._conninfo, passwords))
        except NotMigrated:
            return False
        return True

    def set_passwords(self, passwords: Mapping[str, str]) -> None:
        """Sets the passwords of these roles, in every ledger of the cluster."""
        self._again(lambda: self._set_passwords(passwords))

    def prove(self, proof: UUID) -> None:
        """Notes the proof of the pepper, where there is none yet."""
        with self._connection() as connection:
            connection.execute(
                "update ledger.setting set pepper_proof = %s where pepper_proof is null", (proof,)
            )

    def neighbours(self) -> list[str]:
        """The other databases of this cluster with a ledger, whose surfaces have the same passwords."""
        with self._connection() as connection:
            return [name for (name,) in connection.execute(_NEIGHBOURS).fetchall()]

    def _upgrade(self, bare_forms: Collection[str]) -> list[str]:
        ran: list[str] = []
        with self._connection() as connection:
            found = _revision(connection)
            if found is None:
                connection.execute("create schema if not exists ledger")
        if found != HEAD:
            from ledger.db import revisions

            ran = revisions.upgrade(revisions_folder(), self._conninfo)
        with self._connection() as connection:
            _put_settings_back(connection)
            _set_bare_forms(connection, bare_forms)
        return ran

    def _set_passwords(self, passwords: Mapping[str, str]) -> None:
        with self._connection() as connection:
            for role, password in passwords.items():
                # hashed here, so that no server log can ever hold it
                hashed = connection.pgconn.encrypt_password(
                    password.encode(), role.encode(), b"scram-sha-256"
                )
                connection.execute(
                    sql.SQL("alter role {} password {}").format(
                        sql.Identifier(role), sql.Literal(hashed.decode())
                    )
                )

    def _connection(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._conninfo, autocommit=True)

    def _again(self, step: Callable[[], T]) -> T:
        for _ in range(10):
            try:
                return step()
            except _RACE:
                time.sleep(
                    0.2
                )  # roles belong to the cluster, and another of its databases is set up right now
        raise SetupError("Another process keeps setting this cluster up. Wait for it, and try again.")


def _revision(connection: psycopg.Connection[Any]) -> str | None:
    """What the database says of itself; None where it says nothing."""
    if connection.execute("select to_regclass('ledger.version')").fetchone() == (None,):
        return None
    row = connection.execute("select version_num from ledger.version").fetchone()
    return None if row is None else str(row[0])


def _set_bare_forms(connection: psycopg.Connection[Any], bare_forms: Collection[str]) -> None:
    wanted = set(bare_forms)
    if wanted == {form for (form,) in connection.execute("select form from ledger.bare_form")}:
        return
    with connection.transaction():
        connection.execute("delete from ledger.bare_form")
        connection.execute("insert into ledger.bare_form select unnest(%s::text[])", (sorted(wanted),))


_SETTINGS = r"""
select r.rolname, coalesce(d.datname, ''), s.setconfig
  from pg_db_role_setting s join pg_roles r on r.oid = s.setrole left join pg_database d on d.oid = s.setdatabase
 where r.rolname like 'ledger\_%' and (s.setdatabase = 0 or d.datname = current_database())
"""


def _put_settings_back(connection: psycopg.Connection[Any]) -> None:
    """Every login has what this release gives it and nothing else, whatever it, or somebody, gave it since."""
    from ledger.db import expected

    there = {
        (role, database): dict(one.split("=", 1) for one in given)
        for role, database, given in connection.execute(_SETTINGS)
    }
    with connection.transaction():
        for role, database in there:
            if database:
                connection.execute(
                    sql.SQL("alter role {} in database {} reset all").format(
                        sql.Identifier(role), sql.Identifier(database)
                    )
                )
        for role in {*expected.ROLE_SETTINGS, *(role for role, database in there if not database)}:
            ours = expected.ROLE_SETTINGS.get(role, {})
            if there.get((role, ""), {}) == ours:
                continue
            connection.execute(sql.SQL("alter role {} reset all").format(sql.Identifier(role)))
            for name, value in ours.items():
                connection.execute(
                    sql.SQL("alter role {} set {} = {}").format(
                        sql.Identifier(role), sql.Identifier(name), sql.Literal(value)
                    )
                )


def run_sql_beside(file: str) -> None:
    """For revisions: runs the .sql of the same name, as it stands. Alembic's own `execute` would read
    `:name` as a parameter."""
    from alembic import op

    driver = op.get_bind().connection.driver_connection
    assert driver is not None  # noqa: S101 - there is no offline mode
    driver.execute(Path(file).with_suffix(".sql").read_text("utf-8"))
