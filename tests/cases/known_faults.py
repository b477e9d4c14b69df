"""Steps of the cases that the product gets wrong today. These are known faults, and no other right outcome.

Each line says why, and what is seen in the place of what the case expects. That is compared strictly: where the product does
anything else, and where it gets the step right, the case fails until its line here is changed or gone.
"""

from __future__ import annotations

from typing import NamedTuple

from .collection import Place
from .facts import Facts


class Fault(NamedTuple):
    why: str
    seen: Facts  # in the place of the words of the expectation that it names


def kept(case: str, why: str, spans: dict[int, str]) -> dict[Place, Fault]:
    """The gate accepts these spans, each at its step, and they are kept."""
    return {
        (case, step): Fault(why, {"outcome": "accepted", "stored_text": span}) for step, span in spans.items()
    }


_RESTORED = "a restored ledger does not know what was taken away after the backup"

KNOWN_FAULTS: dict[Place, Fault] = {
    ("DEL-10", 4): Fault(_RESTORED, {"outcome": "ok", "quotes": ["I want two kids"]}),
    ("DEL-10", 5): Fault(_RESTORED, {"outcome": "ok", "quotes": ["three please"]}),
}
