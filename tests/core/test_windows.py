"""Staleness in whole days: a stale answer is a question, and at last nothing (G5)."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.core import windows
from ledger.core.model import Freshness, Topic, Window
from ledger.errors import InvalidRequest

DEFAULT = Window()
SAID = date(2026, 3, 1)
DAYS = st.dates(date(1990, 1, 1), date(2200, 1, 1))
WINDOWS = st.integers(1, windows.LONGEST - 1).flatmap(
    lambda first: st.builds(Window, st.just(first), st.integers(first + 1, windows.LONGEST))
)


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        (-1, Freshness.FRESH),  # somebody's tomorrow
        (0, Freshness.FRESH),
        (120, Freshness.FRESH),
        (121, Freshness.RECONFIRM),
        (539, Freshness.RECONFIRM),
        (540, Freshness.DROPPED),
        (5000, Freshness.DROPPED),
    ],
)
def test_an_answer_is_fresh_to_120_days_a_question_to_539_and_gone_from_540(
    days: int, expected: Freshness
) -> None:
    assert windows.freshness(SAID, SAID + timedelta(days=days), DEFAULT) is expected


def test_age_counts_whole_days_over_a_leap_day_and_a_change_of_clocks() -> None:
    assert windows.age(date(2028, 2, 28), date(2028, 3, 1)) == 2
    assert windows.age(date(2026, 3, 28), date(2026, 3, 30)) == 2


@given(DAYS, WINDOWS)
def test_fresh_until_and_kept_until_are_the_last_days_of_their_kind(as_of: date, window: Window) -> None:
    fresh, kept = windows.fresh_until(as_of, window), windows.kept_until(as_of, window)
    day = timedelta(days=1)
    assert windows.freshness(as_of, fresh, window) is Freshness.FRESH
    assert windows.freshness(as_of, fresh + day, window) is not Freshness.FRESH
    assert windows.freshness(as_of, kept, window) is not Freshness.DROPPED
    assert windows.freshness(as_of, kept + day, window) is Freshness.DROPPED


@given(DAYS, DAYS, WINDOWS)
def test_an_answer_never_grows_younger(as_of: date, today: date, window: Window) -> None:
    order = list(Freshness)
    now = windows.freshness(as_of, today, window)
    tomorrow = windows.freshness(as_of, today + timedelta(days=1), window)
    assert order.index(now) <= order.index(tomorrow)


def test_a_topic_without_a_window_follows_the_defaults() -> None:
    assert windows.window_of(Topic("kids"), Window(10, 20)) == Window(10, 20)
    assert windows.window_of(Topic("kids", reconfirm_after=90, drop_after=300), DEFAULT) == Window(90, 300)


def test_both_null_means_the_defaults() -> None:
    assert windows.checked(None, None) is None


@given(WINDOWS)
def test_any_window_that_holds_is_taken_as_it_is(window: Window) -> None:
    assert windows.checked(window.reconfirm_after, window.drop_after) == window


@pytest.mark.parametrize(
    ("reconfirm_after", "drop_after", "at"),
    [
        (0, 540, "reconfirm_after"),
        (-1, 540, "reconfirm_after"),
        (600, 540, "drop_after"),
        (540, 540, "drop_after"),
        (100, 3651, "drop_after"),
        (10**9, 2 * 10**9, "drop_after"),
        (None, 540, "reconfirm_after"),
        (120, None, "drop_after"),
    ],
)
def test_a_window_that_does_not_hold_is_refused_and_the_wrong_number_named(
    reconfirm_after: int | None, drop_after: int | None, at: str
) -> None:
    with pytest.raises(InvalidRequest) as refusal:
        windows.checked(reconfirm_after, drop_after)
    assert at in {problem.at for problem in refusal.value.problems}
