"""The schema of a live database, held against what this release consists of (db/expected.py)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ledger.db import expected
from ledger.db.inspection.finding import Finding, Query, known, none
from ledger.db.migrations import OLDEST_SERVER


def server(version: int) -> Finding:
    return Finding(
        "server version",
        version >= OLDEST_SERVER,
        f"{version // 10000}.{version % 10000}",
        "use PostgreSQL 15 or newer",
    )


_KINDS = {"v": "view", "m": "materialized view", "f": "foreign table", "S": "sequence", "c": "type"}


def columns(rows: Query) -> Iterator[Finding]:
    there = set(rows(
        """select c.relname, a.attname, format_type(a.atttypid, null), c.relkind::text
             from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace = 'ledger'::regnamespace and c.relkind not in ('i', 'I', 't')
              and a.attnum > 0 and not a.attisdropped"""
    ))  # fmt: skip
    kinds = {table: _KINDS.get(relkind, "table") for table, _, _, relkind in there}
    there = {(table, name, kind) for table, name, kind, _ in there}
    allowed = {(t, name, kind) for t, columns in expected.COLUMNS.items() for name, kind in columns.items()}
    strange = sorted(f"{table}.{name} is not on the list" for table, name, _ in there - allowed)
    missing = sorted(f"{table}.{name} is missing" for table, name, _ in allowed - there)
    dropping = [
        f"alter table ledger.{table} drop column {name};"
        if table in expected.COLUMNS
        else f"drop {kinds[table]} ledger.{table};"
        for table, name, _ in sorted(there - allowed)
        if name not in expected.COLUMNS.get(table, {})  # of another type: no line mends that
    ]
    yield Finding(
        "columns", not strange and not missing,
        ", ".join([*strange, *missing]) or f"the {len(allowed)} of the allow-list",
        "drop what is not on the list; what is missing, or of another type, comes back from a backup",
        commands=tuple(dict.fromkeys(dropping)),
    )  # fmt: skip


def guard(rows: Query) -> Iterator[Finding]:
    """An event trigger takes a superuser, and does no more than refuse early what `columns` finds."""
    there = rows(
        """select 1 from pg_event_trigger e join pg_proc p on p.oid = e.evtfoid
            where e.evtenabled <> 'D' and p.pronamespace = 'ledger'::regnamespace"""
    )
    yield Finding(
        "event trigger against new columns",
        True,
        "it is there" if there else "there is none",
        "run doctor regularly; as a superuser, answer-ledger migrate may set one up",
        residue=not there,
    )


def row_security(rows: Query) -> Iterator[Finding]:
    loose = rows(
        """select relname, format('alter table ledger.%%I enable row level security, force row level security;', relname)
             from pg_class where relnamespace = 'ledger'::regnamespace and relname = any(%s)
              and not (relrowsecurity and relforcerowsecurity)""",
        list(expected.OF_PRINCIPALS),
    )
    yield none(
        "tables of principals without forced row-level security",
        loose,
        "find out who changed them: not even their owner is to pass by it",
    )
    there = set(rows(
        """select tablename, policyname, permissive, array_to_string(array(select unnest(roles)::text order by 1), ' '), cmd
             from pg_policies where schemaname = 'ledger'"""
    ))  # fmt: skip
    wrong = [
        (
            f"{table}.{name}",
            *([f"drop policy {name} on ledger.{table};"] if (table, name, *rest) in there else []),
        )
        for table, name, *rest in there ^ set(expected.policies())
    ]
    yield none("policies other than the reviewed", wrong, "compare with schema/03_policies.sql")


def grants(rows: Query) -> Iterator[Finding]:
    there = set(rows(
        """select c.relname, coalesce(nullif(x.grantee, 0)::regrole::text, 'PUBLIC'), x.privilege_type, null
             from pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) x
            where c.relnamespace = 'ledger'::regnamespace and c.relkind = 'r' and x.grantee <> c.relowner
           union all
           select c.relname, coalesce(nullif(x.grantee, 0)::regrole::text, 'PUBLIC'), x.privilege_type, a.attname
             from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) x
            where c.relnamespace = 'ledger'::regnamespace and a.attacl is not null"""
    ))  # fmt: skip
    ((version,),) = rows("select current_setting('server_version_num')::integer")
    reviewed = set(expected.table_grants(version))
    wrong = [
        (
            f"{role}: {right} on {table}",
            ("revoke {0}{1} on ledger.{2} from {3};" if (table, role, right, column) in there
             else "grant {0}{1} on ledger.{2} to {3};").format(right.lower(), f" ({column})" if column else "", table, role),
        )
        for table, role, right, column in there ^ reviewed
    ]  # fmt: skip
    yield none("rights on tables other than the reviewed", wrong, "compare with schema/10_grants.sql")
    calls = set(rows(
        """select p.proname, p.proowner::regrole::text, coalesce(nullif(x.grantee, 0)::regrole::text, 'PUBLIC')
             from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
            where p.pronamespace = 'ledger'::regnamespace and x.grantee <> p.proowner"""
    ))  # fmt: skip
    surfaces = {call for call in calls if call[2] in expected.SURFACES or call[2] == "PUBLIC"}
    reviewed_calls = set(expected.function_grants())
    wrong = [
        (f"{role}: {name}", _of_calls(name, owner, role, surfaces, reviewed_calls))
        for name, owner, role in surfaces ^ reviewed_calls
    ]
    yield none("calls of surfaces other than the reviewed", wrong, "compare with schema/10_grants.sql")
    shared = rows(
        """select coalesce(nullif(x.grantee, 0)::regrole::text, 'PUBLIC') || ': ' || x.privilege_type,
                  format('revoke %s on schema ledger from %s;', lower(x.privilege_type),
                         coalesce(nullif(x.grantee, 0)::regrole::text, 'public'))
             from pg_namespace n, aclexplode(coalesce(n.nspacl, acldefault('n', n.nspowner))) x
            where n.nspname = 'ledger' and x.grantee <> n.nspowner
              and (x.privilege_type = 'CREATE' or x.grantee = 0)"""
    )
    yield none("rights of others on the schema", shared, "find out who gave them")


def _of_calls(name: str, owner: str, role: str, there: set[Any], reviewed: set[Any]) -> str:
    owners = {one: whose for one, whose, _ in reviewed}
    if owners.get(name, owner) != next((whose for one, whose, _ in there if one == name), owners.get(name)):
        return f"alter function ledger.{name} owner to {owners[name]};"
    if (name, owner, role) in there:
        return f"revoke execute on function ledger.{name} from {role};"
    return f"grant execute on function ledger.{name} to {role};"


def functions(rows: Query) -> Iterator[Finding]:
    loose = rows(
        """select proname from pg_proc where pronamespace = 'ledger'::regnamespace and prosecdef
             and not coalesce('search_path=pg_catalog, ledger, pg_temp' = any(proconfig), false)"""
    )
    yield none(
        "functions without a fixed search_path",
        loose,
        "run answer-ledger migrate, or create the function anew",
    )
    unbound = rows(
        """select proname || ' of ' || proowner::regrole from pg_proc
            where pronamespace = 'ledger'::regnamespace and prosecdef and not proowner::regrole::text = any(%s)
              and not (proname = any(%s) and proowner::regrole::text = 'ledger_owner')""",
        list(expected.DEFINERS),
        list(expected.OWNERS),
    )
    yield none(
        "functions that run as a role past row-level security",
        unbound,
        "alter function ... owner to its definer (schema/10_grants.sql)",
    )
    lasting = rows(
        """select proname from pg_proc where pronamespace = 'ledger'::regnamespace
              and regexp_replace(prosrc, '\\s+', ' ', 'g') ~* 'set_config\\s*\\([^;]*,\\s*false\\s*\\)'"""
    )
    yield none(
        "functions that set something for longer than their transaction",
        lasting,
        "create the function anew: set_config(..., true)",
    )


def hangers_on(rows: Query) -> Iterator[Finding]:
    """What reads or changes the tables without standing in the schema."""
    there = rows(
        """select case v.relkind when 'm' then 'materialized ' else '' end || 'view ' || v.oid::regclass,
                  format('drop %%s %%s;', case v.relkind when 'm' then 'materialized view' else 'view' end, v.oid::regclass)
             from pg_depend d join pg_rewrite r on r.oid = d.objid join pg_class v on v.oid = r.ev_class
             join pg_class t on t.oid = d.refobjid
            where d.classid = 'pg_rewrite'::regclass and d.refclassid = 'pg_class'::regclass and v.oid <> t.oid
              and v.relkind in ('v', 'm')
              and t.relnamespace = 'ledger'::regnamespace
           union
           select 'trigger ' || g.tgname, format('drop trigger %%I on %%s;', g.tgname, t.oid::regclass) from pg_trigger g join pg_class t on t.oid = g.tgrelid
            where t.relnamespace = 'ledger'::regnamespace
           union
           select 'rule ' || r.rulename, format('drop rule %%I on %%s;', r.rulename, t.oid::regclass) from pg_rewrite r join pg_class t on t.oid = r.ev_class
            where t.relnamespace = 'ledger'::regnamespace and t.relkind = 'r'
           union
           select 'foreign key ' || c.conname, format('alter table %%s drop constraint %%I;', c.conrelid::regclass, c.conname)
             from pg_constraint c
            where c.contype = 'f' and (c.connamespace = 'ledger'::regnamespace
                                       or c.confrelid in (select oid from pg_class where relnamespace = 'ledger'::regnamespace))
           union
           select 'child ' || i.inhrelid::regclass, format('drop table %%s;', i.inhrelid::regclass) from pg_inherits i join pg_class t on t.oid = i.inhparent
            where t.relnamespace = 'ledger'::regnamespace and t.relkind in ('r', 'p')
           union
           select 'sequence ' || c.relname, format('drop sequence ledger.%%I;', c.relname) from pg_class c
            where c.relnamespace = 'ledger'::regnamespace and c.relkind = 'S'
           union
           select 'index ' || x.relname, format('drop index ledger.%%I;', x.relname) from pg_index i join pg_class x on x.oid = i.indexrelid
             join pg_class t on t.oid = i.indrelid
            where t.relnamespace = 'ledger'::regnamespace and t.relkind in ('r', 'p')
              and not i.indisprimary and x.relname <> all (%s)
              and not exists (select from pg_constraint k where k.conindid = x.oid)""",
        list(expected.INDEXES),
    )
    yield none(
        "what hangs on the tables, such as a view or a trigger",
        there,
        "drop it: it reads, changes or keeps rows past the functions",
    )


def statistics(rows: Query) -> Iterator[Finding]:
    kept = rows(
        """select c.relname, format('alter table ledger.%%I alter column %%I set statistics 0;', c.relname, a.attname)
             from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace = 'ledger'::regnamespace and c.relname = any(%s) and a.attnum > 0
              and not a.attisdropped and a.attstattarget is distinct from 0
           union
           select tablename, format('analyze ledger.%%I;', tablename) from pg_stats where schemaname = 'ledger' and tablename = any(%s)
           union
           select c.relname, format('drop statistics %%s.%%I;', e.stxnamespace::regnamespace, e.stxname) from pg_statistic_ext e join pg_class c on c.oid = e.stxrelid
            where c.relnamespace = 'ledger'::regnamespace and c.relname = any(%s)""",
        *[[table for table in expected.COLUMNS if table != "version"]] * 3,
    )
    yield none(
        "tables that keep statistics",
        kept,
        "alter table ... alter column ... set statistics 0, drop statistics ..., and analyze",
    )


def storage(rows: Query) -> Iterator[Finding]:
    apart = rows(
        """select c.relname, format('alter table ledger.%I alter column answer set storage plain;', c.relname)
             from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace = 'ledger'::regnamespace and a.attname = 'answer' and a.attstorage <> 'p'"""
    )
    yield none(
        "tables that store answers otherwise than plain",
        apart,
        "values that are stored apart keep the order of writing",
    )


def extensions(rows: Query) -> Iterator[Finding]:
    there = rows(
        "select extname, format('drop extension %I;', extname) from pg_extension where extname in ('pg_stat_statements', 'pageinspect', 'pg_walinspect', 'pg_surgery')"
    )
    yield none("extensions that keep statements or show dead rows", there, "find out who needs it")


def large_objects(rows: Query) -> Iterator[Finding]:
    there = rows(
        "select lomowner::regrole || ': ' || count(*) from pg_largeobject_metadata group by lomowner"
    )
    yield known(
        "large objects",
        there,
        "the ledger makes none: look whose they are, and lo_unlink them",
    )


def vacuum(rows: Query) -> Iterator[Finding]:
    """A sweep ends with a vacuum of what it wrote, which a transaction that is open for long holds back."""
    ((may_look,),) = rows(
        """select has_schema_privilege('ledger', 'usage') and has_table_privilege(c.oid, 'select')
             from pg_class c where c.relnamespace = 'ledger'::regnamespace and c.relname = 'piece_mark'"""
    ) or [(False,)]
    about = "tables that no vacuum has cleaned since their last re-stamp"
    if not may_look:
        yield Finding(about, True, "not looked at", "look as the login that ran migrate", residue=True)
        return
    behind = rows(
        """select m.piece::text from ledger.piece_mark m join pg_class c on c.oid = m.piece
            where age(c.relfrozenxid) >= age(m.stamp::xid)"""
    )
    yield none(
        about,
        behind,
        "end the transaction that is open for long (select pid, xact_start from pg_stat_activity order by 2), leave "
        "autovacuum on, and run answer-ledger sweep",
    )


def leftover_files(rows: Query) -> Iterator[Finding]:
    """A crash while a table is written anew leaves the new file behind, in no catalog and for good."""
    about = "files of the database that belong to no table"
    ((may_look,),) = rows(
        """select has_function_privilege('pg_ls_dir(text)', 'execute')
              and has_function_privilege('pg_stat_file(text, boolean)', 'execute')"""
    )
    if not may_look:
        yield Finding(about, True, "not looked at", "look as a superuser", residue=True)
        return
    left = rows(
        r"""select 'base/' || d.oid || '/' || f.name
              from pg_database d
              cross join lateral pg_ls_dir('base/' || d.oid) as f(name)
              cross join lateral pg_stat_file('base/' || d.oid || '/' || f.name, true) as s
             where d.datname = current_database() and f.name ~ '^[0-9]+(_[a-z]+)?(\.[0-9]+)?$' and s.size > 0
               and not exists (select from pg_class c
                                where pg_relation_filenode(c.oid) = substring(f.name from '^[0-9]+')::oid)"""
    )
    yield none(
        about,
        left,
        "look again when no sweep runs; what is there still was left by a crash, and holds rows as they were: stop the "
        "server, and delete it from its data directory",
    )


LOOKS = (
    columns, guard, row_security, grants, functions, hangers_on, statistics, storage, vacuum, leftover_files,
    extensions, large_objects,
)  # fmt: skip
