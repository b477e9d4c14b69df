"""What marks the span as an opinion is left behind; a number or a time is let through.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.gate.scope import Turn
from ledger.core.model import Reason


def _refuses(spot: Spot) -> Turn | None:
    return spot.cut_by("opinion")


RULE = Rule(
    name="opinion",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("I think [I want kids]", "it's under [Kim Smith], I guess"),
    kept=("[I think I want kids]", "I think [7 people]"),
)
