"""A refusal, and the verdict that it makes.

Source: DESIGN section 6.
"""

from __future__ import annotations

from typing import NamedTuple

from ledger.core.gate.details import detail
from ledger.core.gate.scope import Turn
from ledger.core.model import Reason, Verdict

Place = tuple[int, int]


class Refusal(NamedTuple):
    """Why a place does not pass. `cut` is the first of the cues that would have to be taken into the span."""

    reason: Reason
    rule: str
    cut: Turn | None = None


def refused(refusal: Refusal, left: Place | None = None, better: str | None = None) -> Verdict:
    """The verdict; `left` is where the words stand that the span leaves out, `better` the slice that would pass."""
    return Verdict(
        False,
        reason=refusal.reason,
        detail=detail(refusal.reason, refusal.rule),
        rule=refusal.rule,
        left_behind=left,
        nearest=better,
    )
