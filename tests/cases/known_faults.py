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


KNOWN_FAULTS: dict[Place, Fault] = {}
