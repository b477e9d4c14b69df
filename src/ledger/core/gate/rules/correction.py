"""The speaker takes the span back in words that are left behind.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.gate.scope import Turn
from ledger.core.model import Reason


def _refuses(spot: Spot) -> Turn | None:
    return spot.cut_by("correction")


RULE = Rule(
    name="correction",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("[Friday], no wait, Saturday", "[Friday works.] Scratch that, Saturday."),
    kept=("Friday, no wait, [Saturday]",),
)
