"""The hard cases from public reports, each played whole through the real application.

README.md says how to read a case; `collection` says how the contract settles it, and which steps no surface of
today can be asked.
"""

from __future__ import annotations

import pytest

from .checks import CHECKS
from .collection import CHECKED, OUT_OF_REACH, OUT_OF_REACH_WITHIN, SETTLED, Case, Place, load
from .expectations import differences
from .known_faults import KNOWN_FAULTS
from .operations import OPERATIONS
from .scripts import SCRIPTS
from .world import World

CASES = load()
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)


@every_case
def test_a_case_is_played_as_it_is_told(case: Case, world: World) -> None:
    wrong = {}
    for number, step in enumerate(case.steps):
        if (case.id, number) in OUT_OF_REACH:
            world.results.append({})
            continue
        play = SCRIPTS.get((case.id, number)) or OPERATIONS[step["op"]]
        facts = play(world, step)
        world.results.append(facts)
        if found := differences(world, case.expected(number), facts):
            wrong[case.id, number] = found
    assert wrong == {place: fault.seen for place, fault in KNOWN_FAULTS.items() if place[0] == case.id}
    of_steps = case.id in {id for id, _ in CHECKED}
    assert len(CHECKS.get(case.id, ())) + of_steps == len(case.checks)
    for check in CHECKS.get(case.id, ()):
        check(world)
    for word in case.never_in_dump:
        assert world.dumps
        assert not any(word in dumped for dumped in world.dumps), word
    for word in case.never_in_responses:
        assert world.bodies
        assert not any(word in body for body in world.bodies), word


def test_what_is_out_of_reach_is_exactly_what_asks_for_mcp_and_pages(world_of_nothing: World) -> None:
    asking = {
        (case.id, number)
        for case in CASES
        for number in range(len(case.steps))
        if asks_for_a_page(case, number)
    }
    assert asking | {("SURF-10", 8)} == set(OUT_OF_REACH)
    for path in set(OUT_OF_REACH.values()):
        # Served one day, its steps are to be played.
        assert world_of_nothing.send("anon", "GET", path).status_code == 404


def asks_for_a_page(case: Case, number: int) -> bool:
    step = case.steps[number]
    return (
        step["op"] in ("mcp_lines", "page_open", "page_save")
        or step.get("via") == "mcp"
        or step.get("path", "").startswith(("<mcp>", "<consent"))
    )


def test_every_step_that_is_settled_scripted_or_a_known_fault_is_there() -> None:
    steps: set[Place] = {(case.id, number) for case in CASES for number in range(len(case.steps))}
    assert steps >= {*SETTLED, *CHECKED, *OUT_OF_REACH, *OUT_OF_REACH_WITHIN, *SCRIPTS, *KNOWN_FAULTS}
    assert {case.id for case in CASES} >= CHECKS.keys()
