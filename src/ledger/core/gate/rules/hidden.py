"""Invisible tag characters, which spell text that nobody sees, stand in flags alone.

Source: Unicode TS #51, emoji tag sequences; UTR #36.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason
from ledger.core.text import holds_tags


def _refuses(spot: Spot) -> bool:
    return holds_tags(spot.answer)


RULE = Rule(
    name="hidden",
    purpose=__doc__ or "",
    reason=Reason.NOT_OWN_WORDS,
    check=_refuses,
    refused=("[I smoke\U000e0041\U000e0042]",),
    kept=("[I live in \U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f now]",),
)
