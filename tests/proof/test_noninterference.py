"""The property itself: histories, each three times, and nothing that lasts is different. `make prove-all` plays 10,000."""

from __future__ import annotations

import pytest

from ledger.db import expected
from ledger.proof import noninterference
from ledger.proof.noninterference import Findings


@pytest.fixture(scope="module")
def found() -> Findings:
    return noninterference.examine_side_by_side(range(4), people=50, jobs=2)


def test_what_lasts_is_the_same_in_whichever_thread_and_order_it_was_told(found):
    assert found.faults == []
    assert found.disorder == []
    assert found.locked == []
    assert found.differences == []
    assert found.histories == 200


def test_the_histories_leave_rows_in_every_table_of_principals(found):
    """Else the property would hold of nothing."""
    assert set(expected.OF_PRINCIPALS) <= found.filled
    assert {"topic", "outcome"} <= found.filled
