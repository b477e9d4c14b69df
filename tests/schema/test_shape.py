"""What the database consists of, and nothing else: the allow-list, the roles, the rights, the policies.

Run on every PostgreSQL found. A column, a right or a policy that is not on these lists fails here first.
"""

from __future__ import annotations

import re

import psycopg
import pytest

from ledger import notices
from ledger.db import expected

OF_PRINCIPALS = set(expected.OF_PRINCIPALS)


def test_the_columns_are_the_allow_list(any_database):
    found = any_database.rows(
        """select c.relname, a.attname, format_type(a.atttypid, null)
             from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace = 'ledger'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')
              and a.attnum > 0 and not a.attisdropped"""
    )
    assert set(found) == {
        (table, name, kind) for table, columns in expected.COLUMNS.items() for name, kind in columns.items()
    }


def test_nothing_but_tables_functions_and_their_indexes_is_in_the_schema(any_database):
    kinds = any_database.rows(
        "select distinct relkind::text from pg_class where relnamespace = 'ledger'::regnamespace"
    )
    assert {kind for (kind,) in kinds} == {"r", "i"}, "no view, no sequence, no foreign table"


def test_no_column_of_a_principal_can_hold_an_instant_a_serial_or_an_address(any_database):
    kinds = {kind for table in OF_PRINCIPALS for kind in expected.COLUMNS[table].values()}
    assert kinds == {"uuid", "text", "text[]", "date", "boolean", "integer"}
    defaults = any_database.rows(
        """select c.relname, pg_get_expr(d.adbin, d.adrelid)
             from pg_attrdef d join pg_class c on c.oid = d.adrelid
            where c.relnamespace = 'ledger'::regnamespace and c.relname = any(%s)""",
        sorted(OF_PRINCIPALS),
    )
    assert set(defaults) == {("legal_hold", "false"), ("legal_hold", "'{}'::text[]")}


@pytest.mark.parametrize("n", [1, 4, 7])
def test_the_table_itself_refuses_a_figure_that_shows_too_much(any_database, n):
    """Rounded to 5, none below 5: a sweep that counts otherwise fails."""
    with pytest.raises(psycopg.errors.CheckViolation):
        any_database.installer.execute("insert into ledger.snapshot values ('kids', 3, %s)", (n,))


@pytest.mark.parametrize("table", ["consent", "consent_history"])
def test_the_form_of_a_notices_version_is_that_of_its_files(any_database, table):
    (check,) = any_database.rows(
        "select pg_get_constraintdef(oid) from pg_constraint where conrelid = %s::regclass and conname like '%%notice%%'",
        f"ledger.{table}",
    )[0]
    assert f"'^{notices.VERSION}$'" in check


@pytest.mark.parametrize(
    "notice", ["2026-11-30T14:03 thread/42", "2026-11-30-14.03", "11-30.1403-7", "12345", "V1", ""]
)
@pytest.mark.parametrize("table", ["consent", "consent_history"])
def test_the_table_itself_refuses_a_notice_that_says_when_or_where(any_database, table, notice):
    with pytest.raises(psycopg.errors.CheckViolation):
        any_database.installer.execute(
            f"insert into ledger.{table} (principal, decision, decided_on, notice)"
            " values (gen_random_uuid(), 'granted', '2026-09-01', %s)",
            (notice,),
        )


def test_no_foreign_key_leads_from_a_principals_row(any_database):
    assert (
        any_database.rows(
            "select conname from pg_constraint where contype = 'f' and connamespace = 'ledger'::regnamespace"
        )
        == []
    )


def test_the_guard_rail_knows_the_same_columns(any_database):
    ((source,),) = any_database.rows("select prosrc from pg_proc where proname = 'keep_columns_closed'")
    listed = re.findall(r"\('(\w+)', '(\w+)', '([\w \[\]]+)'\)", source[source.index("('entry', ") :])
    assert sorted(listed) == sorted(
        (table, name, kind) for table, columns in expected.COLUMNS.items() for name, kind in columns.items()
    )


@pytest.mark.parametrize(
    "addition",
    [
        "alter table ledger.entry add column said_at timestamptz",
        "alter table ledger.entry add column serial bigserial",
        "alter table ledger.audit alter column on_day type timestamptz",
        "alter table ledger.entry rename column as_of to thread",
        "create table ledger.chat (principal uuid)",
        "create table ledger.chat as select * from ledger.entry",
        "create view ledger.peek as select * from ledger.entry",
        "create sequence ledger.serial",
        "alter table ledger.entry add foreign key (topic) references ledger.topic",
        "create table public.chat (n int); alter table public.chat set schema ledger",
    ],
)
def test_the_columns_are_closed(any_database, addition):
    with pytest.raises(psycopg.Error) as refused:
        any_database.installer.execute(addition)
    assert refused.value.sqlstate == "LG008"
    test_the_columns_are_the_allow_list(any_database)


def test_a_distributed_engine_may_make_its_shards_and_others_their_own_tables(any_database):
    any_database.installer.execute("create table public.chat (said_at timestamptz)")
    any_database.installer.execute("set application_name = 'citus_internal gpid=1'")
    any_database.installer.execute("create table ledger.entry_102008 (like ledger.entry including all)")


def test_no_trigger_is_on_any_table(any_database):
    assert (
        any_database.rows(
            "select tgname from pg_trigger t join pg_class c on c.oid = t.tgrelid where c.relnamespace = 'ledger'::regnamespace"
        )
        == []
    )


