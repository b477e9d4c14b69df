"""The span ends inside its phrase or clause: what follows belongs to it.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.fault == "phrase"


RULE = Rule(
    name="phrase",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("[I have a cat] allergy", "[night shifts] don't work for me", "[I've had no claims] since 2019"),
    kept=("[I have a cat allergy], so no cats", "[I've had no claims since 2019]"),
    of_structure=True,
)
