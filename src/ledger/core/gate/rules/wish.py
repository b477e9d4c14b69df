"""A wish or a plan that reaches the span is left behind.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.gate.scope import Turn
from ledger.core.model import Reason


def _refuses(spot: Spot) -> Turn | None:
    return spot.cut_by("wish")


RULE = Rule(
    name="wish",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("I wish [I had kids]", "I want to [quit smoking]"),
    kept=("[I wish I had kids]", "I would like [a table for two]"),
)
