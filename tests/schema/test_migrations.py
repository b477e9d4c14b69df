"""One schema, told three times: the files that a reviewer reads, the migrations, the classes in Python."""

from __future__ import annotations

import hashlib
import time
import warnings
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from sqlalchemy import create_engine, inspect

from ledger.db import migrations, models, revisions
from ledger.errors import NoLedger, SchemaTooNew, SetupError

SCHEMA = migrations.schema_folder()

# Everything that the catalog says about the schema, as text that can be compared.
DESCRIPTION = """
select 'column', c.relname, a.attnum::text, a.attname, format_type(a.atttypid, a.atttypmod),
       concat_ws(' ', a.attnotnull, a.attstorage, a.attstattarget, a.attcollation::regcollation,
                 pg_get_expr(d.adbin, d.adrelid))
  from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
  left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
 where c.relnamespace = 'ledger'::regnamespace and c.relkind = 'r'
union all
select 'constraint', conrelid::regclass::text, conname, pg_get_constraintdef(oid), '', ''
  from pg_constraint where connamespace = 'ledger'::regnamespace
union all
select 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid), '', '', ''
  from pg_index where indrelid::regclass::text like 'ledger.%'
union all
select 'policy', tablename, policyname, roles::text, cmd, concat_ws(' / ', qual, with_check)
  from pg_policies where schemaname = 'ledger'
union all
select 'function', proname, pg_get_functiondef(oid), proowner::regrole::text, proacl::text, ''
  from pg_proc where pronamespace = 'ledger'::regnamespace
union all
select 'table', relname, relowner::regrole::text, relacl::text, concat_ws(' ', relrowsecurity, relforcerowsecurity),
       coalesce(obj_description(oid), '')
  from pg_class where relnamespace = 'ledger'::regnamespace and relkind = 'r'
order by 1, 2, 3, 4
"""


def test_the_migrations_make_what_the_files_say(any_server, any_database):
    by_files = any_server.empty()
    with psycopg.connect(by_files, autocommit=True) as connection:
        connection.execute("create schema ledger")
        connection.execute(
            "create table ledger.version (version_num varchar(32) not null, constraint version_pkc primary key (version_num))"
        )
        for path in sorted(SCHEMA.glob("[0-9]*.sql")):
            connection.execute(path.read_text("utf-8"))
        files = connection.execute(DESCRIPTION).fetchall()
    assert any_database.rows(DESCRIPTION) == files


def test_released_migrations_are_unchanged():
    released = dict(
        line.split()[::-1] for line in (SCHEMA / "migrations" / "released.sha256").read_text().splitlines()
    )
    found = {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (SCHEMA / "migrations").glob("0*.*")
    }
    assert found == released, "a released migration is never edited: write a new one"


def test_the_release_is_made_for_the_newest_revision():
    assert revisions.newest(migrations.revisions_folder()) == migrations.HEAD


def test_the_classes_are_the_database(database):
    engine = create_engine("postgresql+psycopg://", creator=lambda: psycopg.connect(database.conninfo))
    with warnings.catch_warnings():
        # SQLAlchemy has no name for it; the allow-list has
        warnings.filterwarnings("ignore", "Did not recognize type 'xid8'")
        looked = inspect(engine)
        found = {
            table: (
                {c["name"]: bool(c["nullable"]) for c in looked.get_columns(table, schema="ledger")},
                looked.get_pk_constraint(table, schema="ledger")["constrained_columns"],
            )
            for table in looked.get_table_names(schema="ledger")
        }
    engine.dispose()
    assert found == {
        table.name: ({c.name: bool(c.nullable) for c in table.columns}, [c.name for c in table.primary_key])
        for table in models.Table.metadata.sorted_tables
    }


def test_a_second_run_changes_nothing(wheel_server):
    empty = wheel_server.empty()
    assert migrations.migrate(empty, wheel_server.passwords, ["no"]) == [migrations.HEAD]
    assert migrations.migrate(empty, wheel_server.passwords, ["no"]) == []


def test_processes_that_open_one_database_at_the_same_moment_do_not_stop_each_other(wheel_server):
    conninfo = wheel_server.empty()
    migrations.migrate(conninfo, wheel_server.passwords, ["no"])
    with (
        ThreadPoolExecutor(1) as other,
        psycopg.connect(conninfo) as first,
        psycopg.connect(conninfo, autocommit=True) as looking,
    ):
        first.execute("alter role ledger_agent connection limit -1")
        second = other.submit(set_passwords, conninfo, wheel_server.passwords)
        while (
            not looking.execute("select 1 from pg_locks where not granted").fetchall() and not second.done()
        ):
            time.sleep(0.01)
        first.commit()
        second.result()


def set_passwords(conninfo, passwords):
    with migrations.installing(conninfo) as installation:
        installation.set_passwords(passwords)


def test_a_database_without_a_ledger_says_what_to_do():
    with pytest.raises(NoLedger, match="answer-ledger migrate"):
        migrations.check(None)


def test_a_newer_schema_is_refused_and_left_as_it_is(wheel_server):
    empty = wheel_server.empty()
    migrations.migrate(empty, wheel_server.passwords, ["no"])
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute("update ledger.version set version_num = '9999'")
    with pytest.raises(SchemaTooNew, match="newer release"):
        migrations.migrate(empty, wheel_server.passwords, ["no"])
    with pytest.raises(SchemaTooNew):
        migrations.check("9999")


def test_an_installer_without_the_right_to_make_roles_is_told_so(wheel_server):
    empty = wheel_server.empty()
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute("drop role if exists poor_installer")
        connection.execute("create role poor_installer login password 'poor'")
    poor = psycopg.conninfo.make_conninfo(empty, user="poor_installer", password="poor")
    with pytest.raises(SetupError, match="CREATEROLE"):
        migrations.migrate(poor, wheel_server.passwords, ["no"])


@pytest.mark.parametrize(
    ("right", "back"),
    [
        ("alter role ledger_writer bypassrls", "alter role ledger_writer nobypassrls"),
        ("grant pg_monitor to ledger_agent", "revoke pg_monitor from ledger_agent"),
        ("alter role ledger_custodian login", "alter role ledger_custodian nologin"),
        ("create role bob; grant ledger_writer to bob", "drop role bob"),
    ],
)
def test_a_role_that_is_there_already_with_rights_stops_the_installation(wheel_server, right, back):
    empty = wheel_server.empty()
    with psycopg.connect(empty, autocommit=True) as connection:
        connection.execute(right)
        try:
            with pytest.raises(SetupError, match="there already"):
                migrations.migrate(empty, wheel_server.passwords, ["no"])
        finally:
            connection.execute(back)


def test_the_list_of_bare_answers_is_that_of_the_release(wheel_server):
    empty = wheel_server.empty()
    for forms in (["no", "yes"], ["no", "same"]):
        migrations.migrate(empty, wheel_server.passwords, forms)
        with psycopg.connect(empty) as connection:
            found = connection.execute("select form from ledger.bare_form order by 1").fetchall()
        assert [form for (form,) in found] == forms
