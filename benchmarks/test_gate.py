"""What the gate catches and keeps of real messages must not fall behind what was measured.

The floors are a little under the lower half of `python -m benchmarks.gate`, where every set is explained.
"""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from benchmarks import asking
from benchmarks.gate import DATA, SETS, lines
from ledger.core.gate import Gate
from ledger.languages import load

FLOORS = {
    "en-negation": 99.7,
    "en-hedge": 99.5,
    "en-reversing": 99.7,
    "en-far": 98,
    "en-safe": 58,
    "en-near": 80,
    "es-negation": 99.6,
    "es-hedge": 99.5,
    "es-far": 98,
    "es-safe": 65,
    "es-near": 82,
    "switchboard": 94,
    "irc": 85,
    "locomo": 24,
    "restaurants": 60,
    "nlupp": 53,
    "ask-phone-marked": 99,
    "ask-phone-unmarked": 97,
    "ask-friends-marked": 99,
    "ask-friends-unmarked": 98,
    "ask-about-unmarked": 97.5,
    "ask-chat-marked": 98,
    "secrets": 99.9,
    "names": 99.5,
    "paraphrases": 100,
    "messy": 100,
}


@pytest.fixture(scope="session")
def gate() -> Gate:
    return Gate(load())


@pytest.mark.parametrize("name", FLOORS)
def test_a_set_does_not_fall_below_its_floor(gate: Gate, name: str) -> None:
    tries = list(SETS[name][2](gate))
    assert len(tries) > 100
    share = 100 * sum(each.right for each in tries) / len(tries)
    assert share >= FLOORS[name]


def test_the_lines_that_really_ask_are_those_of_the_published_list() -> None:
    listed = json.loads(Path(asking.__file__).with_name("questions.json").read_text("utf-8"))
    assert sorted(listed) == ["nlupp", "restaurants8k", "sgd"]
    for name, known in listed.items():
        assert hashlib.sha256((DATA / f"{name}.jsonl").read_bytes()).hexdigest() == known["data_sha256"]
        asks = [
            number
            for number, line in enumerate(lines(name), 1)
            if any(asking.asks_at(line["message"], each["start"], each["end"]) for each in line["answers"])
        ]
        assert asks == known["lines"]
