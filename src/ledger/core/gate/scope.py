"""Rule 3: nothing that turns the meaning is left behind in the same sentence.

A cue ("don't", "unless", "I wish", "my sister") turns the words it reaches. A span that a cue reaches and that does not hold the whole
cue says something else than the sentence did. How far each cue reaches is worked out for all of them in one pass; the reach is on the
wide side, since a span refused too often costs a wider quote, and one accepted wrongly is a lie.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from ledger.core.gate.clauses import BEFORE_CLAUSE, Clauses
from ledger.core.gate.sentences import Sentence
from ledger.core.language import CLOSED, Cue, Lexicon, Reach

_SHORT = 6  # words of a sentence that only adds to the one before ("But only after 35.")
_SHORT_SPACELESS = 16  # the same in characters, where each is a word
_MOST = 64  # cues of a sentence that are looked at; of the longest that people said in 18,000 there were 22
_INTO_ASIDES = frozenset({"correction", "irony"})
_SETS_IN = frozenset((",", "-", "—"))
_LONGEST_NAME = 3  # words
_LONGEST_FRONT = 5  # words of an object in front of its clause
_LONGEST_INSERTION = 8  # words between a cue and what it turns: "I don't, as a rule, smoke"
_OF_CLAUSES = frozenset(
    {"hedge", "opinion"}
)  # rules whose cues turn a whole clause: "I think, frankly, it is"


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

    def __init__(self, all_: list[Turn], asides: list[tuple[int, int]]) -> None:
        self._all = all_
        self._asides = asides
        self._ends = list(accumulate((turn.end for turn in all_), max))
        self._starts = list(accumulate((turn.start for turn in reversed(all_)), min))[::-1]

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[Turn]:
        return iter(self._all)

    def only(self, rule: str) -> Turns:
        """Those of one rule."""
        found = [turn for turn in self._all if turn.rule == rule]
        return Turns(found, self._asides) if found else NO_TURNS

    def cutting(self, start: int, end: int) -> Iterator[Turn]:
        """Those that cut a span, in order. What stands outside an aside does not turn what stands in it."""
        first, last = bisect_right(self._ends, start), bisect_left(self._starts, end)
        found = (self._all[at] for at in range(first, last) if self._all[at].cuts(start, end))
        at = bisect_right(self._asides, start, key=lambda aside: aside[0]) - 1
        if at < 0 or self._asides[at][1] < end:
            return found
        opening, closing = self._asides[at]
        return (turn for turn in found if turn.rule in _INTO_ASIDES or opening <= turn.cue_start < closing)


NO_TURNS = Turns([], [])


def turns(message: str, sentence: Sentence, lexicon: Lexicon, before: int | None) -> Turns:
    """Every cue of a sentence with its reach, in order. Linear in its length.

    `before` is where the sentence before it starts, for a short sentence that only adds to that one.
    """
    at_most = lexicon.may_be_cues(sentence.shapes)
    cues = _find(sentence, lexicon, at_most) if at_most else []
    if not cues:
        return NO_TURNS
    if len(cues) > _MOST:  # built to be slow: only the whole of it passes
        whole = sentence.starts[0], sentence.ends[-1]
        return Turns([Turn(cues[0][2].rule, *whole, *whole)], [])
    scope = _Scope(message, sentence, lexicon, cues, before)
    return Turns([turn for found in cues for turn in scope.turns(*found)], scope.asides)


def _find(sentence: Sentence, lexicon: Lexicon, at_most: list[int]) -> list[tuple[int, int, Cue]]:
    """The cues of a sentence as tokens [first, last). A harmless phrase and one that stands for itself hide what they hold."""
    shapes = sentence.shapes
    found: list[tuple[int, int, Cue]] = []
    free = 0  # the first token that nothing hides
    for at in at_most:
        if at < free:
            continue
        if len(found) > _MOST:
            break
        for length, cue in lexicon.cues_at(shapes, at):
            if at + length < free:
                break
            if cue is None:
                free = at + length
                break
            found.append((at + cue.phrase.skip, at + length, cue))
            closed = cue.rule in CLOSED and cue.reach is not Reach.TAIL
            even = cue.rule == "condition" and cue.reach is Reach.OVER  # "even if" is no "if"
            if closed or even or cue.reach in (Reach.WITHIN, Reach.UNDER):
                free = at + length
    return found


class _Scope:
    """How far the cues of one sentence reach."""

    def __init__(
        self,
        message: str,
        sentence: Sentence,
        lexicon: Lexicon,
        cues: Iterable[tuple[int, int, Cue]],
        before: int | None,
    ) -> None:
        # "I don't drink if I drive" negates no driving.
        conditions = (first for first, _, cue in cues if cue.rule == "condition" or cue.reach is Reach.AROUND)
        self._clauses = Clauses(message, sentence, lexicon, conditions)
        self._message, self._sentence, self._lexicon = message, sentence, lexicon
        short = _SHORT_SPACELESS if lexicon.spaceless else _SHORT
        self._before = before if before is not None and len(sentence.plain) <= short else sentence.starts[0]
        self._own = lexicon.table("clause", "own")
        self._answers = lexicon.table("particle", "words")
        self.asides = self._clauses.asides()

    def turns(self, first: int, last: int, cue: Cue) -> Iterator[Turn]:
        """What a cue at the tokens [first, last) turns; nothing where it only looks like one."""
        rule, reach, sentence = cue.rule, cue.reach, self._sentence
        start, end = sentence.starts[first], sentence.ends[last - 1]
        if reach in (Reach.BACK, Reach.AROUND):
            back, added = self._back(first), self._ahead(rule, Reach.OVER, first, last)
            if back < start:
                yield Turn(rule, start, added, back, start)
        if reach in (Reach.UNDER, Reach.AROUND):
            yield Turn(rule, start, end, start, self._under(reach, first, last))
        elif reach in (Reach.CLAUSE, Reach.CLOSES) or (reach is Reach.TAIL and self._ends_clause(last)):
            back = self._back(first) if first or reach is Reach.TAIL else start
            if back < start:
                yield Turn(rule, start, end, back, start)
        if rule == "negation" and reach is Reach.AHEAD:
            front = self._front(first, last)
            if front:
                yield Turn(rule, start, end, *front)
        if reach in (Reach.OVER, Reach.ON, Reach.AHEAD, Reach.CLAUSE):
            ahead = Reach.AHEAD if reach is Reach.CLAUSE else reach
            if ahead is not Reach.AHEAD or not self._only_answers(first, last):
                yield Turn(rule, start, end, start, self._ahead(rule, ahead, first, last))
        elif reach is Reach.NEXT:
            yield Turn(rule, start, end, start, sentence.ends[min(last, len(sentence) - 1)])
        elif reach is Reach.NAMED:
            name = self._name_before(first)
            if name < first:
                begins = sentence.starts[name]
                yield Turn(
                    rule, begins, sentence.ends[first - 1], start, self._ahead(rule, Reach.OVER, first, last)
                )
        elif reach is Reach.WITHIN:
            yield Turn(rule, start, end, start, end)

    def _front(self, first: int, last: int) -> tuple[int, int] | None:
        """The object that stands in front of the clause in which a negation at [first, last) turns it: "les chats, je ne les aime pas".

        It has an article, and either something stands between it and the negation or a pronoun behind that takes it up: "los gatos no
        los aguanto". "Black coffee, not white" has neither.
        """
        words, table = self._sentence.words, self._lexicon.table
        opening, resumed = self._sentence.plain[0], table("clause", "resumed").firsts
        head = words[opening]
        if (head[:2] if head[1:2] == "'" else head) not in table("clause", "fronted").firsts:
            return None
        stop = min(self._next_comma[opening], first)
        direct = first - stop <= 1
        starts, thoughts = self._clauses.clause_start, self._clauses.strong_start
        if not opening < stop <= opening + _LONGEST_FRONT or thoughts[first] > opening:
            return None
        if starts[first] > stop + _LONGEST_NAME:
            return None
        if direct and not (last < len(words) and words[last] in resumed):
            return None
        return self._sentence.starts[opening], self._sentence.ends[stop - 1]

    def _name_before(self, at: int) -> int:
        """Where a name starts that ends before the token `at` and opens its clause; `at` where none does.

        A capital in front of a word that no list has; not that alone where every word has one.
        """
        words, starts, message = self._sentence.words, self._sentence.starts, self._message
        first, known = at, self._lexicon.words
        while (
            first
            and at - first < _LONGEST_NAME
            and message[starts[first - 1]].isupper()
            and len(words[first - 1]) > 1
            and words[first - 1] not in known
        ):
            first -= 1
        if first == at or message[starts[at]].isupper():
            return at
        opens = not first or not self._sentence.is_word(first - 1) or self._leads_in(first - 1)
        return first if opens else at

    def _ends_clause(self, last: int) -> bool:
        """Whether a cue that ends before the token `last` ends its clause."""
        sentence = self._sentence
        return last >= len(sentence) or not sentence.is_word(last) or self._clauses.clause_start[last] == last

    def _ahead(self, rule: str, reach: Reach, first: int, last: int) -> int:
        """Where the reach of a cue of a rule at the tokens [first, last) ends."""
        clauses = self._clauses
        ends = (
            clauses.predicate_end
            if reach is Reach.AHEAD
            else clauses.clause_end
            if reach is Reach.OVER
            else clauses.strong_end
        )
        stop = ends[last - 1]
        if stop == last < len(ends) and not self._is_another(rule, last):
            stop = ends[last]  # "not because I": the clause behind the cue is what it turns
        resumed = self._resumed(first, last, into_clauses=rule in _OF_CLAUSES)
        if resumed:
            stop = max(stop, ends[resumed])
        return self._sentence.ends[max(self._last_word[stop - 1], last - 1)]

    def _is_another(self, rule: str, at: int) -> bool:
        """Whether the clause right behind a cue is not what it turns: "I'm not sure but it is", "in the past and these are"."""
        if rule == "negation":
            return False  # "nothing but a"
        table, words = self._lexicon.table, self._sentence.words
        return bool(
            table("clause", "parts").match(words, at)
            or (rule == "past" and table("clause", "joins").match(words, at))
        )

    def _resumed(self, first: int, last: int, *, into_clauses: bool) -> int:
        """Where a sentence goes on behind words that are set in right behind a cue: "I don't, as a rule, smoke"; 0 where none are."""
        words, size, starts = self._sentence.words, len(self._sentence), self._clauses.clause_start
        if last >= size - 1 or starts[first] == first:
            return 0
        mark = words[last]
        if mark[0] == "…" or mark.startswith(".."):
            at = last + 1
        elif mark in _SETS_IN and not self._lexicon.table("clause", "subjects").match(words, last + 1):
            inside = range(last + 1, min(last + 2 + _LONGEST_INSERTION, size - 1))
            at = next((at + 1 for at in inside if words[at] == mark), 0)
        else:
            return 0
        return at if into_clauses or starts[at] != at else 0

    @cached_property
    def _last_word(self) -> list[int]:
        """For each token the last one up to it that is a word."""
        is_word = self._sentence.is_word
        return list(accumulate((at if is_word(at) else 0 for at in range(len(self._sentence))), max))

    @cached_property
    def _next_comma(self) -> list[int]:
        """For each token the next comma from it on."""
        words, size = self._sentence.words, len(self._sentence)
        commas = (at if words[at] == "," else size for at in range(size - 1, -1, -1))
        return [*list(accumulate(commas, min))[::-1], size]

    def _under(self, reach: Reach, first: int, last: int) -> int:
        """Where what stands under a condition ends.

        One behind its statement ends with the sentence. One in front ends with its own clause; and with the next, where that is the
        person's own ("If I marry, I want kids"): he said it of himself only under the condition.
        """
        words, size, clauses = self._sentence.words, len(self._sentence), self._clauses
        if (
            reach is Reach.AROUND
            and first
            and clauses.clause_start[first] < first
            and words[first - 1] not in BEFORE_CLAUSE
        ):
            return self._ahead("condition", Reach.ON, first, last)
        ends = clauses.clause_end
        stop = ends[last - 1] if ends[last - 1] > last or last == size else ends[last]
        if stop == size:
            stop = self._next_comma[last]
        elif self._own.match(words, stop):
            stop = ends[stop]
        return self._sentence.ends[max(stop, last) - 1]

    def _back(self, first: int) -> int:
        """Where the reach of a cue starts that turns what stands before it."""
        if first == 0:
            return self._before
        starts = self._clauses.clause_start
        # A cue that opens its clause turns the one before it: "I want two, I think".
        return self._sentence.starts[starts[first] if starts[first] < first else starts[first - 1]]

    def _only_answers(self, first: int, last: int) -> bool:
        """Whether a word such as "no" answers, and negates nothing behind it: "No, I live in Maryland"."""
        sentence = self._sentence
        if not self._answers.match(sentence.words, first):
            return False
        if last < len(sentence) and (
            not self._lexicon.table("particle", "before").match(sentence.shapes, last)
            if sentence.is_word(last)
            else sentence.words[last] == '"'
        ):
            return False
        # Not so: "there is no 4 star hotel".
        return not (first and sentence.is_word(first - 1)) or self._leads_in(first - 1)

    def _leads_in(self, at: int) -> bool:
        """Whether a word only leads in to what follows: "oh", "and", "but", another "no"."""
        words, table = self._sentence.words, self._lexicon.table
        return bool(
            self._answers.match(words, at)
            or table("clause", "joins").match(words, at)
            or table("clause", "parts").match(words, at)
            or table("sentence", "fillers").match(words, at)
        )
