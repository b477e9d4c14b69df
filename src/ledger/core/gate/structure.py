"""The structure of a sentence, and which slices of it stand by themselves.

A slice stands when it is whole clauses, a value that an affirming verb of the speaker governs, or a fragment that answers; and when
what belongs to it is in it: nothing of its own phrase follows, nothing stands in front of its subject. What no list knows does not
stand: the verbs that affirm are listed, not those that deny.

Source: DESIGN section 6, rule 3; Huddleston and Pullum 2002, chapters 4 (complements) and 8 (adjuncts).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable

from ledger.core.gate.before import Before
from ledger.core.gate.behind import Behind
from ledger.core.gate.parts import Parts
from ledger.core.gate.sentences import Sentence, Sentences
from ledger.core.gate.service import Service
from ledger.core.language import Lexicon


class Structure:
    """The structure of one sentence in one language. Facts only; each is worked out when asked for."""

    def __init__(self, message: str, sentence: Sentence, lexicon: Lexicon, end: int) -> None:
        parts = Parts(message, sentence, lexicon, end)
        service = Service(parts)
        self.parts = parts
        self._behind, self._before = Behind(parts, service), Before(parts, service)

    def cut_behind(self, first: int, stop: int, start: int, end: int) -> str | None:
        """What the slice [start, end) of the tokens [first, stop) leaves behind on its right: part of its `value`, `phrase`, a `label`; None: nothing."""
        return self._behind.cut(first, stop, start, end)

    def cut_before(self, first: int, stop: int) -> str | None:
        """What a slice of the tokens [first, stop) leaves behind on its left: its `frame`, its `front`, a `label`, a part of its `value`."""
        return self._before.cut(first, stop)

    @property
    def retracts(self) -> bool:
        """Whether the sentence opens by taking back the one before it."""
        starts = self.parts.sentence.starts
        at = starts[0] if starts else 0
        return bool(starts) and (self.parts.message[at - 1 : at] == "*" or self.parts.retracts(0))


def fault_of(sentences: Sentences, structure: Callable[[int], Structure], start: int, end: int) -> str | None:
    """What the structure of its sentences has against a slice: `value`, `phrase`, `label`, `frame` or `front`; None: it stands."""
    touched = sentences.touched(start, end)
    if not touched:
        return None
    opening, closing = sentences[touched.start], sentences[touched.stop - 1]
    if bisect_left(opening.starts, start) >= len(opening):
        return None
    begins, ends = opening.within(start, end), closing.within(start, end)
    stop = bisect_right(closing.ends, end)
    while stop > ends.start and not closing.is_word(stop - 1):
        stop -= 1
    whole = stop > (closing.plain[-1] if closing.plain else 0)
    if whole and touched.stop < len(sentences) and structure(touched.stop).retracts:
        return "phrase"
    fault = structure(touched.stop - 1).cut_behind(ends.start, stop, start, end) if stop else None
    if fault == "value":
        return fault
    return structure(touched.start).cut_before(begins.start, max(begins.stop, begins.start)) or fault
