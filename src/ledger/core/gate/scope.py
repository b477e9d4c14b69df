"""Rule 3: nothing that turns the meaning is left behind in the same sentence.

A cue ("don't", "unless", "I wish", "my sister") turns the words it reaches. A span that a cue reaches and that does not hold the whole
cue says something else than the sentence did. How far each cue reaches is worked out for all of them in one pass; the reach is on the
wide side, since a span refused too often costs a wider quote, and one accepted wrongly is a lie.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from typing import NamedTuple

from ledger.core.gate.sentences import Tokens
from ledger.core.language import Cue, Lexicon, Reach

_SHORT = 6  # words of a sentence that only adds to the one before ("But only after 35.")
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_BREAKING_MARKS = frozenset(";")
_MARKS_BEFORE_CLAUSE = frozenset((",", "—", "-", ":", "\n", ".", "…", "...", ".."))


class Turn(NamedTuple):
    """A cue and what it turns; offsets are code points of the message."""

    rule: str
    cue_start: int
    cue_end: int
    start: int
    end: int

    def cuts(self, start: int, end: int) -> bool:
        """Whether the span [start, end) is turned by the cue and leaves some of it behind."""
        return self.start < end and self.end > start and not (start <= self.cue_start and self.cue_end <= end)


def turns(tokens: Tokens, lexicon: Lexicon) -> list[Turn]:
    """Every cue of a message with its reach, in order. Linear in the length of the message."""
    found: list[Turn] = []
    for sentence in range(tokens.sentences):
        _Sentence(tokens, lexicon, sentence).collect(found)
    return found


def cut_by(found: list[Turn], start: int, end: int) -> list[Turn]:
    """The cues that a span is turned by and leaves behind."""
    return [turn for turn in found if turn.start < end and turn.end > start and turn.cuts(start, end)]


class _Sentence:
    """The clauses of one sentence, and its cues."""

    def __init__(self, tokens: Tokens, lexicon: Lexicon, sentence: int) -> None:
        self.tokens = tokens
        self.lexicon = lexicon
        self.sentence = sentence
        self.range = tokens.tokens_of(sentence)

    def collect(self, found: list[Turn]) -> None:
        tokens, shapes = self.tokens, self.tokens.shapes
        cues: list[tuple[int, int, Cue]] = []
        at = self.range.start
        while at < self.range.stop:
            length, here = self.lexicon.cues_at(shapes, at)
            if length:
                cues += [(at, at + length, cue) for cue in here]
            elif tokens.words[at].endswith(self.lexicon.suffixes) and self.lexicon.suffixes:
                cues.append((at, at + 1, _SUFFIXED))
            at += length or 1
        if not cues:
            return
        self._find_clauses()
        for first, last, cue in cues:
            self._add(found, first, last, cue)

    def _find_clauses(self) -> None:
        """For each token: where its clause starts and ends, by weak breaks and by strong ones, and its brackets."""
        words, size = self.tokens.words, len(self.range)
        base = self.range.start
        parts, joins = self.lexicon.table("clause", "parts"), self.lexicon.table("clause", "joins")
        subjects, openers = self.lexicon.table("clause", "subjects"), self.lexicon.table("clause", "openers")
        weak, strong = [False] * (size + 1), [False] * (size + 1)  # a break before this token
        opened: list[int] = []
        bracket, closes = [-1] * size, dict[int, int]()
        for index in range(size):
            at = base + index
            word = words[at]
            if word in _BREAKING_MARKS:
                strong[index] = weak[index] = True
            if word in _CLOSING and opened:
                closes[opened.pop()] = index
            bracket[index] = opened[-1] if opened else -1
            if word in _OPENING:
                opened.append(index)
            if word in parts and parts.match(words, at):
                strong[index] = weak[index] = True
            after_mark = index > 0 and words[at - 1] in _MARKS_BEFORE_CLAUSE
            joined = joins.match(words, at) if word in joins else 0
            begins = at + joined
            if (after_mark or joined) and begins < self.range.stop:
                starts_clause = words[begins] in subjects and subjects.match(words, begins)
                opens = after_mark and words[at] in openers and openers.match(words, at)
                if starts_clause or opens:
                    weak[index] = True
        self.closing = [closes.get(start, size) for start in bracket]
        self.opening = [start + 1 if start in closes else 0 for start in bracket]
        self.weak_end, self.strong_end = _ends(weak, size), _ends(strong, size)
        self.weak_start, self.strong_start = _starts(weak, size), _starts(strong, size)

    def _add(self, found: list[Turn], first: int, last: int, cue: Cue) -> None:
        tokens, base = self.tokens, self.range.start
        here, behind = first - base, last - base
        if cue.reach is Reach.AHEAD and self._is_particle(first, last):
            return
        cue_start, cue_end = tokens.starts[first], tokens.ends[last - 1]
        reach = cue.reach
        if reach is Reach.TAIL:
            if behind < len(self.range) and self.weak_end[here] > behind and tokens.is_word(last):
                return
            reach = Reach.BACK
        if reach in (Reach.AHEAD, Reach.ON, Reach.AROUND, Reach.NEXT):
            if reach is Reach.NEXT:
                stop = min(behind + 1, len(self.range))
            else:
                stop = (self.weak_end if reach is Reach.AHEAD else self.strong_end)[max(behind - 1, here)]
                stop = min(stop, self.closing[here])
            if stop > behind:
                found.append(Turn(cue.rule, cue_start, cue_end, cue_end, tokens.ends[base + stop - 1]))
        if reach in (Reach.BACK, Reach.AROUND):
            start = tokens.starts[base + max(self.strong_start[max(here - 1, 0)], self.opening[here])]
            if here == 0 and self.sentence > 0 and len(tokens.words_of(self.sentence)) <= _SHORT:
                start = tokens.bounds(self.sentence - 1)[0]
            if start < cue_start:
                found.append(Turn(cue.rule, cue_start, cue_end, start, cue_start))

    def _is_particle(self, first: int, last: int) -> bool:
        """Whether a word such as "no" only answers, and negates nothing after it: "No, I live in Maryland"."""
        if not self.lexicon.table("particle", "words").match(self.tokens.words, first):
            return False
        if last >= self.range.stop:
            return True
        subjects = self.lexicon.table("clause", "subjects")
        return not self.tokens.is_word(last) or bool(subjects.match(self.tokens.words, last))


_SUFFIXED = Cue((), "negation", Reach.AHEAD)


def _ends(breaks: list[bool], size: int) -> list[int]:
    """For each token the next break behind it."""
    ends, end = [size] * size, size
    for index in range(size - 1, -1, -1):
        ends[index] = end
        if breaks[index]:
            end = index
    return ends


def _starts(breaks: list[bool], size: int) -> list[int]:
    """For each token the last break at or before it."""
    starts, start = [0] * size, 0
    for index in range(size):
        if breaks[index]:
            start = index
        starts[index] = start
    return starts
