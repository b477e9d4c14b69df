"""The schema of a live database: whatever differs from the release is found, named, and told what to do about."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger.db import inspection

BY_HAND = ("tables that no vacuum", "policies with another")
"""What no line mends in every case: a column that was dropped, a vacuum that is held back, a policy that says something else."""


GONE = (
    psycopg.errors.UndefinedObject, psycopg.errors.UndefinedTable, psycopg.errors.UndefinedColumn,
    psycopg.errors.UndefinedFunction, psycopg.errors.AmbiguousFunction,
)  # fmt: skip
"""What a line fails with after another one has mended the same."""


def test_a_fresh_database_is_well_on_every_server(any_database: Any) -> None:
    found = inspection.findings(any_database.conninfo)
    assert [(one.about, one.seen) for one in found if not one.well] == []
    assert len(found) > 40


@pytest.mark.parametrize(
    ("damage", "about", "named"),
    [
        ("alter table ledger.entry add column thread text", "columns", "entry.thread is not on the list"),
        ("create table ledger.chat (principal uuid, said_at timestamptz)", "columns", "chat.said_at"),
        (
            "create view ledger.peek as select principal, answer from ledger.entry",
            "columns",
            "peek.answer",
        ),
        ("alter table ledger.consent drop column notice", "columns", "consent.notice is missing"),
        ("alter table ledger.entry no force row level security", "tables of principals without", "entry"),
        ("alter table ledger.barrier disable row level security", "tables of principals without", "barrier"),
        (
            "create policy peek on ledger.entry for select to ledger_agent_content using (true)",
            "policies other",
            "entry.peek",
        ),
        ("grant select on ledger.entry to ledger_agent", "rights on tables", "ledger_agent: SELECT on entry"),
        ("grant select (answer) on ledger.entry to public", "rights on tables", "PUBLIC: SELECT on entry"),
        (
            "grant execute on function ledger.own_erase(uuid, uuid) to ledger_agent",
            "calls of surfaces",
            "ledger_agent: own_erase",
        ),
        ("alter function ledger.own_erase(uuid, uuid) reset search_path", "functions without", "own_erase"),
        ("grant execute on function pg_advisory_lock(bigint) to public", "advisory", "pg_advisory_lock"),
        (
            "alter table ledger.entry alter column answer set statistics 100",
            "tables that keep",
            "entry",
        ),
        (
            "create statistics ledger.s on topic, as_of from ledger.entry",
            "tables that keep",
            "entry",
        ),
        (
            "alter table ledger.pending alter column answer set storage extended",
            "tables that store",
            "pending",
        ),
        ("grant create on schema ledger to ledger_agent", "rights of others", "ledger_agent: CREATE"),
        ("grant usage on schema ledger to public", "rights of others", "PUBLIC: USAGE"),
        (
            "alter function ledger.recall owner to postgres",
            "functions that run",
            "recall of postgres",
        ),
        (
            "create or replace function ledger.name_principal(p uuid) returns void language plpgsql as "
            "$$ begin perform set_config('ledger.principal', p::text, false); end $$",
            "functions that set",
            "name_principal",
        ),
        (
            "alter policy content on ledger.entry using (principal = ledger.me() and ledger.tier() = 'full')",
            "policies with another",
            "entry.content",
        ),
        (
            "alter policy writer on ledger.barrier with check (true)",
            "policies with another",
            "barrier.writer",
        ),
        ("alter function ledger.recall reset row_security", "functions other", "recall"),
        ("alter function ledger.capture called on null input", "functions other", "capture"),
        (
            "create or replace function ledger.tier() returns text language sql stable parallel safe return 'full'",
            "functions other",
            "tier",
        ),
        (
            "create or replace function ledger.lock_whole() returns void language plpgsql as $$ begin end $$",
            "functions other",
            "lock_whole",
        ),
        (
            "create or replace function ledger.narrow(answer text) returns text language plpgsql immutable parallel safe "
            "as $$ begin raise notice '%', answer; return answer; end $$",
            "functions other",
            "narrow",
        ),
        (
            "do $do$ begin execute replace(pg_get_functiondef('ledger.refuse_old_view'::regproc), 'begin', "
            "E'begin perform ''\n-- '' || pg_backend_pid();'); end $do$",
            "functions other",
            "refuse_old_view",
        ),
        (
            "do $do$ begin execute format('alter function %s volatile', "
            "(select oid::regprocedure from pg_proc where oid = 'ledger.recall'::regproc)); end $do$",
            "functions other",
            "recall",
        ),
        (
            "create function ledger.me(who text) returns uuid language sql return who::uuid",
            "functions other",
            "me",
        ),
        (
            "create function ledger.more() returns int language sql return 1",
            "functions other",
            "more",
        ),
        (
            "alter table ledger.entry alter column as_of set default now()",
            "defaults other",
            "entry.as_of: now()",
        ),
        (
            "create sequence public.n; alter table ledger.audit alter column n set default nextval('public.n')",
            "defaults other",
            "audit.n: nextval",
        ),
        (
            "alter table ledger.pending alter column principal set default gen_random_uuid()",
            "defaults other",
            "pending.principal: gen_random_uuid()",
        ),
        (
            "alter table ledger.sweep_mark alter column snapshot_on set default current_date",
            "defaults other",
            "sweep_mark.snapshot_on: CURRENT_DATE",
        ),
        ("create index peek on ledger.entry (length(answer))", "what hangs", "index peek"),
        ("create view public.peek as select answer from ledger.entry", "what hangs", "view peek"),
        ("create sequence ledger.serial", "what hangs", "sequence serial"),
        ("create table public.child () inherits (ledger.entry)", "what hangs", "child child"),
        (
            "create table public.seen (topic text references ledger.topic)",
            "what hangs",
            "foreign key seen_topic_fkey",
        ),
        (
            "create function public.f() returns trigger language plpgsql as 'begin return new; end'; "
            "create trigger watch after insert on ledger.entry execute function public.f()",
            "what hangs",
            "trigger watch",
        ),
        (
            "insert into ledger.piece_mark values ('ledger.entry', pg_current_xact_id(), null)",
            "tables that no vacuum",
            "entry",
        ),
        ("create extension pageinspect", "extensions", "pageinspect"),
        ("create publication mine for all tables", "publications", "mine"),
        (
            "grant create on schema public to ledger_capture",
            "logins that may make tables or schemas",
            "ledger_capture: public",
        ),
    ],
    ids=lambda value: value if " " in value and len(value) > 30 else None,
)
def test_what_leaks_is_found(database: Any, damage: str, about: str, named: str) -> None:
    database.installer.execute("alter event trigger ledger_columns_closed disable")  # as an owner may
    database.installer.execute(damage)
    found = [one for one in inspection.findings(database.conninfo) if not one.well]
    (one,) = [one for one in found if one.about.startswith(about)]
    assert named in one.seen
    assert all(one.todo for one in found)
    mending = [command for one in found for command in one.commands]
    if about not in BY_HAND and not named.endswith("is missing"):
        for command in mending:
            with suppress(*GONE):
                database.installer.execute(command)  # it went with another
        assert [one.about for one in inspection.findings(database.conninfo) if not one.well] == []


def test_a_file_that_a_crash_left_behind_is_found(any_database):
    """It is in no catalog: PostgreSQL never deletes it, and what was deleted since is still in it."""
    about = "files of the database that belong to no table"
    (before,) = [one for one in inspection.findings(any_database.conninfo) if one.about == about]
    assert before.well
    ((folder,),) = any_database.rows(
        "select current_setting('data_directory') || '/base/' || oid from pg_database where datname = current_database()"
    )
    left = Path(folder) / "99999999"
    left.write_bytes(b"what somebody deleted")
    try:
        (found,) = [one for one in inspection.findings(any_database.conninfo) if one.about == about]
        assert not found.well
        assert left.name in found.seen
    finally:
        left.unlink()
