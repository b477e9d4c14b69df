"""How each surface gets in: its own role, its own password, its own connection string."""

from __future__ import annotations

from collections.abc import Mapping

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ledger.db.operation import Surface
from ledger.errors import NotMigrated, SetupError, Unavailable, UnsafeRole
from ledger.identity import Identity

_UNSAFE = """
select r.rolsuper or r.rolbypassrls or pg_has_role(current_user, 'ledger_owner', 'MEMBER')
  from pg_roles r where r.rolname = current_user
"""


def derived(installer: str, identity: Identity) -> dict[Surface, str]:
    """The logins that `migrate` made with the installer's connection string: same server, own roles.

    Their passwords are derived from the installer's, so that every worker that is given the same string gets in
    and none of them works as the installer.
    """
    secret = secret_of(installer)
    return {
        surface: make_conninfo(installer, user=surface.role, password=identity.login(surface.role, secret))
        for surface in Surface
    }


def secret_of(installer: str) -> str:
    """What the surfaces' passwords are derived from; empty where the installer gets in without one."""
    return str(conninfo_to_dict(installer).get("password") or "")


def check(logins: Mapping[Surface, str]) -> None:
    """Tries every login once. Raises UnsafeRole for one that row-level security does not bind, NotMigrated
    for one that is not let in, Unavailable where there is no server."""
    for surface, conninfo in logins.items():
        try:
            with psycopg.connect(conninfo, connect_timeout=5, autocommit=True) as connection:
                row = connection.execute(_UNSAFE).fetchone()
        except psycopg.errors.UndefinedObject:
            raise NotMigrated(_HINT) from None
        except psycopg.OperationalError as error:
            raise _refused(error) from None
        if row is None or row[0]:
            raise UnsafeRole(
                f"The login of the {surface} surface is a superuser, bypasses row-level security, or belongs to the "
                f"tables' owner. Give it a role of its own, such as {surface.role}."
            )


_HINT = "The surfaces can't log in to this database. Set it up with: answer-ledger migrate --database URL"


def _refused(error: psycopg.OperationalError) -> SetupError | Unavailable:
    # A failed connection has no SQLSTATE in psycopg; the server's own words tell the two apart. They are
    # looked at and never passed on.
    said = str(error)
    if "password authentication failed" in said or "does not exist" in said or "no pg_hba.conf entry" in said:
        return NotMigrated(_HINT)
    return Unavailable("There is no database server to reach. Start it, or mend LEDGER_DATABASE_URL.")
