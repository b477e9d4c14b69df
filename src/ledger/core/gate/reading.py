"""One message, read once; then each span of it is judged.

The rules are applied in this order, and the first that refuses names the reason: locate, words, voice, question, scope, context,
bare, fit. What a rule needs of the message is worked out when first asked for, and kept.

Source: DESIGN section 6.
"""

from __future__ import annotations

from functools import cached_property
from typing import NamedTuple

from ledger.core.gate import locate, nearest, voice
from ledger.core.gate.bare import BareWords
from ledger.core.gate.context import leans
from ledger.core.gate.details import LONGEST, detail
from ledger.core.gate.names import names_one
from ledger.core.gate.question import question_in
from ledger.core.gate.scope import Turn, turns
from ledger.core.gate.script import other_script, speaks
from ledger.core.gate.secret import holds_secret
from ledger.core.gate.sentences import Sentences
from ledger.core.language import Lexicon
from ledger.core.model import Reason, Verdict
from ledger.core.text import Folded, fold, has_substance

Place = tuple[int, int]

_LONGEST_VALUE = 4  # words of a number, a time or a name


class Refusal(NamedTuple):
    """Why a place does not pass. `cuts` are the cues that would have to be taken into the span."""

    reason: Reason
    rule: str
    cuts: tuple[Turn, ...] = ()


