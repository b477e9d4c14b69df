"""What marks the span as not meant is left behind.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.gate.scope import Turn
from ledger.core.model import Reason


def _refuses(spot: Spot) -> Turn | None:
    return spot.cut_by("irony")


RULE = Rule(
    name="irony",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("[I love smokers] lol jk", "[I want five kids.] NOT!"),
    kept=("[I love dogs] lol",),
)
