"""The rows of the record, and their comparison: pure, so every case is told by itself."""

from __future__ import annotations

from datetime import date
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.core.record import NOBODY, Taken, What, lacking, united

ANN, MARK = UUID(int=7), UUID(int=9)
FIRST, SECOND = date(2026, 9, 1), date(2026, 9, 2)

rows = st.builds(
    Taken,
    st.sampled_from([ANN, UUID(int=8)]),
    st.sampled_from([What.REVOKED, What.WITHHELD, What.DELETED]),
    st.sampled_from([NOBODY, MARK]),
    st.sampled_from([None, FIRST, SECOND]),
)
sets = st.lists(rows, max_size=8)


@pytest.mark.parametrize(
    ("recorded", "standing", "lost"),
    [
        ([], [], False),
        ([], [Taken(ANN, What.REVOKED, NOBODY, FIRST)], False),
        ([Taken(ANN, What.REVOKED, NOBODY, FIRST)], [], True),
        ([Taken(ANN, What.REVOKED, NOBODY, FIRST)], [Taken(ANN, What.REVOKED, NOBODY, FIRST)], False),
        ([Taken(ANN, What.REVOKED, NOBODY, SECOND)], [Taken(ANN, What.REVOKED, NOBODY, FIRST)], True),
        ([Taken(ANN, What.DELETED, MARK, FIRST)], [Taken(ANN, What.DELETED, MARK, SECOND)], False),
        ([Taken(ANN, What.DELETED, MARK, FIRST)], [Taken(ANN, What.ERASED, MARK, SECOND)], True),
        ([Taken(ANN, What.WITHHELD, MARK)], [Taken(ANN, What.WITHHELD, NOBODY)], True),
        ([Taken(ANN, What.BEGUN)], [], False),
    ],
)
def test_what_the_database_lost_is_what_the_record_has_and_it_has_not(
    recorded: list[Taken], standing: list[Taken], lost: bool
) -> None:
    assert bool(lacking(recorded, standing)) is lost


@given(sets, sets)
def test_nothing_is_lacking_in_a_union_and_a_union_has_no_more(a: list[Taken], b: list[Taken]) -> None:
    both = united(a, b)
    assert lacking([*a, *b], both.values()) == []
    assert set(both) == {row.key for row in (*a, *b)}


@given(sets)
def test_what_is_lacking_stands_in_the_order_of_its_keys(recorded: list[Taken]) -> None:
    lost = [row.key for row in lacking(recorded, [])]
    assert lost == sorted(lost)


def test_a_barrier_is_over_with_the_widest_window_and_nothing_else_ever_is() -> None:
    over = [what for what in What if Taken(ANN, what, MARK, FIRST).is_over(FIRST)]
    assert set(over) == {What.DELETED, What.DECLINED, What.ERASED, What.SAID_BEFORE}
    assert not Taken(ANN, What.DELETED, MARK, SECOND).is_over(FIRST)
