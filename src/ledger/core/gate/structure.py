"""The structure of a sentence, and which slices of it stand by themselves.

A slice stands when it is whole clauses, a value that an affirming verb of the speaker governs, or a fragment that answers; and when
what belongs to it is in it: nothing of its own phrase follows, nothing stands in front of its subject. What no list knows does not
stand: the verbs that affirm are listed, not those that deny.

Source: DESIGN section 6, rule 3; Huddleston and Pullum 2002, chapters 4 (complements) and 8 (adjuncts).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from functools import cached_property

from ledger.core.gate.sentences import Sentence
from ledger.core.language import Lexicon
from ledger.core.phrases import PhraseIndex

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_PARTING = frozenset(
    (",", "—", "-", ":", "(", ")", "[", "]", "{", "}")
)  # marks behind which a clause may go on
_ENDING = frozenset((";", "¿"))
_DENYING_MARKS = frozenset("=✗✘❌☒🚫⛔≠")
_UNITS = frozenset("%‰°€$£¥₹")
_CROSSED = "~~"
_OPENING_CUES = frozenset({"negation", "hedge", "opinion", "exception", "condition"})
_LONGEST_SUBJECT = 6  # words
_LONGEST_NEGATOR = 3  # words
_MOST = 64  # tokens in front of a slice that are looked at
_NEAR = 4  # words in front of a slice with which a wider one may start
_ROUNDS = 8  # segments in front of a slice that are looked at


class Structure:
    """The structure of one sentence in one language. Facts only; each is worked out when asked for."""

    def __init__(self, message: str, sentence: Sentence, lexicon: Lexicon, end: int) -> None:
        self._message, self._sentence, self._lexicon = message, sentence, lexicon
        self._end = end  # where the sentence ends in the message, its last marks included
        self._words, self._shapes = sentence.words, sentence.shapes
        self.known = bool(self._table("frames").firsts)

    def _table(self, name: str) -> PhraseIndex[None]:
        return self._lexicon.table("structure", name)

    # What follows a slice

    def cut_behind(self, first: int, stop: int, start: int, end: int) -> str | None:
        """What the slice [start, end) of the tokens [first, stop) leaves behind on its right: part of its `value`, `phrase`, a `label`; None: nothing."""
        sentence, words = self._sentence, self._words
        size, at = len(words), stop
        fault = self._cut_by_mark(first, stop, start, end)
        if fault is not None or not sentence.plain or at > sentence.plain[-1]:
            return fault
        if self._is_number(stop - 1) and self._goes_on_as_number(at):
            return "value"
        if self._table("spans").match(words, first) and words[at] in self._table("soft").firsts:
            return "value"
        if (
            sentence.is_word(at)
            and self._ends_in_negator(first, stop)
            and not self._table("joins").match(words, at)
        ):
            return "phrase"
        tails, joins, adjoins = self._table("tails"), self._table("joins"), self._table("adjoins")
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
            if word in _CLOSING:
                if not opened and not self._opens_inside(first, at):
                    return None
                at += 1
                continue
            if word in _OPENING:
                return "phrase"
            if word == ":":
                return None if self._has_verb(first, stop) or self._opens_with_cue(first) else "label"
            if not sentence.is_word(at):
                behind = at + 1
                if behind < size and word[0] in ",—-.…":
                    if self._denies(behind) and not self._has_verb(first, stop):
                        return "label"
                    if adjoins.match(words, behind) and not tails.match(words, behind):
                        return "phrase"
                return None
            length = joins.match(words, at)
            if length:
                return "phrase" if adjoins.match(words, at + length) else None
            if self._command < first and not self._is_half_name(stop):
                return None
            if (
                self._is_service
                and not self._has_verb(first, stop)
                and self._may_end_in_service(first, stop, at)
            ):
                return None
            return "phrase" if self.known or self._denies_onward(first, stop) else None
        return None

    def _denies_onward(self, first: int, stop: int) -> bool:
        """Whether a negation stands in the last part of a slice, so that it may reach what follows: "børn, ikke lige | nu"."""
        found = False
        for at in range(first, stop):
            if not self._sentence.is_word(at):
                found = False
            elif not found:
                found = any(
                    cue is not None and cue.rule == "negation"
                    for _, cue in self._lexicon.cues_at(self._shapes, at)
                )
        return found

    def _ends_in_negator(self, first: int, stop: int) -> bool:
        """Whether a slice ends with a negation that reaches what follows: "des enfants, pas | tout de suite"."""
        return any(
            cue is not None and cue.rule == "negation" and at + length == stop
            for at in range(max(stop - _LONGEST_NEGATOR, first), stop)
            for length, cue in self._lexicon.cues_at(self._shapes, at)
        )

    def _cut_by_mark(self, first: int, stop: int, start: int, end: int) -> str | None:
        """Marks that no token holds: a sign behind a number, an answer in one sign, a box in front that is not ticked."""
        starts, ends = self._sentence.starts, self._sentence.ends
        size = len(starts)
        gap = self._message[end : starts[stop] if stop < size else self._end]
        front = self._message[ends[first - 1] if first else 0 : start]
        if gap and not gap.isspace():
            if not _UNITS.isdisjoint(gap[:2]) and self._is_number(stop - 1):
                return "value"
            if not _DENYING_MARKS.isdisjoint(gap) or _CROSSED in gap:
                return "label"
        if "☐" in front or "☒" in front:
            return "label"
        if first > 1 and self._words[first - 1] == "]" and self._words[first - 2] in ("[", "x"):
            return "label"
        return None

    def _is_number(self, at: int) -> bool:
        return self._shapes[at] == "#" or self._words[at] in self._table("numbers").firsts

    def _goes_on_as_number(self, at: int) -> bool:
        words = self._words
        if self._is_number(at) and words[at - 1] not in _PARTING:
            return True
        return bool(self._table("scales").match(self._shapes, at))

    def _opens_inside(self, first: int, closing: int) -> bool:
        """Whether the bracket that closes there was opened in the slice."""
        depth = 0
        for at in range(closing - 1, max(first - 1, closing - _MOST), -1):
            if self._words[at] in _CLOSING:
                depth += 1
            elif self._words[at] in _OPENING:
                if not depth:
                    return True
                depth -= 1
        return False

    def _denies(self, at: int) -> bool:
        """Whether a short answer stands there, as the whole of its part: "pets - no, kids - yes"."""
        length = self._table("answers").match(self._words, at)
        behind = at + length
        return bool(length) and (behind >= len(self._words) or not self._sentence.is_word(behind))

    def _has_verb(self, first: int, stop: int) -> bool:
        tables = self._lexicon.table("clause", "subjects"), self._lexicon.table("clause", "verbs")
        return any(word in table.firsts for word in self._words[first:stop] for table in tables)

    # What stands before a slice

    def cut_before(self, first: int, stop: int) -> str | None:
        """What a slice that starts at a token leaves behind on its left: its `frame`, its `front`, a `label`, a part of its `value`."""
        if not first:
            return None
        if self._is_number(first) and self._table("signs").match(self._words, first - 1):
            return "value"
        if self._is_number(first) and self._is_number(first - 1):
            return "value"
        if not self.known:
            return None
        bound = self._bound(first)
        at = self._behind_leads(bound, first)
        if at >= first:
            return self._cut_in_front(bound, first)
        speakers = self._table("speakers")
        clause = any(speakers.match(self._plain(at, at + 1)[:1], 0) for at in range(first, stop))
        if self._governs(at, first, clause=clause):
            return self._cut_in_front(bound, at)
        if self._says(at, first):
            return self._cut_in_front(bound, at)
        if clause:
            return "frame"
        if self._command < first or (self._is_service and self._may_start_in_service(at, first)):
            return None
        if self._opens_with_cue(first) and not self._tells_of_somebody(at, first):
            return None
        return "frame"

    def _says(self, at: int, first: int) -> bool:
        """Whether the speaker says there what they say themselves: "I said | I smoke"."""
        if not self._table("speakers").match(self._plain(first, first + 1), 0):
            return False
        tokens = self._plain(at, first)
        at = self._skip(("adverbs",), tokens, self._table("speakers").match(tokens, 0))
        return 0 < at < len(tokens) and at + self._table("says").match(tokens, at) == len(tokens)

    def _opens_with_cue(self, first: int) -> bool:
        """Whether a slice that starts there opens with what turns it: "isn't cheap", "could be late"."""
        return any(
            cue is not None and cue.rule in _OPENING_CUES
            for _, cue in self._lexicon.cues_at(self._shapes, first)
        )

    def _tells_of_somebody(self, at: int, stop: int) -> bool:
        """Whether the words of a subject name somebody who is not the speaker."""
        return bool(self._table("others").match(self._words, at)) or self._names_somebody(at, stop)

    def _bound(self, first: int) -> int:
        """Where the part of the sentence starts that a token stands in: behind a mark or a conjunction."""
        words, joins = self._words, self._table("joins")
        for at in range(first, max(first - _MOST, 0), -1):
            before = words[at - 1]
            if before != '"' and not self._sentence.is_word(at - 1):
                return at
            for start in (at - 1, at - 2):
                if start >= 0 and start + joins.match(words, start) == at > start:
                    return at
        return 0 if first < _MOST else first - _MOST

    def _behind_leads(self, at: int, stop: int) -> int:
        """Behind words that only lead in: "well", "hey Marta", "as I said"."""
        leads, greetings = self._table("leads"), self._table("greetings")
        while at < stop:
            length = leads.match(self._words, at)
            if not length and self._words[at] == '"':
                length = 1
            if not length and self._lexicon.scripts and greetings.match(self._words, at):
                length = greetings.match(self._words, at)
                name = at + length
                if name < stop and self._is_name(name):
                    length += 1
            if not length:
                break
            at += length
        return at

    def _is_name(self, at: int) -> bool:
        return (
            self._message[self._sentence.starts[at]].isupper() and self._words[at] not in self._lexicon.words
        )

    def _governs(self, at: int, stop: int, *, clause: bool = False) -> bool:
        """Whether the tokens [at, stop) are an affirming frame: the speaker, a verb of the list, what leads in to its value.

        In front of a value an article or a preposition alone is one, in front of a `clause` none.
        """
        tokens = self._plain(at, stop)
        size = len(tokens)
        speakers, things = self._table("speakers"), self._table("things")
        length = speakers.match(tokens, 0)
        thing = 0 if length else max(things.match(tokens, 0), self._table("dummies").match(tokens, 0))
        at = length or thing
        if at == size or (length and self._words[stop - 1] == '"'):
            return True
        verbs, adverbs = self._table("copulas" if thing else "frames"), self._table("adverbs")
        while at < size:
            verb = verbs.match(tokens, at)
            if verb:
                behind = self._skip(("adverbs", "determiners"), tokens, at + verb)
                if behind == size:
                    return not (clause and thing)
                bare = tokens[at + verb - 1] in self._table("auxiliaries").firsts and behind == at + verb
                if length and not clause and not bare and self._is_deep(tokens, behind):
                    return True
            adverb = adverbs.match(tokens, at)
            if not adverb:
                break
            at += adverb
        if at == size:
            return True
        return not clause and not length and not thing and self._skip(("determiners",), tokens, at) == size

    def _is_deep(self, tokens: Sequence[str], at: int) -> bool:
        """Whether what stands between an affirming verb and its further value tells where, when or with whom: "I met Kim in | Dallas"."""
        locating, determiners = self._table("locating").firsts, self._table("determiners")
        last = len(tokens)
        while last > at and tokens[last - 1] in determiners.firsts and tokens[last - 1] not in locating:
            last -= 1
        if last <= at + 1 or tokens[last - 1] not in locating:
            return False
        closed = self._table("closed").firsts
        return not any(token in closed for token in tokens[at : last - 1])

    def _skip(self, names: Sequence[str], tokens: Sequence[str], at: int) -> int:
        tables = [self._table(name) for name in names]
        while at < len(tokens):
            length = max(table.match(tokens, at) for table in tables)
            if not length:
                break
            at += length
        return at

    def _plain(self, at: int, stop: int) -> list[str]:
        """The words with contracted verbs apart: "i'm" as "i am"."""
        found: list[str] = []
        contracted = self._lexicon.contracted
        for word in self._shapes[at:stop]:
            if word in contracted:
                found += contracted[word]
            elif word != '"':
                found.append(word)
        return found

    def _cut_in_front(self, bound: int, first: int) -> str | None:
        """What in front of the part that starts at `bound` belongs to it: "in theory," or a label; None: nothing."""
        words = self._words
        opens_clause = self._opens_own(self._behind_leads(bound, len(words)))
        for _ in range(_ROUNDS):
            if bound <= 0:
                return None
            kind = self._kind(bound)
            if kind == "fresh":
                return None
            end = self._end_of_segment(bound)
            if end <= 0:
                return None
            begin = self._bound(end)
            at = self._behind_leads(begin, end)
            if kind == "label":
                own = self._table("speakers").match(self._plain(begin, end), 0)
                return "label" if not own and self._is_foreign_label(at, end) else None
            if at < end:
                if self._is_imperative(at, end):
                    return "front"
                if self._table("fronts").match(self._shapes, at):
                    return "front"
                if opens_clause:
                    return None
                tokens = self._plain(at, end)
                if self._table("others").match(tokens, 0) or self._names_somebody(at, end):
                    return "frame"
                length = self._table("speakers").match(tokens, 0)
                if length:
                    at = self._skip(("adverbs",), tokens, length)
                    heads = {length, at, at - 1} if at > length else {length}
                    return (
                        None if any(self._table("frames").match(tokens, head) for head in heads) else "frame"
                    )
                if self._table("things").match(tokens, 0) or self._table("dummies").match(tokens, 0):
                    return None
            bound = begin
        return None

    def _kind(self, bound: int) -> str:
        """How the part that starts there is joined to the one before: `fresh` for not at all, `label`, `soft`."""
        before = self._words[bound - 1]
        if before == ":":
            return "label"
        if before in _PARTING:
            return "soft"
        if not self._sentence.is_word(bound - 1):
            return "fresh"
        soft = self._table("soft")
        return (
            "soft"
            if any(soft.match(self._words, at) + at == bound for at in (bound - 1, bound - 2) if at >= 0)
            else "fresh"
        )

    def _end_of_segment(self, bound: int) -> int:
        """Where the words end of the part before the one that starts at `bound`."""
        joins = self._table("joins")
        at = bound - 1
        if self._sentence.is_word(at) and at and joins.match(self._words, at - 1) == 2:
            at -= 1
        while at > 0 and not self._sentence.is_word(at - 1):
            at -= 1
        return at

    def _opens_clause(self, at: int) -> bool:
        return at < len(self._words) and bool(
            self._lexicon.table("clause", "subjects").match(self._words, at)
        )

    def _opens_own(self, at: int) -> bool:
        """Whether a clause with a subject that is told opens there."""
        if self._opens_clause(at):
            return True
        tokens = self._plain(at, at + _LONGEST_SUBJECT)
        return any(self._table(name).match(tokens, 0) for name in ("things", "dummies", "speakers"))

    def _is_imperative(self, at: int, stop: int) -> bool:
        """ "pay me double": what is asked of the listener, as a condition."""
        return (
            at + 1 < stop
            and self._words[at + 1] in self._table("objects").firsts
            and not self._opens_clause(at)
        )

    def _is_foreign_label(self, at: int, stop: int) -> bool:
        """Whether a label tells of somebody else or that what follows is not sure: "Mum:", "my guess:", "tentatively:"."""
        words = self._words
        if self._table("fronts").match(self._shapes, at) or self._names_somebody(at, stop):
            return True
        return any(words[near] in self._table("unsure").firsts for near in range(at, stop))

    def _names_somebody(self, at: int, stop: int) -> bool:
        people = self._table("people").firsts
        return any(word in people for word in self._words[at:stop])

    # Where wider slices may start and end

    def openings(self, start: int) -> list[int]:
        """Where slices may start before `start`, the nearest first: the words in front of it, the parts of its sentence."""
        starts, found = self._sentence.starts, list[int]()
        first = bisect_left(starts, start)
        for at in range(min(first, len(starts)) - 1, max(first - _NEAR, -1), -1):
            if not self._sentence.is_word(at):
                break
            found.append(starts[at])
        bound = first
        for _ in range(_ROUNDS):
            if bound <= 0:
                break
            bound = self._bound(bound)
            behind = self._behind_leads(bound, first)
            found += [starts[at] for at in (behind, bound) if at < first]
            bound = self._end_of_segment(bound) if bound else 0
        return list(dict.fromkeys(found))

    def endings(self, end: int) -> list[int]:
        """Where slices may end behind `end`, the nearest first: at the ends of the parts of its sentence."""
        sentence, joins = self._sentence, self._table("joins")
        stop, found = bisect_right(sentence.ends, end), list[int]()
        for at in range(stop, min(stop + _MOST, len(sentence))):
            word = sentence.is_word(at)
            if at > 0 and sentence.is_word(at - 1) and (not word or joins.match(self._words, at)):
                found.append(sentence.ends[at - 1])
            if self._words[at] in _CLOSING:
                found.append(sentence.ends[at])
            if len(found) > _ROUNDS:
                break
        if sentence.bounds:
            found.append(sentence.bounds[1])
            found.append(sentence.ends[sentence.plain[-1]])
        return [each for each in dict.fromkeys(found) if each > end]

    # Requests to a service

    @cached_property
    def _is_service(self) -> bool:
        tables = (
            self._table("services"),
            self._lexicon.table("question", "requests"),
            self._lexicon.table("question", "offers"),
        )
        services = tables[0]
        at = self._behind_leads(0, len(self._shapes))
        if not self._table("speakers").match(self._plain(at, at + 1), 0) and any(
            table.match(self._shapes, at) for table in tables[1:]
        ):
            return True
        return any(
            word in services.firsts and services.match(self._shapes, at)
            for at, word in enumerate(self._shapes)
        )

    @cached_property
    def _command(self) -> int:
        """Where the verb stands that opens a sentence and asks a service for something: "Play ...", "Such ..."; its length where there is none."""
        at = self._behind_leads(0, len(self._words))
        asks = any(self._table(name).match(self._shapes, at) for name in ("commands", "services"))
        return at if asks and self._is_service else len(self._words)

    def _may_start_in_service(self, at: int, first: int) -> bool:
        """Whether a phrase may start there: behind a preposition, an article, a verb that asks for something."""
        before, unsure = self._shapes[first - 1], self._table("unsure").firsts
        if any(word in unsure for word in self._words[at:first]):
            return False
        return (
            before == "#"
            or not self._sentence.is_word(first - 1)
            or any(
                before in self._table(name).firsts
                for name in (
                    "prepositions",
                    "determiners",
                    "services",
                    "adverbs",
                    "copulas",
                    "objects",
                    "speakers",
                    "leads",
                )
            )
        )

    def _is_half_name(self, at: int) -> bool:
        """Whether a word with a capital stands on both sides: a first name and a last one."""
        starts, message = self._sentence.starts, self._message
        return (
            message[starts[at]].isupper()
            and message[starts[at - 1]].isupper()
            and self._words[at] not in self._lexicon.words
        )

    def _may_end_in_service(self, first: int, stop: int, at: int) -> bool:
        """Whether a phrase may end there: before a preposition, a verb, a time; a number before what it counts."""
        word = self._shapes[at]
        if self._is_number(stop - 1) and stop - first == 1:
            return word in self._table("counted").firsts or word in self._table("prepositions").firsts
        return (
            word == "#"
            or word in self._table("counted").firsts
            or any(
                word in self._table(name).firsts
                for name in (
                    "prepositions",
                    "behind",
                    "determiners",
                    "copulas",
                    "adverbs",
                    "speakers",
                    "objects",
                )
            )
        )
