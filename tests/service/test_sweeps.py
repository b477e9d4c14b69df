"""The sweep works in batches, so that no capture waits long, however much there is to sweep."""

from __future__ import annotations

import threading
from datetime import date

import psycopg
import pytest

from ledger.db.operation import Surface

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
        "barrier": "p.principal, md5(t.topic)::uuid, '2024-01-01'::date",
        "audit": "p.principal, '2024-01-01'::date + length(t.topic), 'deleted', 1",
    }.items():
        scene.database.installer.execute(
            f"insert into ledger.{table} select {columns} from ({people}) p, {topics} on conflict do nothing"
        )
    return scene


def batch(scene, most: int) -> dict[str, int]:
    found = scene.database.surface(Surface.SWEEPER).execute("select * from ledger.sweep_expired(%s)", (most,))
    return dict(zip(KINDS, found.fetchone(), strict=True))


def test_a_batch_takes_so_many_of_each_kind_and_no_more(past):
    assert batch(past, 7) == dict.fromkeys(KINDS, 7)
    left = past.database.surface(Surface.SWEEPER).execute("select * from ledger.sweep_due()").fetchone()
    assert left[:3] == (33, 33, 33)


def test_the_sweep_goes_on_until_nothing_of_any_kind_is_left(past, monkeypatch):
    monkeypatch.setattr("ledger.service.sweeps.BATCH", 3)
    past.database.installer.execute("delete from ledger.entry where as_of = %s", (LONG_AGO,))
    past.database.installer.execute("delete from ledger.pending")
    assert past.sweep()["barriers"] == 40
    assert past.stored() == {"kids": "I want two kids"}
    assert set(batch(past, 100).values()) == {0}


def test_nobody_waits_while_a_batch_is_looked_for(past):
    """With nothing to take, the lock that captures wait for is not asked for at all."""
    past.sweep()
    with past.database.surface(Surface.CAPTURE).transaction() as capturing:
        capturing.connection.execute(
            "select * from ledger.topics_for('{something_new}', true, ledger.today())"
        )
        assert set(batch(past, 100).values()) == {0}


def test_what_is_said_again_while_a_batch_waits_is_kept(past):
    """The rows are found first; a write gets in before the lock is taken."""
    who = past.who()
    past.database.installer.execute(
        "update ledger.entry set as_of = %s where principal = %s", (LONG_AGO, who)
    )
    swept: list[dict[str, int]] = []
    sweeping = threading.Thread(target=lambda: swept.append(batch(past, 100)))
    with psycopg.connect(past.database.conninfo) as writing:
        writing.execute("select ledger.lock_principal(%s)", (who,))
        writing.execute("update ledger.entry set as_of = %s where principal = %s", (past.today, who))
        sweeping.start()
        waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
        while past.database.rows(waiting) == [(0,)]:
            assert sweeping.is_alive()
    sweeping.join()
    assert swept[0]["entries"] == 40
    assert past.stored() == {"kids": "I want two kids"}


def test_a_batch_whose_rows_another_sweep_has_taken_takes_the_next(past):
    """Zeros would say that nothing is left, and the sweep would end there."""
    for table in ("pending", "barrier", "audit"):
        past.database.installer.execute(f"delete from ledger.{table}")
    swept: list[dict[str, int]] = []
    sweeping = threading.Thread(target=lambda: swept.append(batch(past, 5)))
    with psycopg.connect(past.database.conninfo) as other:
        other.execute("set role ledger_custodian")
        other.execute("select * from ledger.sweep_expired(5)")
        sweeping.start()
        waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
        while past.database.rows(waiting) == [(0,)]:
            assert sweeping.is_alive()
    sweeping.join()
    assert swept == [{**dict.fromkeys(KINDS, 0), "entries": 5}]
