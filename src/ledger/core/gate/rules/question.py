"""A real question answers nothing, even whole; a request states its content.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.reading.asks(spot.start, spot.end)


RULE = Rule(
    name="question",
    purpose=__doc__ or "",
    reason=Reason.QUESTION,
    check=_refuses,
    refused=("[do you want kids?]", "Kim, [what is your dog called]", "I do, [how about you]?"),
    kept=("can you book it for [two people]?", "I have [two kids], what about you?"),
)
