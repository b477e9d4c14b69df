"""Looks at a live database for what leaks: whatever differs from what this release consists of.

Run as the installer, who sees the catalog. Each finding says what to do about it.

Source: DESIGN section 3 (G1), POSTGRESQL's documentation of each setting.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import psycopg

from ledger.db import expected
from ledger.db.migrations import OLDEST_SERVER


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: what it is, whether it is well, what was seen, what to do."""

    about: str
    well: bool
    seen: str
    todo: str = ""


Query = Callable[..., list[tuple[Any, ...]]]

# setting -> what is well, and what to do
_SETTINGS: dict[str, tuple[tuple[str, ...], str]] = {
    "log_statement": (("none",), "set it to none: statements beside an instant are a join key"),
    "log_min_duration_statement": (("-1",), "set it to -1: slow statements are logged with their instant"),
    "log_duration": (("off",), "set it to off: it logs when something was asked"),
    "log_min_duration_sample": (("-1",), "set it to -1: slow statements are logged with their instant"),
    "log_transaction_sample_rate": (("0",), "set it to 0: whole transactions are logged"),
    "log_lock_waits": (("off",), "set it to off: it logs who waited for whom, and when"),
    "log_min_messages": (("fatal", "panic"), "set it to fatal: error texts may hold values"),
    "log_min_error_statement": (("panic",), "set it to panic: failed statements are logged whole"),
    "log_parameter_max_length": (("0",), "set it to 0: parameters are his words"),
    "log_parameter_max_length_on_error": (("0",), "set it to 0: parameters are his words"),
    "log_connections": (("off", ""), "set it to off: it logs who came when"),
    "log_disconnections": (("off",), "set it to off: it logs who left when"),
    "track_commit_timestamp": (("off",), "set it to off: it keeps the instant of every transaction"),
    "archive_mode": (("off",), "keep the archive short and apart: the log keeps instants and deleted words"),
}


def findings(conninfo: str) -> list[Finding]:
    """Everything that was looked at, in order. Raises psycopg.Error where the database can't be reached."""
    with psycopg.connect(conninfo, autocommit=True) as connection:

        def rows(query: str, *parameters: Any) -> list[tuple[Any, ...]]:
            return connection.execute(query, parameters or None).fetchall()

        found = [_server(connection.info.server_version)]
        for look in (
            _columns,
            _roles,
            _row_security,
            _grants,
            _search_paths,
            _locks,
            _statistics,
            _settings,
            _role_settings,
            _extensions,
        ):
            found.extend(look(rows))
        return found


def _server(version: int) -> Finding:
    return Finding(
        "server version",
        version >= OLDEST_SERVER,
        f"{version // 10000}.{version % 10000}",
        "use PostgreSQL 15 or newer",
    )


def _columns(rows: Query) -> Iterator[Finding]:
    there = set(rows(
        """select c.relname, a.attname, format_type(a.atttypid, null)
             from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace = 'ledger'::regnamespace and c.relkind not in ('i', 'I', 't')
              and a.attnum > 0 and not a.attisdropped"""
    ))  # fmt: skip
    allowed = {(t, name, kind) for t, columns in expected.COLUMNS.items() for name, kind in columns.items()}
    strange = sorted(f"{table}.{name}" for table, name, _ in there - allowed)
    missing = sorted(f"{table}.{name}" for table, name, _ in allowed - there)
    yield Finding(
        "columns are the allow-list", not strange and not missing,
        ", ".join([*strange, *(f"no {name}" for name in missing)]) or f"{len(allowed)} columns",
        "drop what is not on the list; run answer-ledger migrate for what is missing",
    )  # fmt: skip


def _roles(rows: Query) -> Iterator[Finding]:
    strong = rows(
        "select rolname from pg_roles where rolname like 'ledger\\_%' and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb)"
    )
    yield _none("roles are bound by row-level security", strong, "alter role ... nosuperuser nobypassrls")
    members = rows(
        "select m.member::regrole::text from pg_auth_members m where m.member::regrole::text like 'ledger\\_%'"
    )
    yield _none("no role of ours belongs to another", members, "revoke the membership")


def _row_security(rows: Query) -> Iterator[Finding]:
    loose = rows(
        """select relname from pg_class where relnamespace = 'ledger'::regnamespace and relname = any(%s)
             and not (relrowsecurity and relforcerowsecurity)""",
        list(expected.OF_PRINCIPALS),
    )
    yield _none(
        "row-level security is forced", loose, "alter table ... enable, and force, row level security"
    )
    there = set(rows(
        """select tablename, policyname, permissive, array_to_string(array(select unnest(roles)::text order by 1), ' '), cmd
             from pg_policies where schemaname = 'ledger'"""
    ))  # fmt: skip
    wrong = [(f"{table}.{name}",) for table, name, *_ in there ^ set(expected.policies())]
    yield _none("policies are the reviewed ones", wrong, "compare with schema/03_policies.sql")


