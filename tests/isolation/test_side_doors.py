"""What leads to the rows besides a plain call: COPY, EXPLAIN, error messages, the catalog, other people's sessions."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest
from matrix import Function, Person, World, told

from ledger.db import expected
from ledger.db.operation import Surface

SURFACES = pytest.mark.parametrize("surface", list(Surface))


def one(world: World, surface: Surface, name: str) -> Function:
    (found,) = [function for function in world.of(surface) if function.name == name]
    return found


def nobody_in(world: World, text: str) -> bool:
    return not any(person.is_in(text) for person in world.people)


def in_order(connection: Any, statements: str) -> None:
    parts = [statements] if "$$" in statements else statements.split("; ")
    with connection.transaction():
        for part in parts:
            connection.execute(part)


@SURFACES
@pytest.mark.parametrize(
    "statement",
    [
        "copy ledger.{} to stdout",
        "copy (select * from ledger.{}) to stdout",
        "copy (table ledger.{}) to stdout",
        "copy ledger.{} from stdin",
        "explain select * from ledger.{}",
        "explain (analyze, verbose, buffers) select * from ledger.{}",
        "prepare p as select * from ledger.{}; execute p",
        "declare c cursor with hold for select * from ledger.{}",
        "create temporary table mine as select * from ledger.{}",
        "create temporary view mine as select * from ledger.{}; select * from mine",
        "do $$ begin perform 1 from ledger.{}; end $$",
        "analyze ledger.{}",
    ],
    ids=lambda statement: " ".join(statement.split()[:3]),
)
def test_no_form_of_a_statement_reads_a_table(populated: World, surface: Surface, statement: str) -> None:
    """ANALYZE of a table that is not one's own is skipped with a warning; all else is refused."""
    connection = populated.session(surface, "doors")
    for table in expected.COLUMNS:
        if statement.startswith("analyze"):
            connection.execute(statement.format(table))
            continue
        with pytest.raises(psycopg.errors.InsufficientPrivilege) as refused:
            in_order(connection, statement.format(table))
        connection.execute("deallocate all")
        assert nobody_in(populated, told(refused.value))


def test_analyze_by_a_stranger_keeps_no_value(populated: World) -> None:
    kept = populated.database.rows(
        "select count(*) from pg_statistic where starelid = any(%s::regclass[])",
        [f"ledger.{table}" for table in expected.OF_PRINCIPALS],
    )
    assert kept == [(0,)]


@SURFACES
def test_nothing_of_the_server_s_own_is_read_or_run(populated: World, surface: Surface) -> None:
    connection = populated.session(surface, "doors")
    for statement in (
        "copy (select 1) to '/tmp/out'", "copy (select 1) to program 'cat'", "select pg_read_file('PG_VERSION')",
        "select lo_import('/etc/hostname')", "select * from pg_authid", "select * from pg_statistic",
        "select * from pg_hba_file_rules", "select pg_ls_waldir()", "select pg_current_logfile()",
        "create extension pageinspect", "create schema mine", "create role mine", "set session authorization postgres",
        "alter function ledger.today() owner to current_user", "select pg_switch_wal()",
        "create publication mine for all tables", "select pg_create_physical_replication_slot('mine')",
    ):  # fmt: skip
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement)


@pytest.mark.parametrize(
    ("surface", "name"),
    [(Surface.AGENT, "recall"), (Surface.AGENT, "plan"), (Surface.PRINCIPAL, "own_entries")],
)
def test_copy_of_a_call_gives_what_the_call_gives(populated: World, surface: Surface, name: str) -> None:
    ann, *others = populated.people
    connection = populated.session(surface, "doors")
    statement, values = one(populated, surface, name).call(ann.principal)
    with connection.cursor() as cursor, cursor.copy(f"copy ({statement}) to stdout", values) as rows:
        copied = b"".join(bytes(row) for row in rows).decode()
    assert ann.word in copied
    assert not any(other.is_in(copied) for other in others)


@pytest.mark.parametrize(
    ("surface", "name"),
    [(Surface.AGENT, "recall"), (Surface.AGENT, "coverage"), (Surface.PRINCIPAL, "own_entries")],
)
@pytest.mark.parametrize("options", ["", "(analyze, verbose)", "(analyze, buffers off, settings)"])
def test_explain_shows_a_call_and_nothing_of_what_is_in_it(
    populated: World, surface: Surface, name: str, options: str
) -> None:
    connection = populated.session(surface, "doors")
    statement, values = one(populated, surface, name).call(populated.people[0].principal)
    plan = repr(connection.execute(f"explain {options} {statement}", values).fetchall())
    assert name in plan
    assert not any(person.word in plan for person in populated.people)
    assert "entry_pkey" not in plan and "policy" not in plan.lower()


