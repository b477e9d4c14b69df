"""What somebody tries who holds the password of a surface and writes SQL of his own: each of these once worked."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import psycopg
import pytest

from ledger.db.operation import Surface
from ledger.identity import Identity

IDENTITY = Identity(b"tests" * 8, "default")
P, Q = IDENTITY.principal("ann"), IDENTITY.principal("bob")
TODAY = date(2026, 9, 1)
WORDS = "I want two kids"


def document(*answers: tuple[str, str], principal: Any = P) -> str:
    marks = [str(IDENTITY.mark_all(principal))] * 2
    return json.dumps([{"topic": t, "answer": a, "question": None, "names": [t], "marks": marks} for t, a in answers])


@pytest.fixture
def kept(any_database):
    """Ann has answered on an open, a sealed and an unlisted topic, which the sweep has proposed."""
    any_database.day(TODAY)
    any_database.keep(P, TODAY, {"kids": WORDS, "faith": "I am a quaker", "hobby": "I collect spoons"})
    any_database.installer.execute(
        "update ledger.topic set listed = true, handling = case key when 'kids' then 'open' else 'sealed' end where key <> 'hobby'"
    )
    any_database.installer.execute("insert into ledger.proposal values ('hobby')")
    return any_database


def printed(connection: Any, call: str) -> str:
    """What the server prints of the plans of a call, to a login that asks for it."""
    found: list[str] = []
    connection.add_notice_handler(lambda notice: found.append(str(notice.message_detail)))
    connection.execute("set client_min_messages = log")
    connection.execute("set plan_cache_mode = force_custom_plan")
    for setting in ("debug_print_parse", "debug_print_rewritten", "debug_print_plan"):
        connection.execute(f"set {setting} = on")
    connection.execute(call, {"p": P})
    assert found, "what the login itself wrote is printed"
    return " ".join(found)


def spelled(word: str) -> str:
    """As a plan shows a constant: byte by byte."""
    return " ".join(str(byte) for byte in word.encode())


COVERAGE = "select * from ledger.coverage(%(p)s, '{}', true, 'topics', false, '{}')"


@pytest.mark.parametrize(
    ("surface", "call"),
    [
        (Surface.AGENT, COVERAGE),
        (Surface.AGENT, "select * from ledger.recall(%(p)s, '{}', true, 'full', false, '{}', 12)"),
        (Surface.CAPTURE, "select ledger.reconfirm(%(p)s, 'kids', '2026-09-01', true, '{}')"),
        (Surface.OPERATOR, """select ledger.topics_merge('kids', ledger.topic_read('kids'), 'hobby')"""),
    ],
    ids=["coverage", "recall", "reconfirm", "merge"],
)
def test_the_server_prints_no_plan_with_rows_in_it(kept, surface, call):
    found = printed(kept.surface(surface), call)
    for word in ("faith", "quaker", "spoons", "two kids"):
        assert spelled(word) not in found


def test_a_function_whose_plans_are_printed_would_be_noticed(kept):
    for name in ("coverage", "name_for_agent"):
        ((call,),) = kept.rows("select oid::regprocedure::text from pg_proc where proname = %s", name)
        kept.installer.execute(f"alter function {call} reset debug_print_plan")
    assert spelled("faith") in printed(kept.surface(Surface.AGENT), COVERAGE)


def test_the_length_of_the_log_tells_no_letter_of_an_answer(kept):
    connection = kept.surface(Surface.CAPTURE)

    def logged(guess: str) -> list[str]:
        with connection.transaction(force_rollback=True):
            lines = connection.execute(
                "explain (analyze, wal, costs off, timing off, summary off) select ledger.capture(%s, %s, %s::jsonb)",
                (P, TODAY, document(("kids", guess))),
            ).fetchall()
        return [line for (line,) in lines if "WAL" in line]

    logged(WORDS)
    told = {
        tuple(logged(guess)) for guess in (WORDS, "I want two cats", "He was not here", "I want two cats")
    }
    assert len(told) == 1


@pytest.mark.parametrize(
    ("said_on", "answers"),
    [
        ("2026-09-01", (("kids", WORDS), ("kids", WORDS))),
        ("2026-09-01", (("hobby", WORDS), ("hobby", "something else"))),
        ("2026-08-31", (("kids", ""),)),
        ("2026-08-31", (("kids", "x" * 501),)),
        ("-infinity", (("kids", WORDS),)),
        ("infinity", (("kids", WORDS),)),
        ("2026-09-03", (("kids", WORDS),)),
    ],
)
def test_what_is_wrong_with_a_capture_is_told_whatever_is_stored(kept, said_on, answers):
    connection = kept.surface(Surface.CAPTURE)
    kept.surface(Surface.PRINCIPAL).execute(
        "select ledger.own_object(%s, true, %s)", (Q, IDENTITY.mark_all(Q))
    )
    told = set()
    for principal in (P, Q, IDENTITY.principal("nobody")):
        with pytest.raises(psycopg.Error) as refused:
            connection.execute(
                "select ledger.capture(%s, %s, %s::jsonb)",
                (principal, said_on, document(*answers, principal=principal)),
            )
        told.add(str(refused.value))
    assert len(told) == 1
    assert kept.rows("select answer from ledger.entry where topic = 'kids'") == [(WORDS,)]


def test_a_capture_without_words_renews_nothing(kept):
    item = {"topic": "kids", "question": None, "names": ["kids"], "marks": [str(P), str(P)]}
    with pytest.raises(psycopg.Error):
        kept.surface(Surface.CAPTURE).execute(
            "select ledger.capture(%s, %s, %s::jsonb)", (P, TODAY, json.dumps([item]))
        )


def test_a_negative_limit_tells_nothing_of_what_is_hidden(kept):
    kept.surface(Surface.PRINCIPAL).execute(
        "select ledger.own_decide_consent(%s, 'granted', 'v1', '{}')", (P,)
    )
    agent = kept.surface(Surface.AGENT)
    for principal in (P, Q):
        found = agent.execute(
            "select * from ledger.recall(%s, '{}', true, 'full', false, '{}', -1)", (principal,)
        )
        assert found.fetchall() == []


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_nobody_writes_with_a_view_that_is_older_than_his_lock(kept, level):
    connection = kept.surface(Surface.CAPTURE)
    connection.execute(f"set default_transaction_isolation = '{level}'")
    for call in (
        f"ledger.capture('{P}', '2026-09-01', '{document(('kids', 'I want three kids'))}')",
        f"ledger.reconfirm('{P}', 'kids', '2026-09-01', true, '{{}}')",
        "ledger.topics_for('{brand_new}', true, '2026-09-01')",
    ):
        with pytest.raises(psycopg.errors.ActiveSqlTransaction):
            connection.execute(f"select {call}")
    assert kept.rows("select answer from ledger.entry where topic = 'kids'") == [(WORDS,)]


@pytest.mark.parametrize("level", ["repeatable read", "serializable"])
def test_a_view_that_is_older_than_a_revocation_shows_nothing(kept, level):
    agent, own = kept.surface(Surface.AGENT), kept.surface(Surface.PRINCIPAL)
    own.execute("select ledger.own_decide_consent(%s, 'granted', 'v1', '{}')", (P,))
    agent.execute(f"begin transaction isolation level {level}")
    agent.execute("select * from ledger.topics_listed('', 1)")  # the view is that of this moment
    own.execute("select ledger.own_decide_consent(%s, 'revoked', 'v1', '{}')", (P,))
    with pytest.raises(psycopg.errors.ActiveSqlTransaction):
        agent.execute("select * from ledger.recall(%s, '{kids}', false, 'full', false, '{}', 12)", (P,))
    agent.execute("rollback")
    for call in ("own_entries(%s, true)", "own_rest(%s)", "own_withheld(%s)"):
        own.execute(f"begin transaction isolation level {level}")
        with pytest.raises(psycopg.errors.ActiveSqlTransaction):
            own.execute(f"select * from ledger.{call}", (P,))
        own.execute("rollback")


def test_a_transaction_left_open_holds_the_sweep_up_and_no_capture(kept):
    kept.day(TODAY + timedelta(days=1))
    agent = kept.surface(Surface.AGENT)
    with agent.transaction(force_rollback=True):
        agent.execute("select ledger.coin('left_open')")
        with pytest.raises(psycopg.errors.LockNotAvailable):
            kept.surface(Surface.SWEEPER).execute("select ledger.sweep_restamp('ledger.entry')")
        kept.keep(P, TODAY, {"kids": "I want three kids"})
    kept.surface(Surface.SWEEPER).execute("select ledger.sweep_restamp('ledger.entry')")
    assert kept.rows("select answer from ledger.entry where topic = 'kids'") == [("I want three kids",)]


@pytest.mark.parametrize("surface", list(Surface))
@pytest.mark.parametrize(
    "call",
    [
        "pg_terminate_backend(1)",
        "pg_cancel_backend(1)",
        "pg_current_wal_insert_lsn()",
        "pg_logical_emit_message(true, 'a', 'b')",
        "pg_current_snapshot()",
        "pg_current_xact_id()",
        "txid_current()",
        "pg_export_snapshot()",
        "pg_control_checkpoint()",
        "pg_control_system()",
        "age('3'::xid)",
        "mxid_age('3'::xid)",
        "txid_current_snapshot()",
        "pg_relation_size('ledger.entry')",
        "pg_blocking_pids(1)",
        "count(*) from pg_replication_slots",
    ],
)
def test_a_raw_login_can_not_end_sessions_nor_read_or_write_the_log_nor_watch_others(
    any_database, surface, call
):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        any_database.surface(surface).execute(f"select {call}")


@pytest.mark.parametrize("asked", ["pg_current_xact_id_if_assigned()", "txid_current_if_assigned()"])
@pytest.mark.parametrize(
    ("surface", "call"),
    [
        (Surface.AGENT, "ledger.coin('kids')"),
        (Surface.CAPTURE, f"ledger.reconfirm('{P}', 'kids', '2026-09-01', true, '{{}}')"),
    ],
)
def test_a_raw_login_is_not_told_whether_its_call_wrote_something(kept, surface, call, asked):
    connection = kept.surface(surface)
    with connection.transaction(force_rollback=True):
        connection.execute(f"select {call}")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute(f"select {asked}")


@pytest.mark.parametrize(
    "steps",
    [
        ({"listed": False}, None),
        ({"listed": False, "handling": None}, None),
        ({"handling": None}, {"handling": "open"}),
    ],
)
def test_no_way_of_loosening_what_was_sealed_shows_it(kept, steps):
    operator = kept.surface(Surface.OPERATOR)
    for change in steps:
        if change is None:
            operator.execute("select ledger.topic_create('faith', '{}')")
            continue
        (state,) = operator.execute("select ledger.topic_read('faith')").fetchone()
        operator.execute(
            "select ledger.topic_change('faith', %s::jsonb, %s::jsonb)",
            (json.dumps(state), json.dumps(change)),
        )
    assert kept.rows("select listed, handling from ledger.topic where key = 'faith'") == [(True, "open")]
    assert kept.rows("select principal, topic from ledger.withheld") == [(P, "faith")]
    covered = kept.surface(Surface.AGENT).execute(COVERAGE, {"p": P}).fetchall()
    assert [topic for topic, _ in covered] == ["kids"]


def test_the_key_of_a_topic_is_not_changed_by_a_field(kept):
    operator = kept.surface(Surface.OPERATOR)
    (state,) = operator.execute("select ledger.topic_read('kids')").fetchone()
    changed = operator.execute(
        "select ledger.topic_change('kids', %s::jsonb, %s::jsonb)",
        (json.dumps(state), json.dumps({"key": "evil"})),
    ).fetchone()
    assert changed == (state,)
