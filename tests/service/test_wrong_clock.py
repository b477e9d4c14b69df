"""A host whose clock was ahead wrote days that have yet to come: they are read as today, and a sweep puts them right."""

from __future__ import annotations

import json
from datetime import date, timedelta
from typing import Any

import pytest

from ledger.db.operation import Surface
from ledger.identity import Identity

TODAY = date(2026, 9, 1)
AHEAD = date(2050, 1, 1)
PEOPLE = [Identity(b"tests" * 8, "default").principal(f"person {n}") for n in range(6)]
ANN = PEOPLE[0]


@pytest.fixture
def once_ahead(any_database: Any) -> Any:
    """Six people said something, one of them deleted something else, while the clock was ahead; now it is right."""
    any_database.day(AHEAD)
    for person in PEOPLE:
        any_database.keep(person, AHEAD, {"kids": "I want two kids"})
        any_database.surface(Surface.PRINCIPAL).execute(
            "select ledger.own_decide_consent(%s, 'granted', 'v1', '{}')", (person,)
        )
    any_database.keep(ANN, AHEAD, {"pets": "I have a cat"})
    any_database.surface(Surface.PRINCIPAL).execute(
        "select ledger.own_delete(%s, 'pets', %s)", (ANN, any_database.identity.mark(ANN, "pets"))
    )
    any_database.installer.execute("update ledger.topic set listed = true, handling = 'open'")
    any_database.installer.execute("update ledger.sweep_mark set snapshot_on = %s", (AHEAD,))
    any_database.day(TODAY)
    return any_database


def recalled(database: Any) -> list[tuple[Any, ...]]:
    return list(
        database.surface(Surface.AGENT)
        .execute(
            "select answer, freshness, month from ledger.recall(%s, '{}', true, 'full', false, '{}', 12)",
            (ANN,),
        )
        .fetchall()
    )


def swept(database: Any) -> None:
    sweeper = database.surface(Surface.SWEEPER)
    for piece, expires in sweeper.execute("select piece, expires from ledger.sweep_pieces()").fetchall():
        while expires and sweeper.execute("select ledger.sweep_expired(%s, 100)", (piece,)).fetchone() != (
            0,
        ):
            pass
    sweeper.execute("select ledger.sweep_snapshot()")


def test_what_was_said_then_is_read_as_of_today(once_ahead: Any) -> None:
    assert recalled(once_ahead) == [("I want two kids", "fresh", TODAY.replace(day=1))]
    ((as_of, fresh_until),) = (
        once_ahead.surface(Surface.PRINCIPAL)
        .execute("select as_of, fresh_until from ledger.own_entries(%s, false)", (ANN,))
        .fetchall()
    )
    assert (as_of, fresh_until) == (TODAY, TODAY + timedelta(days=120))


def test_what_is_said_now_counts(once_ahead: Any) -> None:
    once_ahead.keep(ANN, TODAY, {"kids": "I want none"})
    assert [answer for answer, *_ in recalled(once_ahead)] == ["I want none"]


def test_after_a_sweep_it_grows_old_like_any_other(once_ahead: Any) -> None:
    swept(once_ahead)
    assert once_ahead.rows("select distinct as_of from ledger.entry") == [(TODAY,)]
    once_ahead.day(TODAY + timedelta(days=121))
    assert [freshness for _, freshness, _ in recalled(once_ahead)] == ["reconfirm"]
    once_ahead.day(TODAY + timedelta(days=540))
    assert recalled(once_ahead) == []


def test_a_barrier_of_then_ends_tomorrow(once_ahead: Any) -> None:
    once_ahead.keep(ANN, TODAY, {"pets": "I have a cat"})
    assert len(recalled(once_ahead)) == 1, "deleted today, as it reads"
    for sweeping in (False, True):
        if sweeping:
            swept(once_ahead)
        assert once_ahead.rows(
            "select max(not_before) > %s from ledger.barrier", TODAY + timedelta(days=1)
        ) == [(not sweeping,)]
    once_ahead.day(TODAY + timedelta(days=1))
    once_ahead.keep(ANN, TODAY + timedelta(days=1), {"pets": "I have a cat"})
    assert len(recalled(once_ahead)) == 2


def test_the_figures_are_drawn_again_and_count_it_as_new(once_ahead: Any) -> None:
    swept(once_ahead)
    assert once_ahead.rows("select topic, age_weeks, n from ledger.snapshot") == [("kids", 0, 5)]
    assert once_ahead.rows("select snapshot_on from ledger.sweep_mark") == [(TODAY,)]


def test_the_audit_of_then_is_of_today_and_lies_in_one_piece(once_ahead: Any) -> None:
    once_ahead.keep(ANN, TODAY, {"money": "some"})
    before = once_ahead.rows("select action, sum(n) from ledger.audit group by 1 order by 1")
    swept(once_ahead)
    assert once_ahead.rows("select distinct on_day from ledger.audit") == [(TODAY,)]
    assert once_ahead.rows("select action, sum(n) from ledger.audit group by 1 order by 1") == before
    for table in ("entry", "audit", "barrier"):
        assert (
            once_ahead.rows(
                f"select principal from ledger.{table} group by 1 having count(distinct xmin::text) > 1"
            )
            == []
        )


def test_a_legal_hold_leaves_it_as_it_is(once_ahead: Any) -> None:
    once_ahead.surface(Surface.OPERATOR).execute("select ledger.hold_place(%s)", (ANN,))
    swept(once_ahead)
    assert once_ahead.rows("select as_of from ledger.entry where principal = %s", ANN) == [(AHEAD,)]
    assert json.dumps([str(day) for _, _, day in recalled(once_ahead)]) == json.dumps(
        [str(TODAY.replace(day=1))]
    )
