"""Nobody sees another principal's rows: not as a surface, not as a definer, not without a WHERE clause.

Two principals of two tenants; the negative case comes first; and each wall is broken once on purpose, to
see that these tests would notice.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from uuid import UUID

import psycopg
import pytest

from ledger.db import expected
from ledger.db.operation import Surface
from ledger.identity import Identity

P = Identity(b"tests" * 8, "one").principal("ann")
Q = Identity(b"tests" * 8, "two").principal("ann")
DAY = date(2026, 8, 20)
READERS = {
    "ledger_agent_keys": "principal, topic, as_of",
    "ledger_agent_content": "*",
    "ledger_own_reader": "*",
    "ledger_writer": "*",
}


@pytest.fixture
def filled(any_database):
    """Both principals have rows in every table of principals."""
    any_database.day(date(2026, 9, 1))
    for principal, answer in ((P, "I want two kids"), (Q, "three please")):
        any_database.keep(principal, DAY, {"kids": answer})
        any_database.surface(Surface.CAPTURE).execute(
            "select * from ledger.topics_for('{pets}', true, %s)", (DAY,)
        )
        own = any_database.surface(Surface.PRINCIPAL)
        own.execute("select ledger.own_decide_consent(%s, 'granted', 'v1', '{}')", (principal,))
        for table, values in {
            "pending": "'pets', 'a cat', '2026-08-20'",
            "withheld": "'pets'",
            "barrier": "gen_random_uuid(), 'deleted', '2026-08-20'",
        }.items():
            any_database.installer.execute(f"insert into ledger.{table} values (%s, {values})", (principal,))
    any_database.installer.execute("update ledger.topic set listed = true, handling = 'open'")
    return any_database


def seen_by(
    database, role: str, columns: str, table: str, principal: UUID | None, tier: str = "full"
) -> set[UUID]:
    """Whose rows a definer sees that names a principal and forgets the WHERE clause."""
    with psycopg.connect(database.conninfo) as connection:
        connection.execute(f"set local role {role}")
        if principal is not None:
            connection.execute("select set_config('ledger.principal', %s, true)", (str(principal),))
            connection.execute(
                "select set_config('ledger.tier', %s, true), set_config('ledger.withheld', '{}', true)",
                (tier,),
            )
        return {row[0] for row in connection.execute(f"select {columns} from ledger.{table}").fetchall()}


@pytest.mark.parametrize("surface", list(Surface))
def test_a_surface_reads_and_writes_no_table(filled, surface):
    connection = filled.surface(surface)
    for table in expected.COLUMNS:
        for statement in (
            "select * from ledger.{}",
            "delete from ledger.{}",
            "insert into ledger.{} default values",
            "copy ledger.{} to stdout",
        ):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(statement.format(table))


@pytest.mark.parametrize("surface", list(Surface))
def test_a_surface_calls_no_function_of_another(filled, surface):
    connection = filled.surface(surface)
    own = set(expected.FUNCTIONS[surface.role])
    others = {
        (name, oid)
        for name, oid in filled.rows(
            "select proname, oid from pg_proc where pronamespace = 'ledger'::regnamespace"
        )
        if name not in own
    }
    allowed = {
        name
        for name, oid in others
        if connection.execute(
            "select has_function_privilege(current_user, %s::oid, 'execute')", (oid,)
        ).fetchone()[0]
    }
    assert others
    assert allowed == set()


def test_a_surface_can_not_become_a_definer_nor_make_anything(filled):
    for surface in Surface:
        connection = filled.surface(surface)
        for role in (*expected.DEFINERS, "ledger_owner"):
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(f"set role {role}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("create table ledger.mine (n int)")


@pytest.mark.parametrize("role", sorted(READERS))
def test_a_definer_that_names_nobody_sees_nobody(filled, role):
    table = "entry"
    assert seen_by(filled, role, READERS[role], table, None) == set()


@pytest.mark.parametrize("role", sorted(READERS))
def test_a_definer_without_a_where_clause_sees_the_named_principal_alone(filled, role):
    assert seen_by(filled, role, READERS[role], "entry", P) == {P}


def test_so_it_is_in_every_table_of_principals(filled):
    for table in set(expected.OF_PRINCIPALS) - {"objection", "legal_hold"}:
        assert seen_by(filled, "ledger_writer", "*", table, P) == {P}, table
        assert seen_by(filled, "ledger_own_reader", "*", table, Q) == {Q}, table


@pytest.mark.parametrize("role", sorted(READERS))
@pytest.mark.parametrize(
    "breach",
    [
        "alter table ledger.entry disable row level security",
        "create policy open on ledger.entry using (true)",
    ],
)
def test_these_tests_would_notice_a_missing_wall(filled, role, breach):
    filled.installer.execute(breach)
    assert seen_by(filled, role, READERS[role], "entry", P) == {P, Q}


@pytest.mark.parametrize("policy", ["keys", "content", "own", "writer"])
def test_a_dropped_policy_shows_nothing_rather_than_everything(filled, policy):
    role = {
        "keys": "ledger_agent_keys",
        "content": "ledger_agent_content",
        "own": "ledger_own_reader",
        "writer": "ledger_writer",
    }[policy]
    filled.installer.execute(f"drop policy {policy} on ledger.entry")
    assert seen_by(filled, role, READERS[role], "entry", P) == set()


def test_not_even_the_owner_of_the_tables_passes_by_the_policies(filled):
    assert seen_by(filled, "ledger_owner", "*", "entry", P) == set()


@pytest.mark.parametrize(
    ("tier", "keys", "content"), [("none", set(), set()), ("topics", {P}, set()), ("full", {P}, {P})]
)
def test_the_tier_stands_in_the_policy(filled, tier, keys, content):
    assert seen_by(filled, "ledger_agent_keys", "principal", "entry", P, tier) == keys
    assert seen_by(filled, "ledger_agent_content", "principal", "entry", P, tier) == content


def test_the_keys_of_agents_never_come_with_an_answer(filled):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        seen_by(filled, "ledger_agent_keys", "principal, answer", "entry", P)


def test_what_a_function_named_is_gone_when_it_returns_also_within_one_transaction(filled):
    agent = filled.surface(Surface.AGENT)
    with agent.transaction():
        (found,) = agent.execute(
            "select answer from ledger.recall(%s, '{kids}', false, 'full', false, '{}', 12)", (P,)
        ).fetchone()
        assert found == "I want two kids"
        settings = agent.execute(
            "select current_setting('ledger.principal', true), current_setting('ledger.tier', true), current_setting('ledger.withheld', true)"
        ).fetchone()
        assert not any(value and value not in ("none",) for value in settings)
        lower = agent.execute(
            "select * from ledger.recall(%s, '{kids}', false, 'topics', false, '{}', 12)", (P,)
        ).fetchall()
        assert lower == []


def test_settings_that_a_raw_login_leaves_behind_open_and_close_nothing(filled):
    agent = filled.surface(Surface.AGENT)
    agent.execute(
        "select set_config('ledger.principal', %s, false), set_config('ledger.tier', 'full', false)",
        (str(Q),),
    )
    agent.execute("set row_security = off")
    found = agent.execute(
        "select answer from ledger.recall(%s, '{kids}', false, 'full', false, '{}', 12)", (P,)
    ).fetchall()
    assert found == [("I want two kids",)]
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        agent.execute("select * from ledger.entry")


def test_reads_write_nothing_and_run_in_a_read_only_transaction(filled):
    agent = filled.surface(Surface.AGENT)
    agent.execute("set default_transaction_read_only = on")
    for call in (
        "ledger.recall(%s, '{}', true, 'full', false, '{}', 12)",
        "ledger.coverage(%s, '{}', true, 'full', false, '{}')",
        "ledger.plan(%s, '{kids}', 'full', false, '{}')",
    ):
        assert agent.execute(f"select * from {call}", (P,)).fetchall()


def test_an_argument_that_is_null_does_nothing(filled):
    assert (
        filled.surface(Surface.AGENT)
        .execute("select * from ledger.recall(%s, '{kids}', false, null, false, '{}', 12)", (P,))
        .fetchall()
        == []
    )


def test_a_read_sees_one_instant_whatever_is_committed_while_it_runs(filled):
    """A merge moves an answer and what is withheld together; no read may see the one without the other."""
    agent = filled.surface(Surface.AGENT)
    waiting = "select count(*) from pg_locks where not granted and relation = 'ledger.entry'::regclass and database = (select oid from pg_database where datname = current_database())"
    with ThreadPoolExecutor(1) as pool, psycopg.connect(filled.conninfo) as merging:
        merging.execute("lock table ledger.entry in access exclusive mode")
        reading = pool.submit(
            lambda: agent.execute(
                "select topic from ledger.recall(%s, '{}', true, 'full', false, '{}', 12)", (P,)
            ).fetchall()
        )
        for _ in range(500):
            if filled.rows(waiting) == [(1,)]:
                break
            time.sleep(0.01)
        else:
            pytest.fail("the read never came to the entries")
        merging.execute("insert into ledger.entry values (%s, 'diet', 'I eat meat', %s)", (P, DAY))
        merging.execute("insert into ledger.withheld values (%s, 'diet')", (P,))
        merging.execute("insert into ledger.topic (key, handling, listed) values ('diet', 'open', true)")
        merging.commit()
        assert reading.result(10) == [("kids",)]
