"""Each rule by its own examples: the verdict names it, and what it lets through is let through by all."""

from __future__ import annotations

from pathlib import Path

import pytest

from ledger.core.gate import Gate
from ledger.core.gate.rules import RULES
from ledger.core.model import Reason

REFUSED = [(rule, example) for rule in RULES for example in rule.refused]
KEPT = [(rule, example) for rule in RULES for example in rule.kept]


def parts(example: str) -> tuple[str, str]:
    """The message of an example, and its span: what stands in the last brackets."""
    before, _, rest = example.rpartition("[")
    span, _, after = rest.rpartition("]")
    return before + span + after, span


@pytest.mark.parametrize(("rule", "example"), REFUSED, ids=lambda value: getattr(value, "name", value)[:60])
def test_an_example_is_refused_by_its_rule(gate: Gate, rule, example) -> None:
    message, span = parts(example)
    verdict = gate.judge(message, span)
    assert (verdict.rule, verdict.reason) == (rule.name, rule.reason)
    assert verdict.detail


@pytest.mark.parametrize(("rule", "example"), KEPT, ids=lambda value: getattr(value, "name", value)[:60])
def test_an_example_beside_it_is_kept(gate: Gate, rule, example) -> None:
    message, span = parts(example)
    assert gate.judge(message, span).answer == span


@pytest.mark.parametrize(("rule", "example"), REFUSED, ids=lambda value: getattr(value, "name", value)[:60])
def test_without_a_rule_it_refuses_nothing(gate: Gate, rule, example) -> None:
    message, span = parts(example)
    assert gate.without(rule.name).judge(message, span).rule != rule.name


def test_a_name_to_avoid_is_refused_by_the_rule_of_names(gate: Gate) -> None:
    assert gate.judge("I work at Acme", "I work at Acme", avoid=["ACME"]).rule == "names"


def test_there_is_no_rule_of_another_name(gate: Gate) -> None:
    with pytest.raises(ValueError, match="none"):
        gate.without("similarity")


def test_every_rule_has_a_purpose_with_its_source_and_examples() -> None:
    assert len({rule.name for rule in RULES}) == len(RULES)
    for rule in RULES:
        assert "Source:" in rule.purpose
        assert rule.kept
        assert rule.refused or rule.reason is Reason.NAMES_COUNTERPARTY


def test_the_reference_names_every_rule_in_order() -> None:
    page = Path(__file__).resolve().parents[3] / "docs" / "reference" / "gate.md"
    section = page.read_text("utf-8").split("## The rules")[1].split("\n## ")[0]
    rows = [line.split("|")[1].strip() for line in section.splitlines() if line.startswith("| ")]
    assert [name for name in rows if name in {rule.name for rule in RULES}] == [rule.name for rule in RULES]
