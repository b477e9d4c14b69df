"""An exception from the span is left behind.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.gate.scope import Turn
from ledger.core.model import Reason


def _refuses(spot: Spot) -> Turn | None:
    return spot.cut_by("exception")


RULE = Rule(
    name="exception",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("[I eat everything] except pork", "[I eat fish] but not meat"),
    kept=("[I eat everything except pork]", "except on Sundays I am free; [I work from home]"),
)
