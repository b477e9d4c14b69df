"""None of the names to avoid, in any case, accent or inflection.

Source: DESIGN section 6, rule 6.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.avoid.one_in(spot.answer)


RULE = Rule(
    name="names",
    purpose=__doc__ or "",
    reason=Reason.NAMES_COUNTERPARTY,
    check=_refuses,
    refused=(),
    kept=("[I work at Acme]",),
    of_words=True,
)
