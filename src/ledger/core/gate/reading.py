"""One message, read once; then each span of it is judged.

A span is located; then the rules are applied where it stands, and the first that refuses names the reason. What a rule needs of the
message is worked out when first asked for, and kept.

Source: DESIGN section 6.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property

from ledger.core.gate import locate, nearest, voice
from ledger.core.gate.bare import BareWords
from ledger.core.gate.context import leans
from ledger.core.gate.details import LONGEST
from ledger.core.gate.names import Names
from ledger.core.gate.question import question_in
from ledger.core.gate.refusal import Place, Refusal, refused
from ledger.core.gate.rules import RULES, Rule, Spot
from ledger.core.gate.scope import Turn, Turns, turns
from ledger.core.gate.script import other_script
from ledger.core.gate.second import SecondOpinion
from ledger.core.gate.secret import holds_secret
from ledger.core.gate.sentences import Sentences
from ledger.core.gate.structure import Structure, fault_of
from ledger.core.language import Lexicon
from ledger.core.model import Reason, Verdict
from ledger.core.text import Folded, fold, has_substance

_LONGEST_SENTENCE = 2_000  # code points that are searched for a secret around a slice
_OF_CUES = [rule for rule in RULES if not rule.of_structure]
_OF_STRUCTURE = [rule for rule in RULES if rule.of_structure]
_UNSETTLING = frozenset({"condition", "wish", "irony"})
_LONGEST_VALUE = 4  # words of a number or a time


class Reading:
    """A message with what the rules need of it. Deterministic; nothing of it outlives the object."""

    def __init__(
        self,
        message: str,
        folded: Folded,
        lexicons: tuple[Lexicon, ...],
        known: bool,
        bare: BareWords,
        asked: str | None,
        without: frozenset[str] = frozenset(),
        base: Reading | None = None,
        alike: int = 1,
        second: SecondOpinion | None = None,
    ) -> None:
        self.message = message
        self.folded = folded
        self.lexicon = lexicons[0]
        # What is the same under every language is taken from the first.
        self._base = base or self
        self.sentences: Sentences = base.sentences if base else _sentences(message, folded, lexicons)
        # The same under each other language that the message may be in: a slice has to pass under all.
        self._others_too = [
            Reading(message, folded, (lexicon,), known, bare, asked, without, self)
            for lexicon in lexicons[1:]
        ]
        self._alike, self._second = alike, second
        self.known = known  # whether there is data for the message's language
        self._bare = bare
        self._asked = asked
        self._without = without
        self._rules = [rule for rule in _OF_CUES if rule.name not in without] if without else _OF_CUES
        self._structural = (
            [rule for rule in _OF_STRUCTURE if rule.name not in without] if without else _OF_STRUCTURE
        )
        # What was worked out for a sentence, or a quotation, of this index.
        self._turns: dict[int, tuple[Turns, Turns]] = {}
        self._structures: dict[int, Structure] = {}
        self._questions: dict[int, Place | None] = {}
        self._foreign: dict[int, bool] = {}
        self._others: dict[int, bool] = {}
        self._listed: dict[str, bool] = {}
        self._secret: dict[int, bool] = {}
        self._of_words: dict[tuple[str, str, str | None, Names], Turn | bool | None] = {}

    @cached_property
    def places_of_words(self) -> dict[str, list[int]]:
        """Where each word stands in the folded message, as far as that tells something."""
        return nearest.places_of_words(self.folded.alike)

    @cached_property
    def _blocks(self) -> list[Place]:
        return voice.foreign_blocks(self.message) if self._base is self else self._base._blocks

    @cached_property
    def _quotations(self) -> list[tuple[int, int, bool]]:
        return voice.quotations(self.message) if self._base is self else self._base._quotations

    def judge(
        self,
        span: str,
        question: str | None = None,
        avoid: Names | Iterable[str] = (),
        *,
        suggest: bool = True,
    ) -> Verdict:
        """The gate's verdict on a span, for a topic with this approved question.

        Accepted: `answer` is a slice of the message. Refused: `reason`, `detail`, and `nearest` where a wider or similar slice
        passes; that slice, submitted for the same topic, is accepted. None is looked for without `suggest`, nor for a span that stands at
        several places: nobody can say which was meant. Never raises.
        """
        avoid = Names.of(avoid)
        verdict, places = self._judge(span, question, avoid)
        if not suggest or verdict.accepted or verdict.reason not in nearest.SUGGESTED_FOR or len(places) > 1:
            return verdict
        for start, end in nearest.candidates(self, span, verdict, places):
            better = self.message[start:end]
            if end - start <= LONGEST and self._judge(better, question, avoid)[0].answer == better:
                return refused(Refusal(verdict.reason, verdict.rule), verdict.left_behind, better)
        return verdict

    def _judge(self, span: str, question: str | None, avoid: Names) -> tuple[Verdict, list[Place]]:
        if not has_substance(span):
            return refused(Refusal(Reason.TOO_SHORT, "words")), []
        places, whole, many = locate.exact(self.message, span)
        if not whole:
            alike, whole, many = locate.folded(self.message, self.folded, span)
            places = list(dict.fromkeys(places + alike))
        if not places:
            return refused(Refusal(Reason.NOT_VERBATIM, "locate")), []
        if not whole:
            return refused(Refusal(Reason.MID_WORD, "words")), places
        if many:  # not each is looked at: what refuses the first refuses the span
            refusal = self.refusal(*whole[0], question, avoid)
            return refused(refusal or Refusal(Reason.AMBIGUOUS, "locate")), whole
        refusals: list[Refusal | None] = []
        for start, end in whole:
            refusals.append(self.refusal(start, end, question, avoid))
            if (refusals[0] is None) != (refusals[-1] is None):
                return refused(Refusal(Reason.AMBIGUOUS, "locate")), whole
        first = refusals[0]
        if first is not None:
            left = (first.cut.cue_start, first.cut.cue_end) if first.cut else None
            return refused(first, left), whole
        start, end = whole[0]
        answer = self.message[start:end]
        return Verdict(True, answer=answer, start=start, bare=self._is_listed(answer)), whole

    def around(self, verdict: Verdict) -> str:
        """The sentences that an accepted span stands in, with the one behind, which may take it back ("No. That's still right")."""
        if verdict.start is None or verdict.answer is None:
            raise ValueError("a refused span stands nowhere")
        touched = self.sentences.touched(verdict.start, verdict.start + len(verdict.answer))
        last = min(touched.stop, len(self.sentences) - 1)
        return self.message[self.sentences.extent(touched.start)[0] : self.sentences.extent(last)[1]]

    def is_unsettled(self) -> bool:
        """Whether a cue says of any part of the message that it holds under a condition, is wished, or not meant."""
        return any(
            turn.rule in _UNSETTLING
            for index in range(len(self.sentences))
            for turn in self._turns_of(index)[0]
        )

    def refusal(self, start: int, end: int, question: str | None, avoid: Names) -> Refusal | None:
        """What refuses the slice [start, end), which starts and ends at edges of words; None when it passes."""
        spot = Spot(self, start, end, question, avoid)
        refusal = self._refused_by(self._rules, spot)
        if refusal is not None:
            return refusal
        for other in self._others_too:
            refusal = other.refusal(start, end, question, avoid)
            if refusal is not None:
                return refusal
        if self._base is not self:
            return None
        refusal = self._refused_by(self._structural, spot)
        if (
            refusal is None
            and self._second is not None
            and self._second(self.message, start, end) is not None
        ):
            return Refusal(Reason.MEANING_CUT, "second")
        return refusal

    def _refused_by(self, rules: Iterable[Rule], spot: Spot) -> Refusal | None:
        for rule in rules:
            found = self._by_words(rule, spot) if rule.of_words else rule.check(spot)
            if found:
                return Refusal(rule.reason, rule.name, found if isinstance(found, Turn) else None)
        return None

    def _by_words(self, rule: Rule, spot: Spot) -> Turn | bool | None:
        """What a rule of words alone finds, worked out once for a span that stands at many places."""
        key = rule.name, spot.answer, spot.question, spot.avoid
        if key not in self._of_words:
            self._of_words[key] = rule.check(spot)
        return self._of_words[key]

    def meets_secret(self, start: int, end: int) -> bool:
        """Whether a slice holds a secret, or stands in a sentence that does: what names it may be left behind."""
        if holds_secret(self.message[start:end], self.lexicon):
            return True
        for index in self.sentences.touched(start, end):
            if index not in self._secret:
                first, last = self.sentences.extent(index)
                text = self.message[first:last]
                self._secret[index] = last - first <= _LONGEST_SENTENCE and holds_secret(text, self.lexicon)
            if self._secret[index]:
                return True
        return False

    def is_in_block(self, start: int, end: int) -> bool:
        """Whether a slice meets a block that is not typed by the principal."""
        last = bisect_left(self._blocks, (end,)) - 1
        return last >= 0 and self._blocks[last][1] > start

    def is_in_quotation(self, start: int, end: int) -> bool:
        """Whether a slice meets a quotation of somebody else and does not hold it whole."""
        # Quotations stand one behind the other: those between the first and the last that a span meets, it holds.
        first = bisect_right(self._quotations, start, key=lambda quotation: quotation[1])
        last = bisect_left(self._quotations, end, key=lambda quotation: quotation[0]) - 1
        for index in {first, last} if first <= last else ():
            opening, closing, _ = self._quotations[index]
            if not (start <= opening and closing <= end) and self._is_foreign(index):
                return True
        return False

    def _is_foreign(self, index: int) -> bool:
        if index not in self._foreign:
            quotation = self._quotations[index]
            self._foreign[index] = voice.is_foreign(self.message, self.sentences, self.lexicon, *quotation)
        return self._foreign[index]

    def asks(self, start: int, end: int) -> bool:
        """Whether the slice asks, and no sentence of it only states."""
        asks = False
        for index in self.sentences.touched(start, end):
            sentence = self.sentences[index]
            held = sentence.within(start, end)
            if not any(map(sentence.is_word, held)):
                continue
            if index not in self._questions:
                self._questions[index] = question_in(self.message, sentence, self.lexicon)
            asked = self._questions[index]
            if asked is None or not any(
                asked[0] <= sentence.starts[at] < asked[1] for at in held if sentence.is_word(at)
            ):
                return False
            asks = True
        return asks

    def cuts(self, start: int, end: int) -> list[Turn]:
        """The cues that turn a slice and that it leaves behind."""
        return [
            *self._cutting(start, end),
            *(turn for other in self._others_too for turn in other.cuts(start, end)),
        ]

    def first_cut(self, start: int, end: int, *, speech: bool = False) -> Turn | None:
        """The first of them; of reported speech alone with `speech`."""
        return next(self._cutting(start, end, speech=speech), None)

    def _cutting(self, start: int, end: int, *, speech: bool = False) -> Iterator[Turn]:
        is_value: bool | None = None
        for turns_, of_speech in self._turns_near(start, end):
            for turn in (of_speech if speech else turns_).cutting(start, end):
                if turn.rule in self._without:
                    continue
                if turn.rule == "opinion":
                    if is_value is None:
                        is_value = self._is_value(start, end)
                    if is_value:
                        continue
                yield turn

    def turns_near(self, start: int, end: int) -> int:
        """How many cues there are in the sentences that may turn a slice."""
        own = sum(len(turns_) for turns_, _ in self._turns_near(start, end))
        return own + sum(other.turns_near(start, end) for other in self._others_too)

    def _turns_near(self, start: int, end: int) -> Iterator[tuple[Turns, Turns]]:
        touched = self.sentences.touched(start, end)
        # The sentence behind may be one that only adds to the last.
        return map(self._turns_of, range(touched.start, min(touched.stop + 1, len(self.sentences))))

    def _is_value(self, start: int, end: int) -> bool:
        """Whether a slice is a number or a time and little more: "I think" turns a statement, and such a datum hardly."""
        held = [
            (s, at)
            for s in map(self.sentences.__getitem__, self.sentences.touched(start, end))
            for at in s.within(start, end)
        ]
        words = [(sentence, at) for sentence, at in held if sentence.is_word(at)]
        if not words or len(words) > _LONGEST_VALUE:
            return False
        values, leads = self.lexicon.table("value", "words"), self.lexicon.table("value", "leads")
        for sentence, at in words:
            if sentence.shapes[at] == "#" or sentence.words[at] in values.firsts:
                return True
            if sentence.words[at] not in leads.firsts:
                return False  # "want two kids"
        return False

    def _turns_of(self, index: int) -> tuple[Turns, Turns]:
        """The turns of a sentence, and those of them that are reported speech."""
        if index not in self._turns:
            before = self.sentences[index - 1].bounds if index else None
            found = turns(self.message, self.sentences[index], self.lexicon, before[0] if before else None)
            self._turns[index] = (found, found.only("speech"))
        return self._turns[index]

    def structure(self, index: int) -> Structure:
        """The structure of a sentence."""
        if index not in self._structures:
            end = self.sentences.extent(index)[1]
            self._structures[index] = Structure(self.message, self.sentences[index], self.lexicon, end)
        return self._structures[index]

    def structural_fault(self, start: int, end: int) -> str | None:
        """What the structure of its sentences has against a slice: `value`, `phrase`, `label`, `frame` or `front`; None: it stands."""
        if self._base is not self:
            return None
        readings = [self, *self._others_too]
        if not any(reading.has_structure for reading in readings[: self._alike]):
            return self.structural_fault_in_own(start, end)
        faults = [each.structural_fault_in_own(start, end) for each in readings if each.has_structure]
        return None if None in faults else faults[0]

    @property
    def has_structure(self) -> bool:
        """Whether there is data for the structure of the language."""
        return bool(self.lexicon.table("structure", "frames").firsts)

    def structural_fault_in_own(self, start: int, end: int) -> str | None:
        """The same under this reading's language alone."""
        return fault_of(self.sentences, self.structure, start, end)

    def leans(self, start: int, end: int) -> bool:
        """Whether a slice holds words that lean on the listener or the place."""
        touched = self.sentences.touched(start, end)
        return any(leans(self.sentences[index], self.lexicon, start, end) for index in touched)

    def is_bare_unasked(self, answer: str, question: str | None) -> bool:
        """Whether an answer is bare, or sounds so, and its question was not asked."""
        listed = self._is_listed(answer)
        if listed and self._was_asked(question):
            return False
        return listed or self._bare.sounds_bare(answer)

    def cuts_bare(self, start: int, end: int) -> bool:
        """Whether a bare answer goes on with words that make it another: "no" of "no idea"."""
        if not self._is_listed(self.message[start:end]):
            return False
        sentence = self.sentences[self.sentences.touched(start, end)[-1]]
        stop = following = bisect_right(sentence.ends, end)
        while stop < len(sentence) and sentence.is_word(stop):
            stop += 1
        return stop > following and not self._is_listed(
            self.message[sentence.starts[following] : sentence.ends[stop - 1]]
        )

    def _is_listed(self, answer: str) -> bool:
        if answer not in self._listed:
            self._listed[answer] = self._bare.is_bare(answer)
        return self._listed[answer]

    def _was_asked(self, question: str | None) -> bool:
        wanted = fold(question or "").alike.strip(" ?!.¿¡")
        return bool(wanted) and self._asked is not None and wanted in fold(self._asked).alike

    def covers_unknown(self, start: int, end: int) -> bool:
        """Whether a slice holds every word of each sentence that it touches and that there is no data for."""
        for index in self.sentences.touched(start, end):
            sentence = self.sentences[index]
            words = sentence.plain
            if not words or (sentence.starts[words[0]] >= start and sentence.ends[words[-1]] <= end):
                continue
            if not self.known or self._is_of_other_script(index):
                return False
        return all(other.covers_unknown(start, end) for other in self._others_too)

    def _is_of_other_script(self, index: int) -> bool:
        """Whether a sentence holds a word in a script there is no data for; a name in a guest's script is none."""
        lexicon = self.lexicon
        if self.folded.text.isascii() and "Latin" in lexicon.scripts:
            return False
        if index not in self._others:
            sentence = self.sentences[index]
            self._others[index] = other_script(sentence.words, lexicon.scripts | lexicon.guests) or any(
                word in lexicon.foreign_cues and self.message[at].islower()
                for word, at in zip(sentence.words, sentence.starts, strict=True)
            )
        return self._others[index]


def _sentences(message: str, folded: Folded, lexicons: tuple[Lexicon, ...]) -> Sentences:
    abbreviations = frozenset[str]().union(*(lexicon.abbreviations for lexicon in lexicons))
    return Sentences(message, folded, abbreviations, spaceless=any(lexicon.spaceless for lexicon in lexicons))
