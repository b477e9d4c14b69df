"""What stands in the database outside of the schema: copies, readers, event triggers, and what hangs on the tables."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.db import inspection

COPIES, READERS, HANGERS_ON = "copies of rows", "functions outside", "what hangs"
TRIGGER = "create function public.tell() returns trigger language plpgsql as 'begin return new; end'; "
EVENT = "create function public.note() returns event_trigger language plpgsql as 'begin end'; "


@pytest.mark.parametrize(
    ("damage", "about", "seen"),
    [
        ("create table public.kept as table ledger.entry", COPIES, "public.kept"),
        ("create schema attic; create table attic.kept as table ledger.withheld", COPIES, "attic.kept"),
        ("create table public.kept as select topic, answer from ledger.entry", COPIES, "public.kept"),
        ("create table public.kept (decided_on date, notice text, decision text)", COPIES, "public.kept"),
        ("create unlogged table public.kept (who int, principal uuid)", COPIES, "public.kept"),
        (
            "create extension file_fdw; create server far foreign data wrapper file_fdw; "
            "create foreign table public.kept (principal uuid) server far options (filename '/dev/null')",
            COPIES,
            "public.kept",
        ),
        ("create table public.said (principal uuid) partition by hash (principal)", COPIES, "public.said"),
        ("create view public.said as select answer from ledger.entry", HANGERS_ON, "view said"),
        (
            "create materialized view public.said as select as_of from ledger.entry",
            HANGERS_ON,
            "materialized view said",
        ),
        (TRIGGER + "create trigger t after insert on ledger.entry execute function public.tell()", HANGERS_ON, "trigger t"),
        ("create rule r as on insert to ledger.entry do also select 1", HANGERS_ON, "rule r"),
        (
            "create function public.peek() returns setof text language plpgsql security definer as "
            "'begin return query select answer from ledger.entry; end'",
            READERS,
            "peek()",
        ),
        (
            "create function public.peek() returns bigint language sql return (select count(*) from ledger.entry)",
            READERS,
            "peek()",
        ),
        (
            "create procedure public.call() language plpgsql as 'begin perform \"ledger\" . today(); end'",
            READERS,
            "call()",
        ),
        (EVENT + "create event trigger e on sql_drop execute function public.note()", "other event", "e (sql_drop)"),
        (EVENT + "create event trigger e on login execute function public.note()", "other event", "e (login)"),
        ("create publication p for table ledger.entry", "publications", "p"),
        ("create publication p for tables in schema ledger", "publications", "p"),
        (
            "create subscription s connection 'host=nowhere' publication p with (connect = false)",
            "subscriptions",
            "s",
        ),
    ],
    ids=lambda value: value if " " in value and len(value) > 40 else None,
)  # fmt: skip
def test_what_holds_or_hands_on_rows_is_found_and_dropped(
    database: Any, mended: Any, damage: str, about: str, seen: str
) -> None:
    database.installer.execute(damage)
    assert seen in mended(about).split(", ")


@pytest.mark.parametrize(
    "other",
    [
        "create table public.acl (principal text, may text)",
        "create table public.faq (answer text, author text)",
        "create table public.logins (principal text, decided_on date)",
        "create function public.of_ours() returns text language sql return 'the ledgers'",
    ],
)
def test_what_others_have_of_their_own_is_left_alone(database: Any, other: str) -> None:
    database.installer.execute(other)
    assert [one.about for one in inspection.findings(database.conninfo) if not one.well] == []
