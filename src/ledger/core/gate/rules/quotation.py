"""What stands in quotation marks is somebody else's, unless the span holds all of it or it is a title.

Source: DESIGN section 6, rule 4.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.reading.is_in_quotation(spot.start, spot.end)


RULE = Rule(
    name="quotation",
    purpose=__doc__ or "",
    reason=Reason.NOT_OWN_WORDS,
    check=_refuses,
    refused=('my ex said "[never have kids]" and I laughed', 'the ad says "[no pets allowed]"'),
    kept=('my favourite book is "[Moby Dick]"', '[my ex said "never have kids" and I laughed]'),
)
