"""Without data for the language nothing tells what turns a span, so it has to be whole sentences.

Source: DESIGN section 6.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return not spot.reading.covers_unknown(spot.start, spot.end)


RULE = Rule(
    name="sentence",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("Minä en halua [lapsia] nyt ollenkaan",),
    kept=("[Minä en halua lapsia nyt ollenkaan]",),
)
