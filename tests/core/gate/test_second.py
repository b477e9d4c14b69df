"""A second opinion can only refuse."""

from __future__ import annotations

from ledger.core.gate import Gate
from ledger.languages import load


def cuts_a_please(message: str, start: int, end: int) -> str | None:
    return "cut" if message[end:].startswith(" please") else None


GATE = Gate(load(), second=cuts_a_please)


def test_what_it_objects_to_is_refused_and_its_words_are_not_repeated() -> None:
    verdict = GATE.judge("I take aspirin please", "I take aspirin")
    assert (verdict.reason, verdict.rule) == ("meaning_cut", "second")
    assert "cut" not in verdict.detail


def test_what_it_lets_through_passes_and_is_suggested() -> None:
    assert GATE.judge("I take aspirin please", "I take aspirin").nearest == "I take aspirin please"
    assert GATE.judge("I take aspirin", "I take aspirin").accepted


def test_it_lets_nothing_through_that_the_rules_refuse() -> None:
    def allows(message: str, start: int, end: int) -> str | None:
        return None

    verdict = Gate(load(), second=allows).judge("I don't want kids", "want kids")
    assert verdict.rule == "negation"


def test_none_is_plugged_in_by_default(gate: Gate) -> None:
    assert gate.judge("I take aspirin please", "I take aspirin").rule != "second"
