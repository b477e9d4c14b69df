"""What the gate catches and keeps of real messages must not fall behind what was measured.

The floors lie a little under the lower half of `python -m benchmarks.gate`, where every set is explained.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.gate import SETS
from ledger.core.gate import Gate

FLOORS = {
    "en-negation": 98.7,
    "en-hedge": 96,
    "en-far": 94,
    "en-safe": 72.5,
    "en-near": 88.5,
    "es-negation": 99,
    "es-hedge": 98,
    "es-far": 94,
    "es-safe": 86,
    "es-near": 94.5,
    "switchboard": 98,
    "irc": 95,
    "locomo": 90,
    "restaurants": 94.5,
    "nlupp": 80.5,
    "paraphrases": 100,
    "messy": 100,
}


@pytest.mark.parametrize("name", FLOORS)
def test_a_set_does_not_fall_below_its_floor(gate: Gate, shared: Path, name: str) -> None:
    tries = list(SETS[name][2](gate))
    assert len(tries) > 100
    share = 100 * sum(each.right for each in tries) / len(tries)
    assert share >= FLOORS[name]
