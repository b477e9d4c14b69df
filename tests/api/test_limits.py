"""How often a token may coin."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from ledger.api.limits import Limiter
from ledger.errors import TooManyRequests


@dataclass
class Clock:
    now: float = 1000.0

    def __call__(self) -> float:
        return self.now


def test_a_burst_and_then_so_many_a_second() -> None:
    clock = Clock()
    limiter = Limiter(5, 2, clock=clock)
    for _ in range(5):
        limiter.take(b"a")
    with pytest.raises(TooManyRequests) as refusal:
        limiter.take(b"a")
    assert refusal.value.retry_after == 1
    clock.now += 1
    limiter.take(b"a")
    limiter.take(b"a")
    with pytest.raises(TooManyRequests):
        limiter.take(b"a")


def test_waiting_as_told_is_enough_and_a_refusal_costs_nothing() -> None:
    clock = Clock()
    limiter = Limiter(1, 0.25, clock=clock)
    limiter.take(b"a")
    for _ in range(10):
        with pytest.raises(TooManyRequests) as refusal:
            limiter.take(b"a")
    clock.now += refusal.value.retry_after
    limiter.take(b"a")


def test_several_are_counted_at_once_or_none_of_them() -> None:
    clock = Clock()
    limiter = Limiter(5, 0.5, clock=clock)
    limiter.take(b"a", 3)
    with pytest.raises(TooManyRequests) as refusal:
        limiter.take(b"a", 4)
    assert refusal.value.retry_after == 4
    limiter.take(b"a", 2)
    with pytest.raises(TooManyRequests):
        limiter.take(b"a")
    clock.now += 8
    limiter.take(b"a", 4)


def test_no_token_is_slowed_down_by_another() -> None:
    limiter = Limiter(1, 1, clock=Clock())
    for name in (b"a", b"b", b"c"):
        limiter.take(name)


def test_a_long_rest_saves_no_more_than_a_burst() -> None:
    clock = Clock()
    limiter = Limiter(2, 10, clock=clock)
    limiter.take(b"a")
    clock.now += 3600
    limiter.take(b"a")
    limiter.take(b"a")
    with pytest.raises(TooManyRequests):
        limiter.take(b"a")


def test_what_is_kept_is_bounded_and_the_longest_unused_goes_first() -> None:
    clock = Clock()
    limiter = Limiter(1, 0.001, size=2, clock=clock)
    for name in (b"a", b"b", b"c"):
        limiter.take(name)
    with pytest.raises(TooManyRequests):
        limiter.take(b"b")
    limiter.take(b"a")


def test_a_bucket_that_is_full_again_is_forgotten() -> None:
    clock = Clock()
    limiter = Limiter(4, 2, clock=clock)
    kept = lambda: set(vars(limiter)["_full_at"])  # noqa: E731
    for _ in range(3):
        limiter.take(b"a")  # full again in 1.5 seconds
    limiter.take(b"b")  # in half a second
    clock.now += 0.5
    limiter.take(b"c")
    assert kept() == {b"a", b"c"}
    clock.now += 1
    limiter.take(b"d")
    assert kept() == {b"d"}


@pytest.mark.parametrize("per_second", [3, 7, 0.3, 1e-4, 1000 / 3])
def test_a_burst_is_a_burst_at_any_rate(per_second: float) -> None:
    clock = Clock(1e6 + 1 / 3)
    limiter = Limiter(50, per_second, clock=clock)
    for _ in range(50):
        limiter.take(b"a")
    with pytest.raises(TooManyRequests) as refusal:
        limiter.take(b"a")
    clock.now += refusal.value.retry_after
    limiter.take(b"a")
