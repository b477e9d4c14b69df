"""A number goes on behind the span, or stands behind a part of it.

Source: DESIGN section 6, rule 2.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.fault == "value"


RULE = Rule(
    name="value",
    purpose=__doc__ or "",
    reason=Reason.MID_WORD,
    check=_refuses,
    refused=("my budget is [2] million", "I want [50] % remote", "twenty [five]"),
    kept=("my budget is [2 million]", "I want [50 % remote]"),
    of_structure=True,
)
