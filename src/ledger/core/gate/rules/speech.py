"""Reported speech is somebody else's word about the speaker.

Source: DESIGN section 6, rule 4; Huddleston and Pullum 2002, chapter 11.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.cut is not None and spot.reading.first_cut(spot.start, spot.end, speech=True) is not None


RULE = Rule(
    name="speech",
    purpose=__doc__ or "",
    reason=Reason.NOT_OWN_WORDS,
    check=_refuses,
    refused=("my boss says [I work too much]", "I was told [I snore]"),
    kept=("[my boss says I work too much]", "I said [I work a lot]"),
)
