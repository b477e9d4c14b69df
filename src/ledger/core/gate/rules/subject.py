"""The subject is somebody else, and is left behind.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.gate.scope import Turn
from ledger.core.model import Reason


def _refuses(spot: Spot) -> Turn | None:
    return spot.cut_by("subject")


RULE = Rule(
    name="subject",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("my sister [has two kids]", "she [smokes]"),
    kept=("[my sister has two kids]", "My wife and I [have two kids]"),
)
