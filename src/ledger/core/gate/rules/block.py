"""Quoted lines, forwarded mail, pasted chat, code and a prompt block of this ledger are not typed by the speaker.

Source: DESIGN section 6, rule 4.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.reading.is_in_block(spot.start, spot.end)


RULE = Rule(
    name="block",
    purpose=__doc__ or "",
    reason=Reason.NOT_OWN_WORDS,
    check=_refuses,
    refused=("> [I smoke]\nso they say", "see `[I smoke]` there", "[10:42] Kim: [I smoke]"),
    kept=("I said it before: [I smoke]",),
)
