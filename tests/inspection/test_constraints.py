"""Constraints, defaults and functions: each is the one of this release, the clock too, and what makes it so again stands below."""

from __future__ import annotations

from typing import Any

import pytest

SPY = (
    "create function public.spy(told text) returns boolean language plpgsql immutable as 'begin return true; end'; "
    "alter event trigger ledger_columns_closed disable; "
)
CHECKS, DEFAULTS = "constraints other", "defaults other"


@pytest.mark.parametrize(
    ("damage", "about", "seen"),
    [
        ("alter table ledger.entry add check (public.spy(answer))", CHECKS, "entry: CHECK (spy(answer))"),
        ("alter table ledger.entry add check (public.spy(topic)) not valid", CHECKS, "NOT VALID"),
        (
            "alter table ledger.entry drop constraint entry_answer_check, add constraint entry_answer_check "
            "check (char_length(answer) between 1 and 500 and public.spy(answer))",
            CHECKS,
            "spy(answer)",
        ),
        ("alter table ledger.snapshot drop constraint snapshot_n_check", CHECKS, "snapshot: check (n >= 5"),
        (
            "alter table ledger.consent drop constraint consent_notice_check",
            CHECKS,
            "consent: check (notice ~",
        ),
        ("alter table ledger.entry add unique (answer, principal)", CHECKS, "entry: UNIQUE (answer"),
        (
            "alter table ledger.barrier drop constraint barrier_pkey",
            CHECKS,
            "primary key (principal, mark, what)",
        ),
        (
            "alter table ledger.entry add exclude using btree (topic with =) where (public.spy(answer))",
            CHECKS,
            "entry: EXCLUDE",
        ),
        ("alter table ledger.entry alter column answer drop not null", "nullable columns", "entry.answer"),
        (
            "alter table ledger.legal_hold alter column erase_asked set default public.spy('held')",
            DEFAULTS,
            "legal_hold.erase_asked: spy('held'::text)",
        ),
        (
            "alter table ledger.topic alter column listed set default true",
            DEFAULTS,
            "topic.listed: true",
        ),
        (
            "alter table ledger.setting alter column undecided_tier drop default",
            DEFAULTS,
            "setting.undecided_tier: none",
        ),
        (
            "alter table ledger.entry alter column as_of set default now()",
            DEFAULTS,
            "entry.as_of: now()",
        ),
    ],
    ids=lambda value: value if " " in value and len(value) > 40 else None,
)
def test_a_constraint_or_a_default_that_is_not_of_this_release_is_found_and_mended(
    database: Any, mended: Any, damage: str, about: str, seen: str
) -> None:
    database.installer.execute(SPY + damage + "; alter event trigger ledger_columns_closed enable")
    assert seen in mended(about)


@pytest.mark.parametrize(
    "damage",
    [
        "create or replace function ledger.today() returns date language sql stable return date '2026-09-01'",
        "create or replace function ledger.hour() returns integer language sql stable return 3",
        "alter function ledger.today() volatile",
        "alter function ledger.age(date) leakproof",
        "alter function ledger.plan reset debug_print_plan",
        "alter function ledger.recall set lock_timeout = '2s'",
        "alter function ledger.cut reset lock_timeout",
        "create function ledger.today(zone text) returns date language sql stable return (now() at time zone zone)::date",
        "drop function ledger.own_erase cascade",
    ],
)
def test_no_function_is_left_out(database: Any, damage: str) -> None:
    """Not the clock either: with an earlier day what is past its window is served again."""
    from ledger.db import inspection

    database.installer.execute("alter event trigger ledger_columns_closed disable")
    database.installer.execute(damage)

    def found() -> Any:
        about = "functions other than those of this release"
        (one,) = [one for one in inspection.findings(database.conninfo) if one.about == about]
        return one

    wrong = found()
    assert not wrong.well and "," not in wrong.seen
    (command,) = wrong.commands
    database.installer.execute(command)
    assert found().well
