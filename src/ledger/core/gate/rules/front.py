"""What stands in front of the subject belongs to its clause.

Source: DESIGN section 6, rule 3; Huddleston and Pullum 2002, chapter 8.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.fault == "front"


RULE = Rule(
    name="front",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("pay me double and [I work nights]", "last year, [I wanted kids]"),
    kept=("[at a push I can start in March]", "hey Marta, [I can start in March]"),
    of_structure=True,
)
