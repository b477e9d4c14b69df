"""A history told in other threads, or in another order, says the same of everybody."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from ledger.proof import histories
from ledger.proof.histories import Coined, Did, Looked, Reconfirmed, Said

PEOPLE = 6
SEEDS = range(12)


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
    assert {step.act for step in steps if isinstance(step, Did)} == set(histories._ACTS)
