"""The gate: the answer is the person's own words, and they still mean what they meant.

    gate = Gate(languages)
    verdict = gate.judge(message, span, question="Do you smoke?", asked="Hi! Do you smoke?")

A verdict depends on its arguments and the language data alone, and none raises, whatever the text. What can't be decided is refused.
`rules` lists what a span has to pass where it stands; what they look at has a module each.

Source: DESIGN section 6.
"""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy

from ledger.core.gate.bare import BareWords, narrow
from ledger.core.gate.details import LONGEST
from ledger.core.gate.names import Names
from ledger.core.gate.polarity import Polarity
from ledger.core.gate.reading import Reading
from ledger.core.gate.refusal import Refusal, refused
from ledger.core.gate.rules import NAMES
from ledger.core.gate.second import SecondOpinion
from ledger.core.gate.secret import holds_secret
from ledger.core.gate.spoken import Ear
from ledger.core.language import Languages
from ledger.core.model import Reason, Verdict
from ledger.core.text import fold, has_substance

__all__ = ["LONGEST", "Gate", "Names", "Reading", "SecondOpinion", "narrow"]


class Gate:
    """The gate with the data of some languages. Immutable; share one between threads.

    `second` is asked about every span that would pass, and can only refuse it.
    """

    def __init__(self, languages: Languages, second: SecondOpinion | None = None) -> None:
        self._languages = languages
        self._everything = languages.everything()
        self._bare = BareWords(self._everything)
        self._polarity = Polarity(self._everything, self._bare)
        self._ear = Ear(languages)
        self._second = second
        self._without: frozenset[str] = frozenset()

    def without(self, *rules: str) -> Gate:
        """The same gate without some rules, to measure what each buys and costs. Raises ValueError for a rule that there is none of."""
        if not NAMES.issuperset(rules):
            raise ValueError("a rule to leave out that is none")
        gate = copy(self)
        gate._without = frozenset(rules)
        return gate

    def read(self, message: str, lang: str | None = None, asked: str | None = None) -> Reading:
        """Take up a message for judging spans of it.

        `lang` is a BCP 47 hint; without it the data of every language apply that the message may be in. `asked` is the text of the last
        turn before the message.
        """
        folded, alike = fold(message), 1
        if lang is not None:
            hinted = self._languages.of_tag(lang)
            known, lexicons = hinted is not None, [hinted or self._everything]
            if hinted:
                lexicons += map(self._languages.alone, self._ear.beside(message, folded, hinted.languages[0]))
        else:
            languages, known, alike = self._ear.spoken(message, folded)
            lexicons = [self._languages.alone(language) for language in languages] or [self._everything]
        return Reading(
            message,
            folded,
            tuple(lexicons),
            known,
            self._bare,
            asked,
            self._without,
            alike=alike,
            second=self._second,
        )

    def judge(
        self,
        message: str,
        span: str,
        *,
        question: str | None = None,
        asked: str | None = None,
        avoid: Names | Iterable[str] = (),
        lang: str | None = None,
    ) -> Verdict:
        """Judge one span of a message; see Reading.judge."""
        return self.read(message, lang, asked).judge(span, question, avoid)

    def is_bare(self, answer: str) -> bool:
        """Whether an answer is made of the closed list of forms that mean nothing without their question."""
        return self._bare.is_bare(answer)

    def bare_forms(self) -> tuple[str, ...]:
        """The closed list, in narrow form, of what bare answers are made of, sorted: for SQL, which tells them by it."""
        return self._bare.listed

    def polarity(self, text: str) -> frozenset[bool]:
        """What a text says to "is that still so?": True for yes, False for no; both, or neither.

        What stands under a condition, or is wished or not meant, says both: it renews nothing and takes nothing back.
        """
        if self.read(text).is_unsettled():
            return frozenset({True, False})
        return self._polarity.said(text)

    def fit(self, text: str, avoid: Names | Iterable[str] = ()) -> Verdict:
        """Length and rule 6 alone: for what the principal writes himself in place of an answer."""
        if not has_substance(text):
            return refused(Refusal(Reason.TOO_SHORT, "words"))
        if len(text) > LONGEST:
            return refused(Refusal(Reason.TOO_LONG, "length"))
        if holds_secret(text, self._everything):
            return refused(Refusal(Reason.SECRET, "secret"))
        if Names.of(avoid).one_in(text):
            return refused(Refusal(Reason.NAMES_COUNTERPARTY, "names"))
        return Verdict(True, answer=text, start=0, bare=self._bare.is_bare(text))
