"""Words that lean on the listener or the place say nothing to anybody else.

Source: DESIGN section 6, rule 5; Levinson 1983, chapter 2 (deixis).
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.reading.leans(spot.start, spot.end)


RULE = Rule(
    name="context",
    purpose=__doc__ or "",
    reason=Reason.NEEDS_CONTEXT,
    check=_refuses,
    refused=("[I'd love to work for you]", "I found [your office] easily"),
    kept=("[I start this month]", "[I live in Dallas]"),
)
