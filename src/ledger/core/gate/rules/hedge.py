"""A hedge that reaches the span is left behind.

Source: DESIGN section 6, rule 3; Hyland 1998 (what hedges are).
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.gate.scope import Turn
from ledger.core.model import Reason


def _refuses(spot: Spot) -> Turn | None:
    return spot.cut_by("hedge")


RULE = Rule(
    name="hedge",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("I doubt that [I want kids]", "I might [move to Spain]"),
    kept=("[I doubt that I want kids]", "I doubt it will rain; [I have two kids]"),
)
