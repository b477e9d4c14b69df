"""The sweep works in batches, so that no capture waits long, however much there is to sweep."""

from __future__ import annotations

import threading
from datetime import date

import psycopg
import pytest

from ledger.db.operation import Surface
from ledger.service import sweeps

LONG_AGO = date(2024, 1, 1)
KINDS = ("entries", "pending", "barriers", "audit")


@pytest.fixture
def past(scene):
    """Forty rows of each kind that are past their time, of ten principals; and ann's, which are not."""
    scene.say("kids", "I want two kids")
    people = "select md5('past' || n)::uuid as principal from generate_series(1, 10) n"
    topics = "(values ('diet'), ('kids'), ('pets'), ('smoking')) t (topic)"
    for table, columns in {
        "entry": "p.principal, t.topic, 'said long ago', '2024-01-01'::date",
        "pending": "p.principal, t.topic, 'said long ago', '2024-01-01'::date",
        "barrier": "p.principal, md5(t.topic)::uuid, 'deleted', '2024-01-01'::date",
        "audit": "p.principal, '2024-01-01'::date + length(t.topic), 'deleted', 1",
    }.items():
        scene.database.installer.execute(
            f"insert into ledger.{table} select {columns} from ({people}) p, {topics} on conflict do nothing"
        )
    return scene


PIECES = {"entries": "entry", "pending": "pending", "barriers": "barrier", "audit": "audit"}


def batch(scene, kind: str, most: int) -> int:
    sweeper = scene.database.surface(Surface.SWEEPER)
    found = sweeper.execute("select ledger.sweep_expired(%s, %s)", (f"ledger.{PIECES[kind]}", most))
    return found.fetchone()[0]


def due(scene) -> dict[str, int]:
    return dict(
        scene.database.surface(Surface.SWEEPER).execute("select what, n from ledger.sweep_due()").fetchall()
    )


@pytest.mark.parametrize("kind", KINDS)
def test_a_batch_takes_so_many_and_no_more(past, kind):
    before = due(past)[kind]
    assert before >= 20
    assert batch(past, kind, 7) == 7
    assert due(past)[kind] == before - 7


def test_the_sweep_goes_on_until_nothing_of_any_kind_is_left(past, monkeypatch):
    monkeypatch.setattr("ledger.service.sweeps.BATCH", 3)
    past.database.installer.execute("delete from ledger.entry where as_of = %s", (LONG_AGO,))
    past.database.installer.execute("delete from ledger.pending")
    assert past.sweep()["barriers"] == 40
    assert past.stored() == {"kids": "I want two kids"}
    assert {batch(past, kind, 100) for kind in KINDS} == {0}


def test_nobody_waits_while_a_batch_is_looked_for(past):
    """With nothing to take, the lock that captures wait for is not asked for at all."""
    past.sweep()
    with past.database.surface(Surface.CAPTURE).transaction() as capturing:
        capturing.connection.execute(
            "select * from ledger.topics_for('{something_new}', true, ledger.today())"
        )
        assert {batch(past, kind, 100) for kind in KINDS} == {0}


def waited_for(past, sweeping: threading.Thread) -> None:
    """Till the sweep waits for its lock."""
    while past.database.rows("select count(*) from pg_locks where locktype = 'advisory' and not granted") == [
        (0,)
    ]:
        assert sweeping.is_alive()


def test_what_is_said_again_while_a_batch_waits_is_kept(past):
    """The rows are found first; a write gets in before the lock is taken."""
    who = past.who()
    past.database.installer.execute(
        "update ledger.entry set as_of = %s where principal = %s", (LONG_AGO, who)
    )
    swept: list[int] = []
    sweeping = threading.Thread(target=lambda: swept.append(batch(past, "entries", 100)))
    with psycopg.connect(past.database.conninfo) as writing:
        writing.execute("select ledger.lock_principal(%s)", (who,))
        writing.execute("update ledger.entry set as_of = %s where principal = %s", (past.today, who))
        sweeping.start()
        waited_for(past, sweeping)
    sweeping.join()
    assert swept == [40]
    assert past.stored() == {"kids": "I want two kids"}


def test_a_batch_whose_rows_another_sweep_has_taken_takes_the_next(past):
    """Zero would say that nothing is left, and the sweep would end there."""
    swept: list[int] = []
    sweeping = threading.Thread(target=lambda: swept.append(batch(past, "entries", 5)))
    with psycopg.connect(past.database.conninfo) as other:
        other.execute("set role ledger_custodian")
        other.execute("select ledger.sweep_expired('ledger.entry', 5)")
        sweeping.start()
        waited_for(past, sweeping)
    sweeping.join()
    assert swept == [5]


def test_a_sweep_that_was_ended_early_is_taken_up_by_the_next(past):
    """Each piece says how far it came in the transaction that brought it there."""
    past.later(1)
    sweep, sent = sweeps.sweep(), None
    try:
        for _ in range(30):  # in the middle of the re-stamps
            sent = past.ledger._connections.execute(sweep.send(sent))
    finally:
        sweep.close()
    stamped = past.database.rows("select count(*) from ledger.piece_mark")
    assert stamped != [(0,)]
    past.sweep()
    assert past.database.rows("select count(distinct xmin::text) from ledger.topic") == [(1,)]
    assert past.sweep()["restamped"] == 0
