"""The parts of a sentence as its structure has them: clauses behind their marks and conjunctions, the words that only lead in to them.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence

from ledger.core.gate.sentences import Sentence
from ledger.core.language import Lexicon
from ledger.core.phrases import PhraseIndex

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")
PARTING = frozenset(
    (",", "—", "-", ":", "(", ")", "[", "]", "{", "}")
)  # marks behind which a clause may go on
MOST = 64  # tokens in front of a slice that are looked at
ROUNDS = 8  # parts in front of a slice that are looked at
_OPENING_CUES = frozenset({"negation", "hedge", "opinion", "exception", "condition"})
_LONGEST_SUBJECT = 6  # words
_OPENERS = ("determiners", "frames", "numbers", "prepositions")
_NEAR = 4  # words in front of a slice with which a wider one may start


class Parts:
    """One sentence in one language. Facts only."""

    def __init__(self, message: str, sentence: Sentence, lexicon: Lexicon, end: int) -> None:
        self.message, self.sentence, self.lexicon = message, sentence, lexicon
        self.end = end  # where the sentence ends in the message, its last marks included
        self.words, self.shapes = sentence.words, sentence.shapes
        self.known = bool(self.table("frames").firsts)  # whether there is data for what governs a value

    def table(self, name: str) -> PhraseIndex[None]:
        return self.lexicon.table("structure", name)

    def joins_at(self, at: int) -> int:
        """How many tokens a conjunction takes that starts there; 0 for none, and for one that excepts: "everything but"."""
        words = self.words
        if at and words[at] in self.table("excepts").firsts:
            wholes = self.table("wholes").firsts
            if words[at - 1] in wholes or (at > 1 and words[at - 2] in wholes):
                return 0
        return self.table("joins").match(words, at) if at < len(words) else 0

    def is_number(self, at: int) -> bool:
        return self.shapes[at] == "#" or self.words[at] in self.table("numbers").firsts

    def retracts(self, at: int) -> bool:
        """Whether what stands before a token is taken back there: "oh wait", "*Saturday"."""
        table = self.table("retracts")
        if table.match(self.words, at):
            return True
        behind = self.behind_leads(at, len(self.words))
        return any(table.match(self.words, near) for near in range(at, min(behind + 1, len(self.words))))

    def has_clause(self, first: int, stop: int) -> bool:
        """Whether a slice holds a word of a clause of its own: the speaker, or a verb that is listed."""
        own, verbs = self.lexicon.table("clause", "own"), self.lexicon.table("clause", "verbs")
        return any(word in own.firsts or word in verbs.firsts for word in self.words[first:stop])

    def has_verb(self, first: int, stop: int) -> bool:
        tables = self.lexicon.table("clause", "subjects"), self.lexicon.table("clause", "verbs")
        return any(word in table.firsts for word in self.words[first:stop] for table in tables)

    def opens_with_cue(self, first: int) -> bool:
        """Whether a slice that starts there opens with what turns it: "isn't cheap", "could be late"."""
        return any(
            cue is not None and cue.rule in _OPENING_CUES
            for _, cue in self.lexicon.cues_at(self.shapes, first)
        )

    def bound(self, first: int) -> int:
        """Where the part of the sentence starts that a token stands in: behind a mark or a conjunction."""
        words = self.words
        for at in range(first, max(first - MOST, 0), -1):
            before = words[at - 1]
            if before != '"' and not self.sentence.is_word(at - 1):
                return at
            for start in (at - 1, at - 2):
                if start >= 0 and start + self.joins_at(start) == at > start:
                    return at
        return 0 if first < MOST else first - MOST

    def behind_leads(self, at: int, stop: int) -> int:
        """Behind words that only lead in: "well", "hey Marta", "as I said"."""
        leads, greetings = self.table("leads"), self.table("greetings")
        while at < stop:
            length = leads.match(self.words, at)
            if not length and self.words[at] == '"':
                length = 1
            if not length and self.lexicon.scripts and greetings.match(self.words, at):
                length = greetings.match(self.words, at)
                name = at + length
                if name < stop and self.is_name(name):
                    length += 1
            if not length:
                break
            at += length
        return at

    def is_name(self, at: int) -> bool:
        return self.message[self.sentence.starts[at]].isupper() and self.words[at] not in self.lexicon.words

    def skip(self, names: Sequence[str], tokens: Sequence[str], at: int) -> int:
        tables = [self.table(name) for name in names]
        while at < len(tokens):
            length = max(table.match(tokens, at) for table in tables)
            if not length:
                break
            at += length
        return at

    def plain(self, at: int, stop: int) -> list[str]:
        """The words with contracted verbs apart: "i'm" as "i am"."""
        found: list[str] = []
        contracted = self.lexicon.contracted
        for word in self.shapes[at:stop]:
            if word in contracted:
                found += contracted[word]
            elif word != '"':
                found.append(word)
        return found

    def kind(self, bound: int) -> str:
        """How the part that starts there is joined to the one before: `fresh` for not at all, `label`, `soft`."""
        before = self.words[bound - 1]
        if before == ":":
            return "label"
        if before in PARTING:
            return "soft"
        if not self.sentence.is_word(bound - 1):
            return "fresh"
        soft = self.table("soft")
        return (
            "soft"
            if any(soft.match(self.words, at) + at == bound for at in (bound - 1, bound - 2) if at >= 0)
            else "fresh"
        )

    def end_of_segment(self, bound: int) -> int:
        """Where the words end of the part before the one that starts at `bound`."""
        at = bound - 1
        if self.sentence.is_word(at) and at and self.joins_at(at - 1) == 2:
            at -= 1
        while at > 0 and not self.sentence.is_word(at - 1):
            at -= 1
        return at

    def opens_clause(self, at: int) -> bool:
        return at < len(self.words) and bool(self.lexicon.table("clause", "subjects").match(self.words, at))

    def opens_own(self, at: int) -> bool:
        """Whether a clause with a subject that is told opens there."""
        if self.opens_clause(at):
            return True
        tokens = self.plain(at, at + _LONGEST_SUBJECT)
        return any(self.table(name).match(tokens, 0) for name in ("things", "dummies", "speakers"))

    def names_somebody(self, at: int, stop: int) -> bool:
        people = self.table("people").firsts
        return any(word in people for word in self.words[at:stop])

    def openings(self, start: int) -> list[int]:
        """Where slices may start before `start`, the nearest first: the words in front of it, the parts of its sentence."""
        starts, found = self.sentence.starts, list[int]()
        first = bisect_left(starts, start)
        for at in range(min(first, len(starts)) - 1, max(first - _NEAR, -1), -1):
            if not self.sentence.is_word(at):
                break
            if any(self.words[at] in self.table(name).firsts for name in _OPENERS) or self.opens_with_cue(at):
                found.append(starts[at])
        bound = first
        for _ in range(ROUNDS):
            if bound <= 0:
                break
            bound = self.bound(bound)
            behind = self.behind_leads(bound, first)
            found += [starts[at] for at in (behind, bound) if at < first]
            bound = self.end_of_segment(bound) if bound else 0
        return list(dict.fromkeys(found))

    def endings(self, end: int) -> list[int]:
        """Where slices may end behind `end`, the nearest first: at the ends of the parts of its sentence."""
        sentence = self.sentence
        stop, found = bisect_right(sentence.ends, end), list[int]()
        for at in range(stop, min(stop + MOST, len(sentence))):
            word = sentence.is_word(at)
            if at > 0 and sentence.is_word(at - 1) and (not word or self.joins_at(at)):
                found.append(sentence.ends[at - 1])
            if self.words[at] in CLOSING:
                found.append(sentence.ends[at])
            if len(found) > ROUNDS:
                break
        if sentence.bounds:
            found.append(sentence.bounds[1])
            found.append(sentence.ends[sentence.plain[-1]])
        return [each for each in dict.fromkeys(found) if each > end]
