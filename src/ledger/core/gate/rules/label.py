"""What is only named is kept without what is said of it, or a value without whose it is.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.fault == "label"


RULE = Rule(
    name="label",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("[Remote work] ✗", "[Smoking]: none", "Mum: [type 2 diabetes]"),
    kept=("[Smoking: none]", "Sam: [10.04]"),
    of_structure=True,
)
