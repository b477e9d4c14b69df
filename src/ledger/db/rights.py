"""Every right of every role on every object of the ledger, read from the catalog of a live database.

`python -m ledger.db.rights` makes a database for it and writes docs/reference/rights.md; a test compares that
page with a live one.

Source: PostgreSQL, sections 5.8 (privileges) and 53 (system catalogs).
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from typing import Any

import psycopg

from ledger.db import logins, migrations
from ledger.embedded import EmbeddedServer
from ledger.passwords import Passwords

Right = tuple[str, str, str]
"""Role, object, right. The role PUBLIC is everybody."""

_OF_OBJECTS = """
with acl(kind, object, owner, acl) as (
  select 'database'::text, ''::text, d.datdba, coalesce(d.datacl, acldefault('d', d.datdba))
    from pg_database d where d.datname = current_database()
  union all
  select 'schema', n.nspname, n.nspowner, coalesce(n.nspacl, acldefault('n', n.nspowner))
    from pg_namespace n where n.nspname = 'ledger'
  union all
  select case c.relkind when 'r' then 'table' when 'S' then 'sequence' else 'view' end, c.relname, c.relowner,
         coalesce(c.relacl, acldefault(case c.relkind when 'S' then 's' else 'r' end::"char", c.relowner))
    from pg_class c where c.relnamespace = 'ledger'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f', 'S')
  union all
  select 'column', c.relname || '.' || a.attname, c.relowner, a.attacl
    from pg_attribute a join pg_class c on c.oid = a.attrelid
   where c.relnamespace = 'ledger'::regnamespace and a.attacl is not null and not a.attisdropped
  union all
  select 'function', p.proname || '(' || oidvectortypes(p.proargtypes) || ')', p.proowner,
         coalesce(p.proacl, acldefault('f', p.proowner))
    from pg_proc p where p.pronamespace = 'ledger'::regnamespace
  union all
  select 'type', t.typname, t.typowner, coalesce(t.typacl, acldefault('T', t.typowner))
    from pg_type t
   where t.typnamespace = 'ledger'::regnamespace and t.typrelid = 0 and t.typelem = 0
)
select case x.grantee when 0 then 'PUBLIC' else x.grantee::regrole::text end, a.kind || ' ' || a.object,
       x.privilege_type || case when x.is_grantable then ' with grant option' else '' end
  from acl a, aclexplode(a.acl) x
 where x.grantee <> a.owner
union all
select a.owner::regrole::text, a.kind || ' ' || a.object, 'owner' from acl a where a.kind not in ('database', 'column')
"""

_DEFINED = """
select 'function ' || p.proname || '(' || oidvectortypes(p.proargtypes) || ')', p.proowner::regrole::text
  from pg_proc p where p.pronamespace = 'ledger'::regnamespace and p.prosecdef
"""

_ATTRIBUTES = r"""
select r.rolname,
       concat_ws(', ', case when r.rolcanlogin then 'logs in' else 'never logs in' end,
                 case when r.rolsuper then 'SUPERUSER' end, case when r.rolbypassrls then 'BYPASSRLS' end,
                 case when r.rolcreaterole then 'CREATEROLE' end, case when r.rolcreatedb then 'CREATEDB' end,
                 case when r.rolreplication then 'REPLICATION' end,
                 (select 'belongs to ' || string_agg(m.roleid::regrole::text, ' and ' order by 1)
                    from pg_auth_members m where m.member = r.oid))
  from pg_roles r where r.rolname like 'ledger\_%' order by 1
"""

_HEAD = """\
# Rights

Every right of every role, read from the catalog of a live database. Written by `make rights`; the test suite compares
it with what it finds (`tests/isolation/test_rights.py`). What is not here is not there.

Surfaces log in; definers never do, and their functions run under row-level security that they may not bypass
(`schema/01_roles.sql`). "Runs as" is the definer; a function without one runs as whoever calls it.
"""


def rights(connection: psycopg.Connection[Any]) -> list[Right]:
    """Every right on the ledger's schema and on its database that is not its owner's, and every ownership."""
    found = connection.execute(_OF_OBJECTS).fetchall()
    return sorted({(role, what.strip(), right) for role, what, right in found})


def page(connection: psycopg.Connection[Any]) -> str:
    """The page: for each role its attributes, its objects, and its rights on each."""
    runs_as: dict[str, str] = dict(connection.execute(_DEFINED).fetchall())
    attributes: dict[str, str] = dict(connection.execute(_ATTRIBUTES).fetchall())
    of_role = {role: list(group) for role, group in groupby(rights(connection), key=lambda right: right[0])}
    installer = set(of_role) - set(attributes) - {"PUBLIC"}
    sections = [_HEAD]
    for role in ["PUBLIC", *attributes]:
        sections.append(
            "\n".join(_section(role, attributes.get(role, "everybody"), of_role.get(role, []), runs_as))
        )
    for role in sorted(installer):  # nobody but the installer, who is named differently everywhere
        owned = [what for _, what, right in of_role[role] if right == "owner"]
        sections.append(f"## The installer\n\nowns {', '.join(f'`{one}`' for one in owned)}.\n")
    return "\n".join(sections)


def _section(role: str, is_: str, held: list[Right], runs_as: dict[str, str]) -> Iterator[str]:
    yield f"## {role}\n\n{is_[0].upper()}{is_[1:]}.\n"
    if not held:
        yield "No right on anything.\n"
        return
    yield "| object | right | runs as |\n| --- | --- | --- |"
    for what, group in groupby(held, key=lambda right: right[1]):
        kinds = ", ".join(right for _, _, right in group)
        definer = runs_as.get(what)
        yield f"| `{what}` | {kinds} | {f'`{definer}`' if definer else ''} |"
    yield ""


def _main() -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        EmbeddedServer.open(Path(folder) / "data", lasting=False) as server,
    ):
        with psycopg.connect(server.admin_conninfo(), autocommit=True) as admin:
            admin.execute("create database ledger")
        conninfo = server.admin_conninfo("ledger")
        migrations.migrate(conninfo, Passwords.new(logins.ROLES), bare_forms=())
        with psycopg.connect(conninfo) as connection:
            sys.stdout.write(page(connection))


if __name__ == "__main__":
    _main()
