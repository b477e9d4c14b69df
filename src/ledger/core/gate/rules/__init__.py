"""The rules that a span has to pass where it stands, in the order in which they are applied; the first that refuses gives its name.

Each is a value in a file of its own: a small pure function of a place in a message, with its purpose, its source and its own examples. What
the rules look at are facts of the message, which a Reading computes once.

Source: DESIGN section 6, rules 2 to 6.
"""

from __future__ import annotations

from ledger.core.gate.rules import (
    bare,
    block,
    condition,
    context,
    correction,
    exception,
    frame,
    front,
    hedge,
    hidden,
    irony,
    label,
    length,
    names,
    negation,
    opinion,
    past,
    phrase,
    question,
    quotation,
    secret,
    sentence,
    speech,
    subject,
    value,
    wish,
)
from ledger.core.gate.rules.rule import Rule, Spot

__all__ = ["NAMES", "RULES", "Rule", "Spot"]

RULES: list[Rule] = [
    module.RULE
    for module in (
        length,
        block,
        hidden,
        quotation,
        question,
        sentence,
        speech,
        negation,
        condition,
        exception,
        hedge,
        opinion,
        wish,
        past,
        subject,
        correction,
        irony,
        context,
        bare,
        secret,
        names,
        value,
        label,
        phrase,
        front,
        frame,
    )
]
NAMES = frozenset(rule.name for rule in RULES)
