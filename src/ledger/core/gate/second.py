"""A second opinion: a parser or a model of the host's that may refuse what the rules let through.

    def parsed(message: str, start: int, end: int) -> str | None:
        return "a modifier is left behind" if cuts_a_modifier(message, start, end) else None

    gate = Gate(languages, second=parsed)

None is plugged in by default, and the ledger brings none.

Source: DESIGN section 6, "a second opinion"; decision 0015.
"""

from __future__ import annotations

from typing import Protocol


class SecondOpinion(Protocol):
    """Says of the slice [start, end) of a message, in code points, why it must not be quoted; None where it may.

    The reason is for whoever plugs it in: the gate says that a second opinion refused, and repeats nothing. It has to be as
    deterministic as the verdicts are to be, and fast: it is asked about each wider slice too that might be suggested.
    """

    def __call__(self, message: str, start: int, end: int) -> str | None: ...
