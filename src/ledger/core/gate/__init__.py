"""The gate: the answer is the person's own words, and they still mean what they meant.

    gate = Gate(languages)
    verdict = gate.judge(message, span, question="Do you smoke?", asked="Hi! Do you smoke?")

A verdict depends on its arguments and the language data alone, and none raises, whatever the text. What can't be decided is refused.
Rules, a module each: locate, sentences (what a sentence is), scope, question, voice, context, bare, secret, names; nearest.

Source: DESIGN section 6.
"""

from __future__ import annotations

from collections.abc import Iterable

from ledger.core.gate.bare import BareWords, narrow
from ledger.core.gate.details import LONGEST
from ledger.core.gate.reading import Reading, Refusal, refused, unfit
from ledger.core.gate.spoken import Ear
from ledger.core.language import Languages
from ledger.core.model import Reason, Verdict
from ledger.core.text import fold, has_substance

__all__ = ["LONGEST", "Gate", "Reading", "narrow"]


class Gate:
    """The gate with the data of some languages. Immutable; share one between threads."""

    def __init__(self, languages: Languages) -> None:
        self._languages = languages
        self._everything = languages.everything()
        self._bare = BareWords(self._everything)
        self._ear = Ear(languages)

    def read(self, message: str, lang: str | None = None, asked: str | None = None) -> Reading:
        """Take up a message for judging spans of it.

        `lang` is a BCP 47 hint; without it the data of every language apply that the message may be in. `asked` is the text of the last
        turn before the message.
        """
        folded = fold(message)
        if lang is not None:
            hinted = self._languages.of_tag(lang)
            return Reading(
                message, folded, (hinted or self._everything,), hinted is not None, self._bare, asked
            )
        languages, known = self._ear.spoken(message, folded)
        lexicons = tuple(map(self._languages.alone, languages)) or (self._everything,)
        return Reading(message, folded, lexicons, known, self._bare, asked)

    def judge(
        self,
        message: str,
        span: str,
        *,
        question: str | None = None,
        asked: str | None = None,
        avoid: Iterable[str] = (),
        lang: str | None = None,
    ) -> Verdict:
        """Judge one span of a message; see Reading.judge."""
        return self.read(message, lang, asked).judge(span, question, tuple(avoid))

    def is_bare(self, answer: str) -> bool:
        """Whether an answer is on the closed list of those that mean nothing without their question."""
        return self._bare.is_bare(answer)

    def bare_forms(self) -> tuple[str, ...]:
        """The closed list in narrow form, sorted: for SQL, which finds every stored bare answer by it."""
        return self._bare.listed

    def polarity(self, text: str) -> bool | None:
        """Whether a message or span says yes (True), no (False), or neither or both (None)."""
        return self._bare.polarity(text)

    def fit(self, text: str, avoid: Iterable[str] = ()) -> Verdict:
        """Length and rule 6 alone: for what the principal writes himself in place of an answer."""
        if not has_substance(text):
            return refused(Refusal(Reason.TOO_SHORT, "words"))
        if len(text) > LONGEST:
            return refused(Refusal(Reason.TOO_LONG, "words"))
        refusal = unfit(text, tuple(avoid), self._everything)
        if refusal:
            return refused(refusal)
        return Verdict(True, answer=text, start=0, bare=self._bare.is_bare(text))
