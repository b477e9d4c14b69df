"""A condition on the span is left behind.

Source: DESIGN section 6, rule 3; Huddleston and Pullum 2002, chapter 8 (conditional adjuncts).
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.gate.scope import Turn
from ledger.core.model import Reason


def _refuses(spot: Spot) -> Turn | None:
    return spot.cut_by("condition")


RULE = Rule(
    name="condition",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("[I want kids] if I marry", "If I marry, [I want kids]", "I smoke only when [I drink]"),
    kept=("[I want kids if I marry]", "if that's ok, [Friday at nine]"),
)
