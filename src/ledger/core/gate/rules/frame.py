"""What governs the span is not on the list of what affirms, or its subject is not the speaker.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.fault == "frame"


RULE = Rule(
    name="frame",
    purpose=__doc__ or "",
    reason=Reason.MEANING_CUT,
    check=_refuses,
    refused=("I ruled out [surgery]", "I'm negative for [HIV]", "half my team [works nights]"),
    kept=("I live in [Ghent]", "we use [Postgres 16]", "[I ruled out surgery]"),
    of_structure=True,
)
