"""What somebody with the bare password of a surface may do besides calling its functions."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.db import expected
from ledger.db.inspection.finding import Finding, Query, known, none


def locks(rows: Query) -> Iterator[Finding]:
    open_ = rows(
        """select distinct p.proname, format('revoke execute on function %s from public;', p.oid::regprocedure)
             from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
            where p.pronamespace = 'pg_catalog'::regnamespace and p.proname like 'pg\\_%advisory%' and x.grantee = 0"""
    )
    yield none(
        "advisory locks that are open to PUBLIC",
        open_,
        "as a superuser: run answer-ledger migrate on a new database, or revoke execute",
    )


def temporary(rows: Query) -> Iterator[Finding]:
    there = rows(
        """select r from unnest(%s::text[]) r
            where has_database_privilege(r, current_database(), 'TEMPORARY')""",
        list(expected.SURFACES),
    )
    yield known(
        "logins that may make temporary tables",
        there,
        "revoke temporary on database ... from public: the functions are not deceived by them, the disk is filled",
    )
    creating = rows(
        """select r || ': ' || n.nspname, format('revoke create on schema %%I from public, %%I;', n.nspname, r)
             from unnest(%s::text[]) r, pg_namespace n
            where n.nspname !~ '^pg_(toast|temp)' and has_schema_privilege(r, n.oid, 'CREATE')
           union
           select r || ': the database', format('revoke create on database %%I from public, %%I;', current_database(), r)
             from unnest(%s::text[]) r
            where has_database_privilege(r, current_database(), 'CREATE')""",
        list(expected.SURFACES), list(expected.SURFACES),
    )  # fmt: skip
    yield none(
        "logins that may make tables or schemas that last",
        creating,
        "they could keep there what they know from elsewhere",
    )


def large_objects(rows: Query) -> Iterator[Finding]:
    there = rows(
        """select p.proname::text from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
            where p.pronamespace = 'pg_catalog'::regnamespace and x.grantee = 0 and x.privilege_type = 'EXECUTE'
              and p.proname in ('lo_create', 'lo_creat', 'lo_from_bytea')"""
    )
    yield known(
        "functions by which any login makes large objects",
        there,
        "as a superuser: revoke execute on function pg_catalog.lo_create(oid) and its like from public",
    )


def counters(rows: Query) -> Iterator[Finding]:
    """Open to PUBLIC in every PostgreSQL: they tell that something was written, never what."""
    there = rows(
        """select c.relname::text from pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) x
            where c.relnamespace = 'pg_catalog'::regnamespace and x.grantee = 0 and x.privilege_type = 'SELECT'
              and c.relname in ('pg_stat_all_tables', 'pg_stat_user_tables', 'pg_statio_all_tables',
                                'pg_stat_xact_all_tables', 'pg_stat_user_functions', 'pg_stat_all_indexes')"""
    )
    yield known(
        "views of statistics that are open to PUBLIC",
        there,
        "as a superuser: revoke select on them, and execute on pg_stat_get_..., from public",
    )


LOOKS = (locks, temporary, large_objects, counters)
