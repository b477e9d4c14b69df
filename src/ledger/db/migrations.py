"""Brings a database to the schema of this release.

Alembic keeps the order and the record (`ledger.version`; `revisions`); each revision is a file of SQL beside a few
lines of Python, run unchanged over the driver. Migrations only ever add, so that the workers of the previous
release go on meanwhile; a lock that is not to be had within five seconds fails the migration instead of
stopping captures.

Source: schema/migrations; decision 0004.
"""

from __future__ import annotations

import time
from collections.abc import Collection
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from ledger.db import expected
from ledger.db.operation import Surface
from ledger.errors import NotMigrated, SetupError
from ledger.identity import Identity

HEAD = "0001"
"""The revision that this release is made for: the newest of schema/migrations, by test. Said here, so that opening a
database that has it need not load what runs revisions."""

OLDEST_SERVER = 150_000  # libpq's server_version_num of PostgreSQL 15

_PRIVILEGED_ROLE = "LG007"  # schema/01_roles.sql

_RACE = (
    psycopg.errors.UniqueViolation,
    psycopg.errors.DuplicateObject,
    psycopg.errors.DuplicateSchema,
    psycopg.errors.DuplicateTable,
    psycopg.errors.InternalError_,  # XX000 "tuple concurrently updated": two set the password of one role
)


def schema_folder() -> Path:
    """Where the SQL is: inside the installed package, or beside `src` in a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "schema"
    return installed if installed.is_dir() else package.parents[1] / "schema"


def revisions_folder() -> Path:
    return schema_folder() / "migrations"


def check(found: str | None) -> None:
    """Raises NotMigrated or SchemaTooNew where the database's revision is not this release's."""
    if found == HEAD:
        return
    if found is None:
        raise NotMigrated(
            "This database has no ledger yet. Set it up with: answer-ledger migrate --database URL"
        )
    from ledger.db import revisions

    revisions.refuse_stranger(revisions_folder(), found)
    raise NotMigrated(
        "This database is older than this release. Bring it up with: answer-ledger migrate --database URL"
    )


def migrate(conninfo: str, identity: Identity, secret: str, bare_forms: Collection[str]) -> list[str]:
    """Runs what has not run yet, sets the passwords of the surfaces' logins (Identity.login), and puts this
    release's closed list of what bare answers are made of (Gate.bare_forms) where SQL looks for it.

    `conninfo` is the installer's: a superuser, or a role that may create roles and owns the database. Gives
    the revisions that ran. Raises SetupError.
    """
    for _ in range(5):
        try:
            return _migrate(conninfo, identity, secret, bare_forms)
        except _RACE:
            time.sleep(0.2)  # another process does the same right now
        except psycopg.errors.InsufficientPrivilege:
            raise SetupError(
                "This login may not set the ledger up. Use a superuser, or a role with CREATEROLE that owns the database."
            ) from None
        except psycopg.Error as error:
            if error.sqlstate != _PRIVILEGED_ROLE:
                raise
            raise SetupError(
                "A role named ledger_... is there already, with rights that it must not have (such as SUPERUSER, "
                "BYPASSRLS, or membership in another role). Take them away, or drop it, and try again."
            ) from None
    raise SetupError("Another process keeps setting this database up. Wait for it, and try again.")


def _migrate(conninfo: str, identity: Identity, secret: str, bare_forms: Collection[str]) -> list[str]:
    ran: list[str] = []
    with psycopg.connect(conninfo, autocommit=True) as connection:
        if connection.info.server_version < OLDEST_SERVER:
            raise SetupError("PostgreSQL 15 or newer is needed.")
        connection.execute("create schema if not exists ledger")
        found = _revision(connection)
    if found != HEAD:
        from ledger.db import revisions

        ran = revisions.upgrade(revisions_folder(), conninfo)
    with psycopg.connect(conninfo, autocommit=True) as connection:
        _set_passwords(connection, identity, secret)
        _put_settings_back(connection)
        _set_bare_forms(connection, bare_forms)
    return ran


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


def _set_passwords(connection: psycopg.Connection[Any], identity: Identity, secret: str) -> None:
    for surface in Surface:
        password = identity.login(surface.role, secret)
        # hashed here, so that no server log can ever hold it
        hashed = connection.pgconn.encrypt_password(
            password.encode(), surface.role.encode(), b"scram-sha-256"
        )
        connection.execute(
            sql.SQL("alter role {} password {}").format(
                sql.Identifier(surface.role), sql.Literal(hashed.decode())
            )
        )
