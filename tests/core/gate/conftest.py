from __future__ import annotations

from collections.abc import Callable

import pytest

from ledger.core.gate import Gate
from ledger.languages import load

Outcome = Callable[..., str]


@pytest.fixture(scope="session")
def gate() -> Gate:
    return Gate(load())


@pytest.fixture(scope="session")
def outcome(gate: Gate) -> Outcome:
    """A verdict in one word, for tables of examples: its reason, or "kept"."""

    def judged(message: str, span: str, **more: object) -> str:
        verdict = gate.judge(message, span, **more)
        return "kept" if verdict.accepted else str(verdict.reason)

    return judged
