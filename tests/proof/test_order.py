"""Whether rows lie in the order of writing: counted exactly, blind to chance, and awake."""

from __future__ import annotations

import random
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.db.remains import Row
from ledger.proof.order import LIMIT, Order, compared, concordance

PLACES = st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(1, 9)), max_size=4), max_size=8)


def row(principal: str, stamp: int, place: int, table: str = "ledger.entry", **more: str) -> Row:
    values: dict[str, str | None] = {"principal": principal, **more}
    return Row(table, values, principal, stamp, 0, (place, 1), 0)


@given(groups=PLACES)
def test_pairs_are_counted_one_by_one(groups):
    """But those that were written at once."""
    s = sum((a < b) - (a > b) for one, other in combinations(groups, 2) for a in one for b in other)
    distinct = len({place for group in groups for place in group}) == sum(map(len, groups))
    if distinct:
        assert concordance(groups)[0] == s


@pytest.mark.parametrize("tied", [(1, 1, 1, 1), (2, 1, 1), (2, 2), (4,)])
def test_the_variance_is_that_over_all_orders(tied):
    scores = []
    for order in permutations(range(sum(tied))):
        places, groups = iter(order), []
        for size in tied:
            groups.append([(next(places), 1) for _ in range(size)])
        s, variance = concordance(groups)
        scores.append(s)
    assert sum(scores) == 0
    assert sum(s * s for s in scores) / len(scores) == pytest.approx(variance)


def test_chance_comes_nowhere_near_the_limit_and_the_order_of_writing_goes_far_beyond_it():
    chance = random.Random(1)  # noqa: S311 - the same each time
    unordered, ordered, reversed_ = Order(), Order(), Order()
    for _ in range(50):
        people = [f"p{n}" for n in range(40)]
        chance.shuffle(people)
        before = [row(who, 100 + n, n) for n, who in enumerate(people)]
        unordered += compared(before, [row(who, 200, n) for n, who in enumerate(sorted(people))])
        ordered += compared(before, [row(who, 200, n) for n, who in enumerate(people)])
        reversed_ += compared(before, [row(who, 200, 99 - n) for n, who in enumerate(people)])
    assert list(unordered.told()) == [] and unordered.farthest() < LIMIT / 2
    assert next(iter(ordered.told())).startswith("principals of ledger.entry in the order of writing: +")
    assert next(iter(reversed_.told())).startswith("principals of ledger.entry in the order of writing: -")


def test_who_was_not_stamped_anew_is_not_looked_at():
    people = [f"p{n}" for n in range(40)]
    rows = [row(who, 100 + n, n) for n, who in enumerate(people)]
    assert compared(rows, rows).farthest() == 0.0


def test_of_a_principal_the_newest_stamp_and_the_first_place_count():
    before = [row("a", 7, 1), row("a", 9, 3), row("b", 8, 2)]
    after = [row("a", 20, 5), row("a", 20, 4), row("b", 20, 6)]
    assert compared(before, after).score == {"principals of ledger.entry": -1}


def test_topics_that_a_person_coins_are_compared_with_their_like():
    before = [row("", 7 + n, n, "ledger.topic", key=f"habit_{n}") for n in range(5)]
    before += [row("", 20, 9, "ledger.topic", key="kids")]
    for one in before:
        del one.values["principal"]
    after = [Row(one.table, one.values, one.text, 50, 0, one.place, 0) for one in before]
    assert set(compared(before, after).score) == {"topics of ledger.topic that begin with habit"}
