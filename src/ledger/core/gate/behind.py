"""What a slice leaves behind on its right: the rest of its number, of its phrase, what is said of it.

Source: DESIGN section 6, rule 3; Huddleston and Pullum 2002, chapter 4 (complements).
"""

from __future__ import annotations

from ledger.core.gate.parts import CLOSING, MOST, OPENING, PARTING, Parts
from ledger.core.gate.service import Service

_DENYING_MARKS = frozenset("=✗✘❌☒🚫⛔≠")
_UNITS = frozenset("%‰°€$£¥₹")
_CROSSED = "~~"
_LONGEST_NEGATOR = 3  # words


class Behind:
    """The right edges of slices of one sentence."""

    def __init__(self, parts: Parts, service: Service) -> None:
        self._parts, self._service = parts, service

    def cut(self, first: int, stop: int, start: int, end: int) -> str | None:
        """What the slice [start, end) of the tokens [first, stop) leaves behind on its right: part of its `value`, `phrase`, a `label`; None: nothing."""
        sentence, words = self._parts.sentence, self._parts.words
        size, at = len(words), stop
        fault = self._by_mark(first, stop, start, end)
        if fault is not None or not sentence.plain or at > sentence.plain[-1]:
            return fault
        if self._parts.is_number(stop - 1) and self._goes_on_as_number(at):
            return "value"
        if self._parts.table("spans").match(words, first) and words[at] in self._parts.table("soft").firsts:
            return "value"
        if sentence.is_word(at) and self._ends_in_negator(first, stop) and not self._parts.joins_at(at):
            return "phrase"
        closers = self._parts.lexicon.table("question", "closers")
        closing = closers.match(self._parts.shapes, at) if closers.firsts else 0
        if closing and at + closing > sentence.plain[-1]:
            return "phrase"  # a particle that makes a question of it: "yer var | mı"
        tails, adjoins = (
            self._parts.table("tails"),
            self._parts.table("adjoins"),
        )
        opened = 0
        while at < size:
            word = words[at]
            if word == '"':
                at += 1
                continue
            length = tails.match(words, at)
            if length:
                at += length
                continue
            if word in CLOSING:
                if not opened and not self._opens_inside(first, at):
                    return None
                at += 1
                continue
            if word in OPENING:
                return "phrase"
            if word == ":":
                return (
                    None
                    if self._parts.has_verb(first, stop) or self._parts.opens_with_cue(first)
                    else "label"
                )
            if not sentence.is_word(at):
                behind = at + 1
                if behind < size and word[0] in ",—-.…":
                    if self._denies(behind) and not self._parts.has_verb(first, stop):
                        return "label"
                    if self._parts.retracts(behind):
                        return "phrase"
                    if adjoins.match(words, behind) and not tails.match(words, behind):
                        goes_on = (
                            self._service.asked and words[behind] in self._parts.table("prepositions").firsts
                        )
                        return None if goes_on and not self._parts.has_clause(first, stop) else "phrase"
                return None
            if self._parts.table("runs_on").match(words, at):
                return None
            length = self._parts.joins_at(at)
            if length:
                return "phrase" if adjoins.match(words, at + length) else None
            if self._service.command < first and not self._service.is_half_name(stop):
                return None
            if (
                self._service.asked
                and not self._parts.has_clause(first, stop)
                and self._service.may_end(first, stop, at)
            ):
                return None
            return "phrase" if self._parts.known or self._denies_onward(first, stop) else None
        return None

    def _denies_onward(self, first: int, stop: int) -> bool:
        """Whether a negation stands in the last part of a slice, so that it may reach what follows: "børn, ikke lige | nu"."""
        found = False
        for at in range(first, stop):
            if not self._parts.sentence.is_word(at):
                found = False
            elif not found:
                found = any(
                    cue is not None and cue.rule == "negation"
                    for _, cue in self._parts.lexicon.cues_at(self._parts.shapes, at)
                )
        return found

    def _ends_in_negator(self, first: int, stop: int) -> bool:
        """Whether a slice ends with a negation that reaches what follows: "des enfants, pas | tout de suite"."""
        return any(
            cue is not None and cue.rule == "negation" and at + length == stop
            for at in range(max(stop - _LONGEST_NEGATOR, first), stop)
            for length, cue in self._parts.lexicon.cues_at(self._parts.shapes, at)
        )

    def _by_mark(self, first: int, stop: int, start: int, end: int) -> str | None:
        """Marks that no token holds: a sign behind a number, an answer in one sign, a box in front that is not ticked."""
        starts, ends = self._parts.sentence.starts, self._parts.sentence.ends
        size = len(starts)
        gap = self._parts.message[end : starts[stop] if stop < size else self._parts.end]
        front = self._parts.message[ends[first - 1] if first else 0 : start]
        if gap and not gap.isspace():
            if not _UNITS.isdisjoint(gap[:2]) and self._parts.is_number(stop - 1):
                return "value"
            if not _DENYING_MARKS.isdisjoint(gap) or _CROSSED in gap:
                return "label"
        if "☐" in front or "☒" in front:
            return "label"
        if first > 1 and self._parts.words[first - 1] == "]" and self._parts.words[first - 2] in ("[", "x"):
            return "label"
        return None

    def _goes_on_as_number(self, at: int) -> bool:
        """Whether a number goes on there: "twenty | five", "2 | million", "20 | or 30"."""
        parts = self._parts
        if parts.is_number(at) and parts.words[at - 1] not in PARTING:
            return True
        joined = at + 1 < len(parts.words) and parts.words[at] in parts.table("soft").firsts
        return bool(parts.table("scales").match(parts.shapes, at)) or (joined and parts.is_number(at + 1))

    def _opens_inside(self, first: int, closing: int) -> bool:
        """Whether the bracket that closes there was opened in the slice."""
        depth = 0
        for at in range(closing - 1, max(first - 1, closing - MOST), -1):
            if self._parts.words[at] in CLOSING:
                depth += 1
            elif self._parts.words[at] in OPENING:
                if not depth:
                    return True
                depth -= 1
        return False

    def _denies(self, at: int) -> bool:
        """Whether a short answer stands there, as the whole of its part: "pets - no, kids - yes"."""
        length = self._parts.table("answers").match(self._parts.words, at)
        behind = at + length
        return bool(length) and (behind >= len(self._parts.words) or not self._parts.sentence.is_word(behind))