class Reading:
    """A message with what the rules need of it. Deterministic; nothing of it outlives the object."""

    def __init__(
        self, message: str, lexicon: Lexicon, known: bool | None, bare: BareWords, asked: str | None
    ) -> None:
        self.message = message
        self._lexicon = lexicon
        self._known = known  # whether there is data for the message's language; None: as its words tell
        self._bare = bare
        self._asked = None if asked is None else fold(asked).alike()
        self._turns: dict[int, list[Turn]] = {}

    @cached_property
    def folded(self) -> Folded:
        return fold(self.message)

    @cached_property
    def known(self) -> bool:
        """Whether there is data for the language of the message."""
        return speaks(self.folded.text, self._lexicon) if self._known is None else self._known

    @cached_property
    def sentences(self) -> Sentences:
        return Sentences(self.message, self.folded, self._lexicon.abbreviations)

    @cached_property
    def _blocks(self) -> list[Place]:
        return voice.foreign_blocks(self.message)

    @cached_property
    def _quotations(self) -> list[Place]:
        return voice.foreign_quotations(self.message, self.sentences, self._lexicon)

    def judge(self, span: str, question: str | None = None, avoid: tuple[str, ...] = ()) -> Verdict:
        """The gate's verdict on a span, for a topic with this approved question.

        Accepted: `answer` is a slice of the message. Refused: `reason`, `detail`, and `nearest` where a wider or similar slice
        passes; that slice, submitted for the same topic, is accepted. Never raises.
        """
        avoid = tuple(avoid)
        verdict, places = self._judge(span, question, avoid)
        if verdict.accepted or verdict.reason not in nearest.SUGGESTED_FOR:
            return verdict
        for start, end in nearest.candidates(self, span, verdict, places):
            better = self.message[start:end]
            if end - start <= LONGEST and self._judge(better, question, avoid)[0].accepted:
                return _refused(Refusal(verdict.reason, verdict.rule), verdict.left_behind, better)
        return verdict

    def _judge(self, span: str, question: str | None, avoid: tuple[str, ...]) -> tuple[Verdict, list[Place]]:
        if not has_substance(span):
            return _refused(Refusal(Reason.TOO_SHORT, "words")), []
        places = locate.exact(self.message, span)
        whole = locate.whole(self.message, places)
        if not whole:
            places += locate.folded(self.folded, span)
            whole = locate.whole(self.message, places)
        if not places:
            return _refused(Refusal(Reason.NOT_VERBATIM, "locate")), []
        if not whole:
            return _refused(Refusal(Reason.MID_WORD, "words")), places
        if len(whole) > locate.MOST_PLACES:
            return _refused(Refusal(Reason.AMBIGUOUS, "locate")), whole
        refusals: list[Refusal | None] = []
        for start, end in whole:
            refusals.append(self.refusal(start, end, question, avoid))
            if (refusals[0] is None) != (refusals[-1] is None):
                return _refused(Refusal(Reason.AMBIGUOUS, "locate")), whole
        first = refusals[0]
        if first is not None:
            left = (first.cuts[0].cue_start, first.cuts[0].cue_end) if first.cuts else None
            return _refused(first, left), whole
        start, end = whole[0]
        answer = self.message[start:end]
        return Verdict(True, answer=answer, start=start, bare=self._bare.is_bare(answer)), whole

    def refusal(self, start: int, end: int, question: str | None, avoid: tuple[str, ...]) -> Refusal | None:
        """What refuses the slice [start, end), which starts and ends at edges of words; None when it passes."""
        answer = self.message[start:end]
        if len(answer) > LONGEST:
            return Refusal(Reason.TOO_LONG, "words")
        return (
            self._voice(start, end)
            or self._meaning(start, end)
            or self._standing(start, end, answer, question)
            or self._fitness(answer, avoid)
        )

    def _voice(self, start: int, end: int) -> Refusal | None:
        if any(first < end and last > start for first, last in self._blocks):
            return Refusal(Reason.NOT_OWN_WORDS, "block")
        for first, last in self._quotations:
            if first < end and last > start and not (start <= first and last <= end):
                return Refusal(Reason.NOT_OWN_WORDS, "quotation")
        return None

    def _meaning(self, start: int, end: int) -> Refusal | None:
        if self._is_question(start, end):
            return Refusal(Reason.QUESTION, "question")
        if not self.covers_unknown(start, end):
            return Refusal(Reason.MEANING_CUT, "sentence")
        cuts = self.cuts(start, end)
        if not cuts:
            return None
        if any(turn.rule == "speech" for turn in cuts):
            return Refusal(Reason.NOT_OWN_WORDS, "speech")
        return Refusal(Reason.MEANING_CUT, cuts[0].rule, tuple(cuts))

    def _is_question(self, start: int, end: int) -> bool:
        """Whether the slice asks, and no sentence of it only states."""
        asks = False
        for index in self.sentences.touched(start, end):
            sentence = self.sentences[index]
            held = [at for at in sentence.within(start, end) if sentence.is_word(at)]
            if not held:
                continue
            asked = question_in(sentence, self._lexicon)
            if asked is None or not any(asked[0] <= sentence.starts[at] < asked[1] for at in held):
                return False
            asks = True
        return asks

    def cuts(self, start: int, end: int) -> list[Turn]:
        """The cues that turn a slice and that it leaves behind."""
        touched = self.sentences.touched(start, end)
        # The sentence behind may be one that only adds to the last.
        indices = range(touched.start, min(touched.stop + 1, len(self.sentences)))
        cuts = [turn for index in indices for turn in self._turns_of(index) if turn.cuts(start, end)]
        if any(turn.rule == "opinion" for turn in cuts) and self._is_value(start, end):
            return [turn for turn in cuts if turn.rule != "opinion"]
        return cuts

    def _is_value(self, start: int, end: int) -> bool:
        """Whether a slice is a number, a time or a name and no more: "I think" turns a statement, and a datum hardly."""
        held = [
            (s, at)
            for s in map(self.sentences.__getitem__, self.sentences.touched(start, end))
            for at in s.within(start, end)
        ]
        words = [(sentence, at) for sentence, at in held if sentence.is_word(at)]
        if not words or len(words) > _LONGEST_VALUE:
            return False
        values = self._lexicon.table("value", "words")
        numbered = any(sentence.shapes[at] == "#" or sentence.words[at] in values for sentence, at in words)
        return numbered or all(self.message[sentence.starts[at]].isupper() for sentence, at in words)

    def _turns_of(self, index: int) -> list[Turn]:
        if index not in self._turns:
            before = self.sentences[index - 1].bounds() if index else None
            self._turns[index] = turns(self.sentences[index], self._lexicon, before[0] if before else None)
        return self._turns[index]

    def _standing(self, start: int, end: int, answer: str, question: str | None) -> Refusal | None:
        touched = self.sentences.touched(start, end)
        if any(leans(self.sentences[index], self._lexicon, start, end) for index in touched):
            return Refusal(Reason.NEEDS_CONTEXT, "context")
        listed = self._bare.is_bare(answer)
        if listed and self._was_asked(question):
            return None
        if listed or self._bare.sounds_bare(answer):
            return Refusal(Reason.NEEDS_QUESTION, "bare")
        return None

    def _fitness(self, answer: str, avoid: tuple[str, ...]) -> Refusal | None:
        return unfit(answer, avoid, self._lexicon)

    def _was_asked(self, question: str | None) -> bool:
        wanted = fold(question or "").alike().strip(" ?!.¿¡")
        return bool(wanted) and self._asked is not None and wanted in self._asked

    def covers_unknown(self, start: int, end: int) -> bool:
        """Whether a slice holds every word of each sentence that it touches and that there is no data for."""
        for index in self.sentences.touched(start, end):
            sentence = self.sentences[index]
            words = sentence.plain_words()
            if not words or (sentence.starts[words[0]] >= start and sentence.ends[words[-1]] <= end):
                continue
            if not self.known or other_script(sentence.words, self._lexicon.scripts):
                return False
        return True


def unfit(answer: str, avoid: tuple[str, ...], lexicon: Lexicon) -> Refusal | None:
    """Rule 6 of a text by itself."""
    if holds_secret(answer, lexicon):
        return Refusal(Reason.SECRET, "secret")
    if names_one(answer, avoid):
        return Refusal(Reason.NAMES_COUNTERPARTY, "names")
    return None


def _refused(refusal: Refusal, left: Place | None = None, better: str | None = None) -> Verdict:
    return Verdict(
        False,
        reason=refusal.reason,
        detail=detail(refusal.reason, refusal.rule),
        rule=refusal.rule,
        left_behind=left,
        nearest=better,
    )


refused = _refused
