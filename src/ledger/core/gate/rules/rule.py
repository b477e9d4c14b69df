"""What a rule is, and what it may ask of a place in a message.

Source: DESIGN section 6.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

from ledger.core.gate.names import Names
from ledger.core.gate.scope import Turn
from ledger.core.model import Reason


class Facts(Protocol):
    """What is known of a message that was read; each fact is computed once. Offsets are code points."""

    @property
    def message(self) -> str: ...

    def is_in_block(self, start: int, end: int) -> bool: ...

    def is_in_quotation(self, start: int, end: int) -> bool: ...

    def asks(self, start: int, end: int) -> bool: ...

    def covers_unknown(self, start: int, end: int) -> bool: ...

    def first_cut(self, start: int, end: int, *, speech: bool = False) -> Turn | None: ...

    def structural_fault(self, start: int, end: int) -> str | None: ...

    def leans(self, start: int, end: int) -> bool: ...

    def is_bare_unasked(self, answer: str, question: str | None) -> bool: ...

    def cuts_bare(self, start: int, end: int) -> bool: ...

    def meets_secret(self, start: int, end: int) -> bool: ...


@dataclass(frozen=True)
class Spot:
    """A slice [start, end) of a message that starts and ends at edges of words, with what it is offered for."""

    reading: Facts
    start: int
    end: int
    question: str | None
    avoid: Names

    @property
    def answer(self) -> str:
        return self.reading.message[self.start : self.end]

    @cached_property
    def cut(self) -> Turn | None:
        """The first cue that turns the slice and that it leaves behind."""
        return self.reading.first_cut(self.start, self.end)

    @cached_property
    def fault(self) -> str | None:
        """What the structure of its sentence has against the slice."""
        return self.reading.structural_fault(self.start, self.end)

    def cut_by(self, rule: str) -> Turn | None:
        return self.cut if self.cut is not None and self.cut.rule == rule else None


Check = Callable[[Spot], Turn | bool | None]


class Rule(NamedTuple):
    """A rule: its check refuses a spot with the reason, by what is true of it or by the cue that it leaves behind.

    `purpose` says what it refuses and names its source. `refused` and `kept` are messages with the span in [brackets], refused by this
    very rule or let through by it. `of_words`: it looks at the words of the slice alone, wherever they stand. `of_structure`: it looks at the
    structure of the sentence, which is told once for all the languages that it may be in.
    """

    name: str
    purpose: str
    reason: Reason
    check: Check
    refused: tuple[str, ...]
    kept: tuple[str, ...]
    of_words: bool = False
    of_structure: bool = False
