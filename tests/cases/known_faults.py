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


_RELATIVE = 'a clause of somebody else ("who ...", "qui ...") is taken for one of the speaker'
_PREDICATE = "the subject or the fronted object of a predicate is kept without the predicate that denies it"
_FIELD = "the name of a field is kept without the value behind its colon"
_DENYING = "a verb or an adjective that denies and is on no list turns nothing"
_NUMBER = "a number is cut from its unit, its scale or its other half"
_FRAME = "a frame in front that supposes and is on no list turns nothing"
_LEFT = "the old state of a change, what a correction took back, or the lesser of two is kept"
_EXCEPTION = "a denial is kept without the exception that belongs to it"

KNOWN_FAULTS: dict[Place, Fault] = {
    **kept(
        "GATE-16",
        _RELATIVE,
        {0: "has two kids", 1: "lives in Ghent", 2: "smokes two packs a day", 4: "a deux enfants"},
    ),
    **kept("GATE-18", _PREDICATE, {0: "Ghent", 1: "night shifts", 2: "kids", 3: "los hijos"}),
    **kept("GATE-20", _FIELD, {0: "Blood thinners", 1: "Children", 2: "Dependents", 3: "Hijos"}),
    **kept("GATE-22", _DENYING, {0: "Diabetes", 1: "asthma", 2: "a nut allergy"}),
    **kept(
        "GATE-23",
        _NUMBER,
        {0: "I am 34", 1: "my budget is 2", 2: "I'm twenty", 3: "950 a month", 4: "I want 50"},
    ),
    **kept(
        "GATE-25", _FRAME, {0: "I was vegan", 1: "we run Postgres 14 everywhere", 2: "I can start in March"}
    ),
    **kept("GATE-28", _LEFT, {0: "MySQL", 1: "Oracle", 2: "Ghent", 4: "cats"}),
    **kept("GATE-29", _EXCEPTION, {1: "ne fume", 2: "No fumo", 3: "I eat no meat"}),
    ("GATE-29", 0): Fault(_EXCEPTION, {"nearest": "ne fume"}),
    ("GATE-29", 4): Fault(_EXCEPTION, {"nearest": "I don't eat anything but"}),
}
