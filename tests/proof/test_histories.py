"""A history told in other threads, or in another order, says the same of everybody."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from ledger.proof import histories
from ledger.proof.histories import (
    SNAPSHOT_EVERY,
    Coined,
    Day,
    Did,
    Event,
    Looked,
    Opening,
    Reconfirmed,
    Reopened,
    Said,
    Step,
    Swept,
    Vacuumed,
)  # fmt: skip

PEOPLE = 6
SEEDS = range(12)
MANY = range(60)


def said(turn) -> Counter[tuple[object, ...]]:
    """What is said in a turn: who, on which topic, in which words, typed on which day."""
    return Counter(
        (step.who, step.said_on, *part) for step in turn if isinstance(step, Said) for part in step.parts
    )


def beside_threads(step):
    return step if isinstance(step, Did) else replace(step, thread=0)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("told_otherwise", [histories.in_other_threads, histories.in_another_order])
def test_in_each_turn_the_same_is_said(told_otherwise, seed):
    world = histories.generate(seed, PEOPLE)
    other = told_otherwise(world, seed)
    for day, again in zip(world.days, other.days, strict=True):
        assert day.day == again.day
        for turn, retold in zip(day.turns, again.turns, strict=True):
            assert said(turn) == said(retold)
            assert len(turn) == len(retold)


@pytest.mark.parametrize("seed", SEEDS)
def test_threads_change_and_nothing_else_but_which_answers_share_a_message(seed):
    world = histories.generate(seed, PEOPLE)
    other = histories.in_other_threads(world, seed)
    assert [getattr(s, "thread", None) for s in world.steps()] != [
        getattr(s, "thread", None) for s in other.steps()
    ]
    for step, again in zip(world.steps(), other.steps(), strict=True):
        if isinstance(step, Said):
            assert isinstance(again, Said) and len(step.parts) == len(again.parts)
        else:
            assert beside_threads(step) == beside_threads(again)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_people_do_themselves_keeps_its_place(seed):
    world = histories.generate(seed, PEOPLE)
    other = histories.in_another_order(world, seed)
    assert list(world.steps()) != list(other.steps())
    assert [s for s in world.steps() if isinstance(s, Did)] == [
        s for s in other.steps() if isinstance(s, Did)
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_within_a_turn_nobody_speaks_twice_on_a_topic(seed):
    """Else another answer would be the newest one."""
    for day in histories.generate(seed, PEOPLE).days:
        for turn in day.turns:
            topics = Counter(
                (step.who, label)
                for step in turn
                if isinstance(step, Said | Reconfirmed)
                for label in (
                    [step.label] if isinstance(step, Reconfirmed) else [one for one, _ in step.parts]
                )
            )
            assert max(topics.values(), default=1) == 1


def test_a_number_always_tells_the_same_world_and_everything_occurs():
    assert histories.generate(3, PEOPLE) == histories.generate(3, PEOPLE)
    steps = [step for seed in SEEDS for step in histories.generate(seed, PEOPLE).steps()]
    assert {type(step) for step in steps} == {Said, Coined, Reconfirmed, Looked, Did}
    days = [day for seed in MANY for day in histories.generate(seed, PEOPLE).days]
    assert {day.opening for day in days} == set(Opening)
    assert {one.event for day in days for one in day.happenings} == {
        Swept(), Swept(in_pieces=True), Reopened(), Reopened(server=True), Vacuumed(),
    }  # fmt: skip
    assert {one.at_the_end for day in days for one in day.happenings} == {True, False}
    assert {step.act for step in steps if isinstance(step, Did)} == set(histories._ACTS)


# ── What happens in a day besides ────────────────────────────────────────────────────────────────


def without_events(day: Day) -> list[list[Step]]:
    return [[step for step in turn if not isinstance(step, Event)] for turn in day.turns]


@pytest.mark.parametrize("seed", SEEDS)
def test_what_happens_comes_between_what_is_said_and_changes_none_of_it(seed):
    world = histories.generate(seed, PEOPLE)
    for day, again in zip(world.days, histories.as_it_happens(world, seed).days, strict=True):
        assert without_events(again) == [list(turn) for turn in day.turns]
        events = [step for turn in again.turns for step in turn if isinstance(step, Event)]
        assert Counter(events) == Counter(one.event for one in day.happenings)
        in_talks = [one.turn for one in day.happenings if not isinstance(one.event, Vacuumed)]
        assert not any(isinstance(step, Did) for turn in in_talks for step in day.turns[turn])


def test_it_happens_at_another_place_in_each_telling():
    world = next(
        world
        for world in (histories.generate(seed, PEOPLE) for seed in MANY)
        if any(not one.at_the_end for day in world.days for one in day.happenings)
    )
    assert len({histories.as_it_happens(world, seed) for seed in range(9)}) > 2


@pytest.mark.parametrize("seed", MANY)
def test_a_sweep_that_draws_stands_at_one_place_in_each_telling(seed):
    """What it draws depends on what stands by then: between two turns that is the same in each telling."""
    world = histories.generate(seed, PEOPLE)
    drawn = None
    for day in world.days:
        swept = [one for one in day.happenings if isinstance(one.event, Swept)]
        due = drawn is None or day.day - drawn >= SNAPSHOT_EVERY
        if day.opening is not Opening.SWEEP and swept and due:
            first = min(swept, key=lambda one: (one.turn, not one.at_the_end))
            assert first.at_the_end
            assert all(one.turn > first.turn or one.at_the_end for one in swept if one is not first)
        if due and (swept or day.opening is Opening.SWEEP):
            drawn = day.day


def test_a_write_across_midnight_is_one_capture_that_was_said_the_day_before():
    days = [day for seed in MANY for day in histories.generate(seed, PEOPLE).days]
    crossing = [day for day in days if day.opening is Opening.CROSSING]
    assert len(crossing) > 9
    for day in crossing:
        ((step,), *_) = day.turns
        assert isinstance(step, Said) and (day.day - step.said_on).days == 1


def test_a_world_that_is_swept_daily_holds_nothing_else():
    for day in histories.swept_daily(histories.generate(5, PEOPLE)).days:
        assert (day.opening, day.happenings) == (Opening.SWEEP, ())
