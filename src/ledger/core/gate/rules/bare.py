"""A yes, a no or a pointer means nothing without its question, nor without the words that follow it.

Source: DESIGN section 6, rule 5.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.reading.is_bare_unasked(spot.answer, spot.question) or spot.reading.cuts_bare(
        spot.start, spot.end
    )


RULE = Rule(
    name="bare",
    purpose=__doc__ or "",
    reason=Reason.NEEDS_QUESTION,
    check=_refuses,
    refused=("[yes]", "[same as before]", "[no] idea"),
    kept=("[two]", "[yes, I smoke]"),
)
