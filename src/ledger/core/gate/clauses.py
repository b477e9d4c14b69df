"""Where the parts of a sentence start and end that cues reach.

Strong breaks part thoughts (";", "but"). Clauses start there too, and with a subject behind a comma or a conjunction; predicates start
there too, and with a second verb behind a conjunction. What stands in brackets ends with them, and breaks nothing around them; with a
clause of its own it is an aside, which what stands outside does not turn.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger.core.gate.sentences import Sentence
from ledger.core.language import Lexicon

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
BEFORE_CLAUSE = frozenset((",", "—", "-", ":", ".", "…", "...", ".."))
_LONGEST_INSERTION = 10  # words
_LONGEST_NAME = 3  # words
_VERB_WITHIN = 5  # words from "the" in which the verb of a clause that it opens stands


class Clauses:
    """For each token of a sentence where its thought and clause start, and where its thought, clause and predicate end.

    `breaks` are further tokens with which a predicate starts: conditions, say.
    """

    def __init__(self, message: str, sentence: Sentence, lexicon: Lexicon, breaks: Iterator[int]) -> None:
        size = len(sentence)
        strong, clause, predicate = [False] * size, [False] * size, [False] * size
        _mark(message, sentence, lexicon, strong, clause, predicate)
        for at in breaks:
            predicate[at] = True
        self._sentence, self._lexicon = sentence, lexicon
        self._pairs = _pairs(sentence.words)
        inside = self._pairs | self._insertions()
        self.strong_start, self.clause_start = _starts(strong, inside), _starts(clause, inside)
        self.predicate_end, self.clause_end, self.strong_end = (
            _ends(each, inside) for each in (predicate, clause, strong)
        )

    def asides(self) -> list[tuple[int, int]]:
        """The outermost brackets with a clause of their own, as slices of the message."""
        sentence, found = self._sentence, list[tuple[int, int]]()
        free = sentence.plain[0] if sentence.plain else 0  # what opens a sentence is no aside in it
        for opening in sorted(self._pairs):
            closing = self._pairs[opening]
            if opening < free or closing < opening + 2:
                continue
            if self._has_clause(opening + 1, closing):
                found.append((sentence.starts[opening + 1], sentence.ends[closing - 1]))
                free = closing
        return found

    def _insertions(self) -> dict[int, int]:
        """Commas around a clause that is set into another, as if they were brackets: "nothing works, as far as I know, on a Mac"."""
        sentence, words, table = self._sentence, self._sentence.words, self._lexicon.table
        if "," not in words:
            return {}
        links = table("clause", "links")
        goes_on = [
            table("clause", name)
            for name in ("subjects", "joins", "parts", "openers", "links", "relatives", "articles")
        ]
        pairs: dict[int, int] = {}
        free = 1
        for at, word in enumerate(words):
            if word != "," or at < free or at + 1 >= len(words):
                continue
            opened = words[at + 1]
            if (
                not (opened in links.firsts and links.match(words, at + 1))
                or opened in table("clause", "joins").firsts
            ):
                continue
            inner = range(at + 2, min(at + 2 + _LONGEST_INSERTION, len(words) - 1))
            closing = next((near for near in inner if words[near] == "," or near in self._pairs), 0)
            if closing in self._pairs:
                continue  # neither inside the other
            behind = closing + 1
            if (
                closing
                and sentence.is_word(behind)
                and not any(words[behind] in each.firsts for each in goes_on)
            ):
                pairs[at], pairs[closing] = closing, at
                free = closing + 1
        return pairs

    def _has_clause(self, first: int, last: int) -> bool:
        words = self._sentence.words
        own = ("clause", "subjects"), ("clause", "openers"), ("clause", "verbs"), ("particle", "words")
        return any(self._lexicon.table(*name).match(words, first) for name in own) or any(
            words[at] in self._lexicon.table("clause", "finite").firsts
            for at in range(first, min(first + _VERB_WITHIN, last))
        )


def _mark(
    message: str,
    sentence: Sentence,
    lexicon: Lexicon,
    strong: list[bool],
    clause: list[bool],
    predicate: list[bool],
) -> None:
    """Where each kind of part starts."""
    words, size = sentence.words, len(sentence)
    parts, joins = lexicon.table("clause", "parts"), lexicon.table("clause", "joins")
    links, relatives = lexicon.table("clause", "links"), lexicon.table("clause", "relatives")
    subjects, openers = lexicon.table("clause", "subjects"), lexicon.table("clause", "openers")
    verbs, ends = lexicon.table("clause", "verbs"), lexicon.table("clause", "ends")
    for at, word in enumerate(words):
        if word in ends.firsts:  # "..., but" as its own language has it: at the end of the clause
            begins = at + ends.match(words, at)
            while begins < size and words[begins] in BEFORE_CLAUSE:
                begins += 1
            if at < begins < size:
                strong[begins] = clause[begins] = predicate[begins] = True
        if word == ";" or (word in parts.firsts and parts.match(words, at)):
            strong[at] = clause[at] = predicate[at] = True
            continue
        marked = at > 0 and words[at - 1] in BEFORE_CLAUSE
        joined = joins.match(words, at) if word in joins.firsts else 0
        begins = at + joined
        if not (marked or joined) or begins >= size:
            continue
        opened = words[begins]
        if (
            (opened in subjects.firsts and subjects.match(words, begins))
            or (marked and word in openers.firsts and openers.match(words, at))
            or (marked and word in links.firsts and links.match(words, at))
            or _has_verb(sentence, lexicon, begins)
            or _has_name(message, sentence, lexicon, begins)
        ):
            clause[at] = predicate[at] = True
        elif (opened in verbs.firsts and verbs.match(words, begins)) or (
            marked and word in relatives.firsts and relatives.match(words, at)
        ):
            predicate[at] = True


def _has_verb(sentence: Sentence, lexicon: Lexicon, at: int) -> bool:
    """ "the kids are": whether an article or the like opens a clause, which its verb close behind tells."""
    words = sentence.words
    if words[at] not in lexicon.table("clause", "articles").firsts:
        return False
    finite, inner = lexicon.table("clause", "finite").firsts, lexicon.table("clause", "inner").firsts
    for near in range(at + 2, min(at + 1 + _VERB_WITHIN, len(words))):
        if words[near] in finite:
            return True
        if not sentence.is_word(near) or words[near] in inner:
            return False
    return False


def _has_name(message: str, sentence: Sentence, lexicon: Lexicon, at: int) -> bool:
    """ "Kim Lee is": whether a name opens a clause, which its verb right behind tells."""
    finite, starts = lexicon.table("clause", "finite").firsts, sentence.starts
    for near in range(at, min(at + _LONGEST_NAME + 1, len(starts))):
        if near > at and sentence.words[near] in finite:
            return True
        if not message[starts[near]].isupper():
            return False
    return False


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
    """For each token the next break behind it."""
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
    """For each token the last break at or before it."""
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
