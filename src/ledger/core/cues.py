"""Cues: words that turn the meaning of others, and how far each reaches.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from ledger.core.phrases import Phrase


class Reach(StrEnum):
    """Which part of a message a cue turns."""

    AHEAD = "ahead"  # what follows with the same verb
    OVER = "over"  # what follows in its clause, second verbs too
    ON = "on"  # what follows in its sentence, over clauses that a comma parts
    NEXT = "next"  # the next word alone
    BACK = "back"  # what stands before it in its clause, or in the sentence before when it opens a short one
    UNDER = "under"  # what stands under a condition in front of it
    AROUND = "around"  # back and under
    TAIL = "tail"  # what stands before it in its clause, or in the one before when it is one itself; where nothing follows it
    CLAUSE = "clause"  # its clause
    CLOSES = (
        "closes"  # what stands before it in its clause, which it closes: a verb at the end, with its endings
    )
    NAMED = "named"  # itself and what follows in its clause, where a name that opens the clause stands right before it
    WITHIN = "within"  # nothing but itself: an idiom that must not be cut


REACHES = frozenset(reach.value for reach in Reach)


@dataclass(frozen=True, slots=True)
class Cue:
    """Words that turn the meaning of others. `rule` names why: negation, hedge, condition, ..."""

    phrase: Phrase
    rule: str
    reach: Reach


# The tables of a data file that hold cues, each by reach.
CUE_TABLES = (
    "negation", "condition", "exception", "hedge", "opinion", "wish", "past", "subject", "correction", "irony", "speech",
)  # fmt: skip
# Of these a phrase hides the shorter ones in it: "no wait" negates nothing.
CLOSED = frozenset({"correction", "irony", "opinion", "speech"})
