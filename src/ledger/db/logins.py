"""How each surface gets in: its own role, its own password, its own connection string."""

from __future__ import annotations

from collections.abc import Mapping

import psycopg
from psycopg.conninfo import make_conninfo

from ledger.db.operation import Surface
from ledger.errors import NotMigrated, SetupError, Unavailable, UnsafeRole

ROLES = tuple(surface.role for surface in Surface)

_UNSAFE = """
select r.rolsuper or r.rolbypassrls or pg_has_role(current_user, 'ledger_owner', 'MEMBER')
  from pg_roles r where r.rolname = current_user
"""


def with_passwords(there: str, passwords: Mapping[str, str]) -> dict[Surface, str]:
    """The connection string of each surface whose role has a password in `passwords`: the server and the database of
    `there`, whose own user and password are of no matter."""
    return {
        surface: make_conninfo(there, user=surface.role, password=passwords[surface.role])
        for surface in Surface
        if surface.role in passwords
    }


def check(logins: Mapping[Surface, str]) -> None:
    """Tries every login once. Raises UnsafeRole for one that row-level security does not bind, NotMigrated
    for one that is not let in, SetupError and Unavailable as `explained` does."""
    for surface, conninfo in logins.items():
        try:
            with psycopg.connect(conninfo, connect_timeout=5, autocommit=True) as connection:
                row = connection.execute(_UNSAFE).fetchone()
        except psycopg.errors.UndefinedObject:
            raise NotMigrated(_HINT) from None
        except psycopg.OperationalError as error:
            raise NotMigrated(_HINT) if is_not_let_in(error) else explained(error) from None
        if row is None or row[0]:
            raise UnsafeRole(
                f"The login of the {surface} surface is a superuser, bypasses row-level security, or belongs to the "
                f"tables' owner. Give it a role of its own, such as {surface.role}."
            )


_HINT = (
    "The surfaces can't log in to this database: their passwords are not those of keys/logins.json. Set them with: "
    "answer-ledger migrate --database URL"
)

# A failed connection has no SQLSTATE in psycopg; the server's own words tell what was wrong. They are looked at and
# never passed on, nor is what the caller named: half a password may stand in a host.
_NOT_LET_IN = (
    "authentication failed",
    "no password supplied",
    'role "',
    "no pg_hba.conf entry",
    "is not permitted to log in",
)
_NO_DATABASE = 'database "'
_NO_HOST = ("could not translate host name", "Name or service not known", "failed to resolve host")


def is_not_let_in(error: psycopg.OperationalError) -> bool:
    """Whether the server was reached, and refuses this user or this password."""
    return any(sign in str(error) for sign in _NOT_LET_IN)


def explained(error: psycopg.OperationalError) -> SetupError | Unavailable:
    """Which part of a connection string is wrong, without what stands there."""
    said = str(error)
    if is_not_let_in(error):
        return SetupError(
            "The database server refuses this user or password. Mend them in LEDGER_DATABASE_URL or --database."
        )
    if _NO_DATABASE in said and "does not exist" in said:
        return SetupError(
            "There is no database of this name on the server. Create it, encoded in UTF8, or mend the name in "
            "LEDGER_DATABASE_URL or --database."
        )
    if any(sign in said for sign in _NO_HOST):
        return SetupError(
            "There is no host of this name. Mend it in LEDGER_DATABASE_URL or --database; the special characters of a "
            "password must be encoded there, such as %40 for @."
        )
    return Unavailable("There is no database server to reach. Start it, or mend LEDGER_DATABASE_URL.")
