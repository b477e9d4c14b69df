"""What says that it is over is left behind.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.gate.scope import Turn
from ledger.core.model import Reason


def _refuses(spot: Spot) -> Turn | None:
    return spot.cut_by("past")


RULE = Rule(
    name="past",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("I used to [smoke]", "[I smoke], but not anymore"),
    kept=("[I used to smoke]", "I used to smoke. [I run now.]"),
)
