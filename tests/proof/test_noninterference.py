"""The property itself: histories, each three times, and nothing that lasts is different. `make prove-all` plays 10,000."""

from __future__ import annotations

from ledger.db import expected
from ledger.db.remains import Remains
from ledger.proof import histories, noninterference
from ledger.proof.play import Play


def test_what_lasts_is_the_same_in_whichever_thread_and_order_it_was_told():
    found = noninterference.examine_side_by_side(range(4), people=50, jobs=2)
    assert found.faults == []
    assert found.disorder == []
    assert found.differences == []
    assert found.histories == 200


def test_the_histories_leave_rows_in_every_table_of_principals(stage):
    """Else the property would hold of nothing."""
    full: set[str] = set()
    for seed in range(2):
        with stage.place() as place, Remains(place.installer) as remains:
            play = Play(place)
            for day in histories.generate(seed, people=20).days:
                play.day(day)
                play.sweep()
                full |= {
                    table.name
                    for table in remains.tables()
                    if table.schema == "ledger" and remains.rows(table)
                }
            assert play.faults() == []
    assert set(expected.OF_PRINCIPALS) <= full
    assert {"topic", "outcome"} <= full
