"""Row-level security, asked as every login and as the roles that the functions run as."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

import httpx
import psycopg
import pytest

from ledger.db import expected
from ledger.db.operation import Surface
from ledger.errors import UnsafeRole
from ledger.service.deployment import Deployment

from .collection import Step
from .facts import OK, Facts
from .world import World


def start_as(role: str) -> Callable[[World, Step], Facts]:
    """Opens a deployment one of whose surfaces logs in as such a role; each surface in turn."""

    def play(world: World, step: Step) -> Facts:
        assert step["dsn_role"] == role
        installer = world.database.installer
        if role == "app":
            Deployment.open(world.deployment.settings).close()
            return OK
        name = f"case_{role}"
        rights = {"owner": "", "superuser": "superuser", "bypassrls": "bypassrls"}[role]
        installer.execute(f"create role {name} login password 'secret' {rights}")
        if role == "owner":
            installer.execute(f"grant ledger_owner to {name}")
        try:
            host = httpx.URL(world.deployment.settings.database_url.get_secret_value())
            url = str(host.copy_with(username=name, password="secret"))
            for surface in Surface:
                settings = world.deployment.settings.load(
                    **world.deployment.settings.model_dump(exclude_none=True)
                    | {f"database_url_{surface.value}": url}
                )
                with pytest.raises(UnsafeRole):
                    Deployment.open(settings)
        finally:
            if role == "owner":
                installer.execute(f"revoke ledger_owner from {name}")
            installer.execute(f"drop role {name}")
        return {"outcome": "rejected"}

    return play


def rights_of_the_logins(world: World, step: Step) -> Facts:
    """The statements, as every login of the service."""
    assert len(step["statements"]) == 4
    statements = (
        "select relname from pg_class where relnamespace = 'ledger'::regnamespace and relname = any (%s)"
        " and not (relrowsecurity and relforcerowsecurity)",
        "select rolsuper or rolbypassrls from pg_roles where rolname = current_user",
        "select pg_has_role(current_user, 'ledger_owner', 'MEMBER')",
        "select has_schema_privilege(current_user, 'ledger', 'CREATE')",
    )
    found = []
    for surface in Surface:
        connection = world.database.surface(surface)
        found.append(
            [
                [value for (value,) in connection.execute(sql, parameters)]
                for sql, parameters in zip(
                    statements, ([[*expected.OF_PRINCIPALS]], None, None, None), strict=True
                )
            ]
        )
    assert all(one == found[0] for one in found)
    return {"outcome": "ok", "rows": found[0]}


VIEWS = "select oid::regclass::text from pg_class where relkind in ('v', 'm') and relnamespace = 'ledger'::regnamespace"


def rows_of_views(world: World, step: Step) -> Facts:
    """There is no view; one that somebody adds is asked, with the context and without."""
    rows_of, total = set(), 0
    for surface in Surface:
        connection = world.database.surface(surface)
        if step["ctx"]:
            connection.execute(
                "select set_config('ledger.principal', %s, false), set_config('ledger.tier', 'full', false),"
                " set_config('ledger.withheld', '{}', false)",
                (str(world.principal(step["ctx"])),),
            )
        for (view,) in world.rows(VIEWS):
            with suppress(psycopg.errors.InsufficientPrivilege):
                found = [row for (row,) in connection.execute(f"select v::text from {view} v")]
                total += len(found)
                rows_of |= {
                    name for name in ("P1", "P2") if any(str(world.principal(name)) in row for row in found)
                }
    return {"outcome": "ok", "rows_of": rows_of, "rows_total": total}


def views_without_the_invoker(world: World, step: Step) -> Facts:
    named = "and not coalesce('security_invoker=true' = any(reloptions), false)"
    return {"outcome": "ok", "rows": world.rows(f"{VIEWS} {named}")}


def one_connection_of_a_pool(world: World, step: Step) -> Facts:
    """As the roles that the functions run as, for a login has no right on a table at all."""
    p1 = str(world.principal("P1"))
    insert = (
        "insert into ledger.entry values ('00000000-0000-8000-8000-000000000000', 'kids', 'x', '2026-09-01')"
    )
    named = "select set_config('ledger.principal', %s, true)"
    for surface in Surface:
        connection = world.database.surface(surface)
        with connection.transaction():
            assert connection.execute(named, (p1,)).fetchall() == [(p1,)]
            for sql in ("select count(*) from ledger.entry", insert):
                with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                    connection.execute(sql)
    came = []
    for role in ("ledger_own_reader", "ledger_writer"):
        with psycopg.connect(world.database.conninfo, autocommit=True) as connection:
            connection.execute(f"set role {role}")
            with connection.transaction():
                ((whose,),) = connection.execute(named, (p1,)).fetchall()
                inside = connection.execute("select count(*) from ledger.entry").fetchone()
            outside = connection.execute("select count(*) from ledger.entry").fetchone()
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(insert)
            came.append([None, ["P1" if whose == p1 else whose], list(inside), None, list(outside), "error"])
    assert came[0] == came[1]
    return {"outcome": "ok", "rows": came[0]}
