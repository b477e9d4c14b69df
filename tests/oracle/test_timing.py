"""What a reply would tell by the time it takes. Measured by benchmarks/oracle_timing.py; here is what makes it equal."""

from __future__ import annotations

import json
import statistics
import time
from typing import Any

import pytest

from ledger.db.operation import Surface

COININGS = {
    Surface.AGENT: "select ledger.coin('{}')",
    Surface.CAPTURE: "select * from ledger.topics_for('{{{}}}', true, ledger.today())",
}


@pytest.mark.parametrize("surface", COININGS)
def test_a_coining_waits_for_no_disk_whether_the_key_was_there_or_not(
    any_database: Any, surface: Surface
) -> None:
    """The commit of a new key would, and that of a key that was there has nothing to wait for."""
    caller = any_database.surface(surface)
    caller.execute("set synchronous_commit = on")
    waits = "show synchronous_commit"
    for _ in "new", "old":
        with caller.transaction():
            caller.execute(COININGS[surface].format("windmill"))
            assert caller.execute(waits).fetchone() == ("off",)
        assert caller.execute(waits).fetchone() == ("on",), "nothing of it outlives the transaction"
    assert any_database.rows("select count(*) from ledger.topic where key = 'windmill'") == [(1,)]


@pytest.mark.parametrize("surface", COININGS)
def test_a_coining_takes_as_long_for_a_key_that_is_there_as_for_a_new_one(
    database: Any, surface: Surface
) -> None:
    """In turn, in one run; the quicker half of each, which nothing else on the machine has held up."""
    caller = database.surface(surface)
    caller.prepare_threshold = None
    took: dict[str, list[float]] = {"old": [], "new": []}
    caller.execute(COININGS[surface].format("windmill"))
    for n in range(400):
        for which, key in ("old", "windmill"), ("new", f"windmill_{n}"):
            start = time.perf_counter()
            caller.execute(COININGS[surface].format(key))
            took[which].append(time.perf_counter() - start)
    old, new = (statistics.median(sorted(one[50:])[:175]) for one in took.values())
    assert 0.77 < new / old < 1.3


@pytest.mark.parametrize(
    "state",
    [
        "nothing",
        "insert into ledger.objection values (%(p)s)",
        "insert into ledger.entry values (%(p)s, 'kids', 'something newer', ledger.today())",
        "insert into ledger.legal_hold values (%(p)s, true)",
        "insert into ledger.barrier values (%(p)s, %(mark)s, 'deleted', ledger.today() + 1)",
    ],
    ids=["kept", "an objection", "a newer answer", "an erasure that waits", "a barrier"],
)
def test_a_capture_waits_for_the_disk_whether_something_is_kept_or_not(any_database: Any, state: str) -> None:
    """Only a transaction that has a number of its own does: one that wrote, if only an empty line into the log."""
    installer, identity = any_database.installer, any_database.identity
    person = identity.principal("ann")
    mark = identity.mark(person, "kids")
    installer.execute("insert into ledger.topic (key, handling, listed) values ('kids', 'open', true)")
    if state != "nothing":
        installer.execute(state, {"p": person, "mark": mark})
    answer = {
        "topic": "kids",
        "label": "kids",
        "answer": "two",
        "question": None,
        "names": ["kids"],
        "marks": [str(mark), str(mark)],
    }
    with installer.transaction():
        installer.execute(
            "select ledger.capture(%s, ledger.today() - 1, %s::jsonb)", (person, json.dumps([answer]))
        )
        ((number,),) = installer.execute("select pg_current_xact_id_if_assigned()").fetchall()
    assert number is not None
    kept = any_database.rows("select answer from ledger.entry where principal = %s", person) == [("two",)]
    assert kept is (state == "nothing")


@pytest.mark.parametrize("call", ["outcome_add", "reconfirm"])
def test_a_reconfirmation_waits_for_the_disk_though_there_is_nothing_to_act_on(
    any_database: Any, call: str
) -> None:
    installer = any_database.installer
    with installer.transaction():
        installer.execute(
            f"select ledger.{call}(%s, 'kids', ledger.today(), true, '{{}}')",
            (any_database.identity.principal("ann"),),
        )
        ((number,),) = installer.execute("select pg_current_xact_id_if_assigned()").fetchall()
    assert number is not None