# ── Error messages ───────────────────────────────────────────────────────────────────────────────

_BAD: dict[str, dict[str, Any]] = {
    "a value that a check refuses": {
        "answers": ["x" * 501], "new_answer": "x" * 501, "new_decision": "maybe", "new_notice": "n" * 65,
        "new_key": "k" * 65, "new_alias": "a" * 65, "weeks": -1, "change": '{"drop_after": 1, "reconfirm_after": 2}',
    },
    "fewer values than topics": {"answers": [], "questions": [], "marks": [], "mark_topics": []},
    "a topic that is not there": {"topics": ["nowhere"], "the_topic": "nowhere", "the_key": "nowhere", "label": "nowhere"},
    "a number out of range": {"most": 2147483647, "weeks": 2147483647},
    "a change of the wrong kind": {"change": '{"listed": "perhaps", "drop_after": "soon"}', "expected": "[]"},
    "a day beyond the calendar": {"said_on": "infinity"},
}  # fmt: skip


@SURFACES
@pytest.mark.parametrize("bad", list(_BAD))
def test_an_error_repeats_nothing_that_is_stored_of_anybody_nor_was_sent_for_him(
    populated: World, surface: Surface, bad: str
) -> None:
    """Held against everybody's rows, his own too: an error goes to logs that a reply does not go to. (The registry has
    no row-level security, so an error of a raw login's own call there holds the key that it sent.)"""
    ann = populated.people[0]
    errors = 0
    for function in populated.of(surface):
        outcome = populated.try_(populated.session(surface, "errors"), function, ann, **_BAD[bad])
        if outcome.sqlstate is None:
            continue
        errors += 1
        assert nobody_in(populated, outcome.said), function.name
        if function.of_a_principal:
            assert not any(run * 5 in outcome.said for run in "xnka"), function.name
        assert populated.written_by(outcome) == frozenset(), function.name
    if surface in (Surface.CAPTURE, Surface.PRINCIPAL) and bad == "a value that a check refuses":
        assert errors


def test_an_error_of_a_definer_does_not_print_the_row_that_failed(populated: World) -> None:
    """PostgreSQL prints it to whoever may read the whole table; row-level security is what holds it back."""
    own = populated.session(Surface.PRINCIPAL, "errors")
    function = one(populated, Surface.PRINCIPAL, "own_correct")
    with pytest.raises(psycopg.errors.CheckViolation) as refused:
        own.execute(*function.call(populated.people[0].principal, new_answer="x" * 501))
    assert refused.value.diag.message_detail is None


# ── The catalog and other people's sessions ──────────────────────────────────────────────────────


@SURFACES
def test_the_views_of_statistics_show_no_value(populated: World, surface: Surface) -> None:
    populated.database.installer.execute("analyze")
    connection = populated.session(surface, "doors")
    seen = connection.execute("select * from pg_stats where schemaname = 'ledger'").fetchall()
    assert seen == []
    assert connection.execute("select * from pg_stats_ext").fetchall() == []


@SURFACES
def test_what_others_are_running_or_have_written_is_not_shown(populated: World, surface: Surface) -> None:
    other = Surface.CAPTURE if surface is not Surface.CAPTURE else Surface.PRINCIPAL
    busy = populated.session(other, "busy")
    busy.execute("select %s::text", (populated.people[0].word,))
    watching = populated.session(surface, "doors")
    for view in (
        "pg_stat_activity",
        "pg_locks",
        "pg_stat_all_tables",
        "pg_statio_all_tables",
        "pg_stat_user_functions",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            watching.execute(f"select * from {view}")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        watching.execute("select pg_stat_get_activity(null)")


@SURFACES
def test_a_raw_login_leaves_no_large_object(populated: World, surface: Surface) -> None:
    connection = populated.session(surface, "doors")
    for statement in ("select lo_from_bytea(0, 'left behind')", "select lo_create(0)", "select lo_creat(-1)"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(statement)


def test_a_person_is_told_from_another_of_the_same_name_by_his_tenant(populated: World) -> None:
    """The same outside id of two tenants is two principals, and each reads his own words."""
    one_ann, _, two_ann = populated.people
    assert one_ann.name == two_ann.name and one_ann.principal != two_ann.principal
    agent, function = populated.session(Surface.AGENT, "clean"), one(populated, Surface.AGENT, "recall")

    def read(person: Person) -> str:
        return repr(agent.execute(*function.call(person.principal)).fetchall())

    assert one_ann.word in read(one_ann) and two_ann.word not in read(one_ann)
    assert two_ann.word in read(two_ann) and one_ann.word not in read(two_ann)
