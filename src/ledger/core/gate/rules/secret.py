"""No credential, and no card, account or identity number, nor a part of one.

Source: DESIGN section 6, rule 6; ISO/IEC 7812, ISO 13616.
"""

from __future__ import annotations

from ledger.core.gate.rules.rule import Rule, Spot
from ledger.core.model import Reason


def _refuses(spot: Spot) -> bool:
    return spot.reading.meets_secret(spot.start, spot.end)


RULE = Rule(
    name="secret",
    purpose=__doc__ or "",
    reason=Reason.SECRET,
    check=_refuses,
    refused=(
        "[my password is hunter2!]",
        "[my card is 4111 1111 1111 1111]",
        "my password is [hunter2]",
        "my card is 4111 [1111 1111 1111]",
    ),
    kept=("[my phone has 4111 contacts]", "my pin is 4821. [I have two kids]"),
)
