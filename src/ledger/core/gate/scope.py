"""Rule 3: nothing that turns the meaning is left behind in the same sentence.

A cue ("don't", "unless", "I wish", "my sister") turns the words it reaches. A span that a cue reaches and that does not hold the whole
cue says something else than the sentence did. How far each cue reaches is worked out for all of them in one pass; the reach is on the
wide side, since a span refused too often costs a wider quote, and one accepted wrongly is a lie.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

from ledger.core.gate.sentences import Sentence
from ledger.core.language import CLOSED, Cue, Lexicon, Reach

_SHORT = 6  # words of a sentence that only adds to the one before ("But only after 35.")
_SHORT_SPACELESS = 16  # the same in characters, where each is a word
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_BEFORE_CLAUSE = frozenset((",", "—", "-", ":", ".", "…", "...", ".."))


class Turn(NamedTuple):
    """A cue and what it turns; offsets are code points of the message.

    A span that meets [start, end) has to hold all of [cue_start, cue_end): the cue, and where it adds to what stands before it ("if ...") what
    follows it too.
    """

    rule: str
    cue_start: int
    cue_end: int
    start: int
    end: int

    def cuts(self, start: int, end: int) -> bool:
        """Whether the span [start, end) is turned by the cue and leaves some of it behind."""
        return self.start < end and self.end > start and not (start <= self.cue_start and self.cue_end <= end)


class Turns:
    """Turns in order, searched without a look at those that end before a span or start behind it, however many there are."""

    def __init__(self, all_: list[Turn]) -> None:
        self._all = all_
        self._ends = list(accumulate((turn.end for turn in all_), max))
        self._starts = list(accumulate((turn.start for turn in reversed(all_)), min))[::-1]

    def __len__(self) -> int:
        return len(self._all)

    def cutting(self, start: int, end: int) -> Iterator[Turn]:
        """Those that cut a span, in order."""
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        return (self._all[at] for at in range(first, last) if self._all[at].cuts(start, end))


NO_TURNS = Turns([])


def turns(sentence: Sentence, lexicon: Lexicon, before: int | None) -> list[Turn]:
    """Every cue of a sentence with its reach, in order. Linear in its length.

    `before` is where the sentence before it starts, for a short sentence that only adds to that one.
    """
    at_most = lexicon.may_be_cues(sentence.shapes)
    cues = _find(sentence, lexicon, at_most) if at_most else []
    if not cues:
        return []
    clauses = _Clauses(sentence, lexicon, cues)
    return [turn for first, last, cue in cues for turn in clauses.turns(first, last, cue, before)]


def _find(sentence: Sentence, lexicon: Lexicon, at_most: list[int]) -> list[tuple[int, int, Cue]]:
    """The cues of a sentence as tokens [first, last). A harmless phrase and one that stands for itself hide what they hold."""
    shapes = sentence.shapes
    found: list[tuple[int, int, Cue]] = []
    free = 0  # the first token that nothing hides
    for at in at_most:
        if at < free:
            continue
        for length, cue in lexicon.cues_at(shapes, at):
            if at + length < free:
                break
            if cue is None:
                free = at + length
                break
            found.append((at, at + length, cue))
            closed = cue.rule in CLOSED and cue.reach is not Reach.TAIL
            if closed or cue.reach in (Reach.WITHIN, Reach.UNDER):
                free = at + length
    return found


class _Clauses:
    """Where the parts of a sentence start and end that cues reach.

    Strong breaks part thoughts (";", "but"). Clauses start there too, and with a subject behind a comma or a conjunction; predicates
    start there too, and with a second verb behind a conjunction.
    """

    def __init__(self, sentence: Sentence, lexicon: Lexicon, cues: list[tuple[int, int, Cue]]) -> None:
        self._sentence, self._lexicon = sentence, lexicon
        words, size = sentence.words, len(sentence)
        parts, joins = lexicon.table("clause", "parts"), lexicon.table("clause", "joins")
        subjects, openers = lexicon.table("clause", "subjects"), lexicon.table("clause", "openers")
        verbs, ends = lexicon.table("clause", "verbs"), lexicon.table("clause", "ends")
        strong, clause, predicate = [False] * size, [False] * size, [False] * size
        for at, word in enumerate(words):
            if word in ends.firsts:  # "..., but" as its own language has it: at the end of the clause
                begins = at + ends.match(words, at)
                while begins < size and words[begins] in _BEFORE_CLAUSE:
                    begins += 1
                if at < begins < size:
                    strong[begins] = clause[begins] = predicate[begins] = True
            if word == ";" or (word in parts.firsts and parts.match(words, at)):
                strong[at] = clause[at] = predicate[at] = True
                continue
            marked = at > 0 and words[at - 1] in _BEFORE_CLAUSE
            joined = joins.match(words, at) if word in joins.firsts else 0
            begins = at + joined
            if (marked or joined) and begins < size:
                if (words[begins] in subjects.firsts and subjects.match(words, begins)) or (
                    marked and word in openers.firsts and openers.match(words, at)
                ):
                    clause[at] = predicate[at] = True
                elif words[begins] in verbs.firsts and verbs.match(words, begins):
                    predicate[at] = True
        for first, _, cue in cues:
            if cue.reach in (Reach.UNDER, Reach.AROUND):
                predicate[first] = True  # "I don't drink if I drive" negates no driving
        pairs = _pairs(words)
        self._strong_start, self._clause_start = _starts(strong, pairs), _starts(clause, pairs)
        self._predicate_end, self._clause_end, self._strong_end = (
            _ends(breaks, pairs) for breaks in (predicate, clause, strong)
        )

    def turns(self, first: int, last: int, cue: Cue, before: int | None) -> list[Turn]:
        """What a cue at the tokens [first, last) turns; nothing where it only looks like one."""
        sentence, reach = self._sentence, cue.reach
        start, end = sentence.starts[first], sentence.ends[last - 1]
        found: list[Turn] = []
        if reach is Reach.TAIL:
            if last < len(sentence) and sentence.is_word(last) and self._clause_start[last] != last:
                return found
            found.append(Turn(cue.rule, start, end, self._back(self._clause_start, first, before), start))
        if reach in (Reach.BACK, Reach.AROUND):
            added = self._ahead(Reach.OVER, last)
            found.append(Turn(cue.rule, start, added, self._back(self._clause_start, first, before), start))
        if reach in (Reach.UNDER, Reach.AROUND):
            found.append(Turn(cue.rule, start, end, start, self._under(reach, first, last)))
        if reach is Reach.CLOSES:
            found.append(Turn(cue.rule, start, end, self._back(self._clause_start, first, None), start))
        if reach is Reach.CLAUSE:
            found.append(Turn(cue.rule, start, end, self._back(self._clause_start, first, None), start))
            reach = Reach.AHEAD
        if reach in (Reach.OVER, Reach.ON) or (reach is Reach.AHEAD and not self._only_answers(first, last)):
            found.append(Turn(cue.rule, start, end, start, self._ahead(reach, last)))
        if reach is Reach.NEXT:
            found.append(Turn(cue.rule, start, end, start, sentence.ends[min(last, len(sentence) - 1)]))
        if reach is Reach.WITHIN:
            found.append(Turn(cue.rule, start, end, start, end))
        return [turn for turn in found if turn.start < turn.end]

    def _ahead(self, reach: Reach, last: int) -> int:
        """Where the reach of a cue that ends before the token `last` ends."""
        ends = (
            self._predicate_end
            if reach is Reach.AHEAD
            else self._clause_end
            if reach is Reach.OVER
            else self._strong_end
        )
        stop = ends[last - 1]
        if stop == last < len(ends):  # "not because I": the clause behind the cue is what it turns
            stop = ends[last]
        while stop > last and not self._sentence.is_word(stop - 1):
            stop -= 1
        return self._sentence.ends[stop - 1]

    def _under(self, reach: Reach, first: int, last: int) -> int:
        """Where what stands under a condition ends.

        One behind its statement ends with the sentence. One in front ends with its own clause; and with the next, where that is the
        person's own ("If I marry, I want kids"): he said it of himself only under the condition.
        """
        words, size = self._sentence.words, len(self._sentence)
        if (
            reach is Reach.AROUND
            and first
            and self._clause_start[first] < first
            and words[first - 1] not in _BEFORE_CLAUSE
        ):
            return self._ahead(Reach.ON, last)
        ends = self._clause_end
        stop = ends[last - 1] if ends[last - 1] > last or last == size else ends[last]
        if stop == size:
            stop = next((at for at in range(last, size) if words[at] == ","), size)
        elif self._lexicon.table("clause", "own").match(words, stop):
            stop = ends[stop]
        return self._sentence.ends[stop - 1]

    def _back(self, starts: list[int], first: int, before: int | None) -> int:
        if first == 0:
            words = len(self._sentence.plain) if before is not None else 0
            short = _SHORT_SPACELESS if self._lexicon.spaceless else _SHORT
            return before if before is not None and words <= short else self._sentence.starts[0]
        # A cue that opens its clause turns the one before it: "I want two, I think".
        return self._sentence.starts[starts[first] if starts[first] < first else starts[first - 1]]

    def _only_answers(self, first: int, last: int) -> bool:
        """Whether a word such as "no" answers, and negates nothing behind it: "No, I live in Maryland"."""
        sentence = self._sentence
        if not self._lexicon.table("particle", "words").match(sentence.words, first):
            return False
        if first and sentence.is_word(first - 1) and not self._leads_in(first - 1):
            return False  # "there is no 4 star hotel"
        if last >= len(sentence):
            return True
        if not sentence.is_word(last):
            return sentence.words[last] != '"'
        return bool(self._lexicon.table("particle", "before").match(sentence.shapes, last))

    def _leads_in(self, at: int) -> bool:
        """Whether a word only leads in to what follows: "oh", "and", "but", another "no"."""
        words = self._sentence.words
        return any(
            self._lexicon.table(table, name).match(words, at)
            for table, name in (
                ("sentence", "fillers"),
                ("clause", "joins"),
                ("clause", "parts"),
                ("particle", "words"),
            )
        )


def _pairs(words: list[str]) -> dict[int, int]:
    """Brackets that belong together, each to the other."""
    opened: list[int] = []
    pairs: dict[int, int] = {}
    for at, word in enumerate(words):
        if word in _OPENING:
            opened.append(at)
        elif word in _CLOSING and opened:
            start = opened.pop()
            pairs[start], pairs[at] = at, start
    return pairs


def _ends(breaks: list[bool], pairs: dict[int, int]) -> list[int]:
    """For each token the next break behind it. What is in brackets ends with them, and breaks nothing around them."""
    end = len(breaks)
    ends = [end] * end
    if not pairs and True not in breaks:
        return ends
    outer: list[int] = []
    for at in range(len(breaks) - 1, -1, -1):
        pair = pairs.get(at)
        if pair is not None and pair > at:
            end = outer.pop()
        ends[at] = end
        if pair is not None and pair < at:
            outer.append(end)
            end = at
        elif breaks[at]:
            end = at
    return ends


def _starts(breaks: list[bool], pairs: dict[int, int]) -> list[int]:
    """For each token the last break at or before it, brackets as in `_ends`."""
    starts, start = [0] * len(breaks), 0
    if not pairs and True not in breaks:
        return starts
    outer: list[int] = []
    for at, breaking in enumerate(breaks):
        pair = pairs.get(at)
        if pair is not None and pair < at:
            start = outer.pop()
        elif breaking:
            start = at
        starts[at] = start
        if pair is not None and pair > at:
            outer.append(start)
            start = at + 1
    return starts