def test_every_table_of_principals_leads_with_the_principal(any_database):
    found = any_database.rows(
        """select c.relname,
                  (select a.attname from pg_attribute a where a.attrelid = c.oid and a.attnum = 1),
                  (select a.attname from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = i.indkey[0]
                    where i.indrelid = c.oid and i.indisprimary),
                  (select count(*) from pg_index i where i.indrelid = c.oid)
             from pg_class c where c.relnamespace = 'ledger'::regnamespace and c.relname = any(%s)""",
        sorted(OF_PRINCIPALS),
    )
    assert {row[1:] for row in found} == {("principal", "principal", 1)}
    assert {row[0] for row in found} == OF_PRINCIPALS


def test_row_level_security_is_on_and_forced_on_every_table_of_principals(any_database):
    unforced = any_database.rows(
        """select relname from pg_class where relnamespace = 'ledger'::regnamespace and relname = any(%s)
             and not (relrowsecurity and relforcerowsecurity)""",
        sorted(OF_PRINCIPALS),
    )
    assert unforced == []


def test_the_policies_are_the_reviewed_ones(any_database):
    found = any_database.rows(
        """select tablename, policyname, permissive, array_to_string(array(select unnest(roles)::text order by 1), ' '), cmd
             from pg_policies where schemaname = 'ledger'"""
    )
    assert set(found) == set(expected.policies())


def test_no_role_of_ours_may_bypass_row_level_security_or_belongs_to_another(any_database):
    assert (
        any_database.rows(
            "select rolname from pg_roles where rolname like 'ledger\\_%%' and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)"
        )
        == []
    )
    assert (
        any_database.rows(
            """select m.roleid::regrole::text, m.member::regrole::text from pg_auth_members m
            where m.member::regrole::text like 'ledger\\_%%'"""
        )
        == []
    )
    login = any_database.rows(
        "select rolname from pg_roles where rolname like 'ledger\\_%%' and rolcanlogin order by 1"
    )
    assert [name for (name,) in login] == [
        "ledger_agent",
        "ledger_capture",
        "ledger_operator",
        "ledger_principal",
        "ledger_sweeper",
    ]


def test_the_grants_on_tables_are_the_reviewed_ones(any_database):
    found = any_database.rows(
        """select c.relname, coalesce(nullif(x.grantee, 0)::regrole::text, 'PUBLIC'), x.privilege_type, null
             from pg_class c, aclexplode(coalesce(c.relacl, acldefault('r', c.relowner))) x
            where c.relnamespace = 'ledger'::regnamespace and c.relkind = 'r' and x.grantee <> c.relowner
           union all
           select c.relname, coalesce(nullif(x.grantee, 0)::regrole::text, 'PUBLIC'), x.privilege_type, a.attname
             from pg_class c join pg_attribute a on a.attrelid = c.oid, aclexplode(a.attacl) x
            where c.relnamespace = 'ledger'::regnamespace and a.attacl is not null"""
    )
    assert set(found) == set(expected.table_grants(any_database.installer.info.server_version))


def test_a_surface_holds_execute_on_its_functions_and_nothing_else(any_database):
    found = any_database.rows(
        """select p.proname, p.proowner::regrole::text, coalesce(nullif(x.grantee, 0)::regrole::text, 'PUBLIC')
             from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
            where p.pronamespace = 'ledger'::regnamespace and x.grantee <> p.proowner"""
    )
    surfaces = {row for row in found if row[2] in expected.SURFACES or row[2] == "PUBLIC"}
    assert surfaces == set(expected.function_grants())


def test_every_function_that_runs_as_its_owner_has_a_fixed_search_path_and_a_bound_owner(any_database):
    found = any_database.rows(
        """select p.proname, p.proowner::regrole::text, p.proconfig, p.proisstrict
             from pg_proc p where p.pronamespace = 'ledger'::regnamespace and p.prosecdef"""
    )
    assert found
    for name, owner, config, strict in found:
        assert "search_path=pg_catalog, ledger, pg_temp" in config, name
        assert owner in expected.DEFINERS or (name in expected.OWNERS and owner == "ledger_owner"), name
        for printing in ("parse", "rewritten", "plan"):
            assert f"debug_print_{printing}=off" in config, name
        assert strict, f"{name} must be STRICT: a null argument does nothing"


@pytest.mark.parametrize(
    "name", ["pg_advisory_lock", "pg_advisory_xact_lock", "pg_try_advisory_lock", "pg_advisory_unlock_all"]
)
def test_no_raw_login_can_hold_a_lock_that_stops_captures(any_database, name):
    holders = any_database.rows(
        """select distinct coalesce(nullif(x.grantee, 0)::regrole::text, 'PUBLIC')
             from pg_proc p, aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) x
            where p.proname = %s and x.grantee <> p.proowner""",
        name,
    )
    assert {holder for (holder,) in holders} == {"ledger_writer", "ledger_registrar", "ledger_custodian"}


def test_principals_columns_keep_no_statistics_and_answers_are_stored_plain(any_database):
    kept = any_database.rows(
        """select c.relname, a.attname from pg_class c join pg_attribute a on a.attrelid = c.oid
            where c.relnamespace = 'ledger'::regnamespace and c.relname = any(%s) and a.attnum > 0
              and a.attstattarget is distinct from 0""",
        sorted(OF_PRINCIPALS),
    )
    assert kept == []
    storage = any_database.rows(
        """select distinct a.attstorage::text from pg_attribute a
            where a.attrelid in ('ledger.entry'::regclass, 'ledger.pending'::regclass) and a.attname = 'answer'"""
    )
    assert storage == [("p",)]
