"""A negation that reaches the span is left behind.

Source: DESIGN section 6, rule 3; Huddleston and Pullum 2002, chapter 9 (scope of negation).
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.gate.scope import Turn
from ledger.core.model import Reason


def _refuses(spot: Spot) -> Turn | None:
    return spot.cut_by("negation")


RULE = Rule(
    name="negation",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("I don't [want kids]", "without [a car]", "I [smoke]? not at all"),
    kept=("[I don't want kids]", "I don't smoke, [I vape]", "No, [I live in Ghent]", "not red but [blue]"),
)
