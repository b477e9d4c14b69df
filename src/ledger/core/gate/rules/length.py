"""An answer has 500 code points at most.

Source: DESIGN section 4.
"""

from __future__ import annotations

from ledger.core.gate.details import LONGEST
from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.end - spot.start > LONGEST


RULE = Rule(
    name="length",
    purpose=__doc__ or "",
    reason=Reason.TOO_LONG,
    check=_refuses,
    refused=("[" + "a long story, " * 40 + "the end]",),
    kept=("[a short story]",),
)