def _grants(rows: Query) -> Iterator[Finding]:
    there = set(rows(
        """select c.relname, coalesce(nullif(x.grantee, 0)::regrole::text, 'PUBLIC'), x.privilege_type, null
             from pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) x
            where c.relnamespace = 'ledger'::regnamespace and c.relkind = 'r' and x.grantee <> c.relowner
           union all
           select c.relname, coalesce(nullif(x.grantee, 0)::regrole::text, 'PUBLIC'), x.privilege_type, a.attname
             from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) x
            where c.relnamespace = 'ledger'::regnamespace and a.attacl is not null"""
    ))  # fmt: skip
    wrong = [
        (f"{role}: {right} on {table}",) for table, role, right, _ in there ^ set(expected.table_grants())
    ]
    yield _none("rights on tables are the reviewed ones", wrong, "compare with schema/10_grants.sql")
    calls = set(rows(
        """select p.proname, p.proowner::regrole::text, coalesce(nullif(x.grantee, 0)::regrole::text, 'PUBLIC')
             from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
            where p.pronamespace = 'ledger'::regnamespace and x.grantee <> p.proowner"""
    ))  # fmt: skip
    surfaces = {call for call in calls if call[2] in expected.SURFACES or call[2] == "PUBLIC"}
    wrong = [(f"{role}: {name}",) for name, _, role in surfaces ^ set(expected.function_grants())]
    yield _none("surfaces call their functions and no others", wrong, "compare with schema/10_grants.sql")


def _search_paths(rows: Query) -> Iterator[Finding]:
    loose = rows(
        """select proname from pg_proc where pronamespace = 'ledger'::regnamespace and prosecdef
             and not coalesce('search_path=pg_catalog, ledger, pg_temp' = any(proconfig), false)"""
    )
    yield _none(
        "functions have a fixed search_path", loose, "run answer-ledger migrate, or create the function anew"
    )


def _locks(rows: Query) -> Iterator[Finding]:
    open_ = rows(
        """select distinct p.proname from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
            where p.pronamespace = 'pg_catalog'::regnamespace and p.proname like 'pg\\_%advisory%' and x.grantee = 0"""
    )
    yield _none(
        "advisory locks are closed to PUBLIC",
        open_,
        "as a superuser: run answer-ledger migrate on a new database, or revoke execute",
    )


def _statistics(rows: Query) -> Iterator[Finding]:
    kept = rows(
        """select distinct c.relname from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace = 'ledger'::regnamespace and c.relname = any(%s) and a.attnum > 0
              and not a.attisdropped and a.attstattarget is distinct from 0""",
        list(expected.OF_PRINCIPALS),
    )
    yield _none(
        "no statistics on principals' columns", kept, "alter table ... alter column ... set statistics 0"
    )


def _settings(rows: Query) -> Iterator[Finding]:
    for name, value in rows(
        "select name, setting from pg_settings where name = any(%s) order by 1", list(_SETTINGS)
    ):
        allowed, todo = _SETTINGS[name]
        yield Finding(name, value in allowed, value or "off", todo)


def _role_settings(rows: Query) -> Iterator[Finding]:
    there = rows(
        """select s.setrole::regrole::text, split_part(c, '=', 1), substr(c, strpos(c, '=') + 1)
             from pg_db_role_setting s, unnest(s.setconfig) c
            where s.setrole::regrole::text like 'ledger\\_%'
              and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
            order by 1, 2"""
    )
    own = [(role, name, value) for role, name, value in there if name in _SETTINGS]
    for role, name, value in own:
        allowed, todo = _SETTINGS[name]
        yield Finding(f"{name} of {role}", value in allowed, value, f"for this role, {todo}")
    if not own:
        yield Finding("no role of ours has such settings of its own", True, "none else")


def _extensions(rows: Query) -> Iterator[Finding]:
    there = rows("select extname from pg_extension where extname in ('pg_stat_statements', 'pageinspect')")
    yield _none("no extension that keeps statements or shows dead rows", there, "drop extension ...")


def _none(about: str, wrong: list[tuple[Any, ...]], todo: str) -> Finding:
    return Finding(about, not wrong, ", ".join(sorted(str(row[0]) for row in wrong)) or "none else", todo)
