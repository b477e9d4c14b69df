"""What somebody says to "is that still so?": yes, no, both or nothing.

Their words about it decide ("still right", "not any more"), wherever they stand; a yes or a no only where it is an answer. For "no" is also a
word like others ("yes, no pets"), and "I don't" the start of any statement ("yes, I don't smoke").

Source: DESIGN section 8, reconfirmations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from ledger.core.gate.bare import BareWords, smooth, words_of
from ledger.core.language import Lexicon
from ledger.core.phrases import PhraseIndex, Words

_MARKS = re.compile(r"[.…,;:!?()\n\f—–、，。！？؟،।]+|\s-\s")


class Polarity:
    """The words of the languages of a lexicon that say whether something is still so."""

    def __init__(self, lexicon: Lexicon, bare: BareWords) -> None:
        def table(*names: str) -> PhraseIndex[None]:
            return PhraseIndex((phrase, None) for name in names for phrase in lexicon.phrases("bare", name))

        self._bare = bare
        self._about = table("still"), table("changed")
        self._answers = table("yes", "yes_tails"), table("no", "no_tails")

    def said(self, text: str) -> frozenset[bool]:
        """True where a text says that it is still so, False where it says that it is not, both or neither."""
        parts = [words for part in _MARKS.split(smooth(text)) if (words := words_of(part))]
        return frozenset(sign for n, words in enumerate(parts) for sign in self._signs(words, begins=n == 0))

    def _signs(self, words: Words, *, begins: bool) -> Iterator[bool]:
        """Those of a part between two marks. An answer is what begins the text, ends a part, or is the whole of it."""
        whole = self._bare.are_forms(words)
        at = 0
        while at < len(words):
            still, changed = (table.match(words, at) for table in self._about)
            yes, no = (table.match(words, at) for table in self._answers)
            about, answer = max(still, changed), max(yes, no)
            if about and about >= answer:
                yield still > changed
            elif yes != no and (whole or begins or at + answer == len(words)):
                yield yes > no
            begins = begins and (answer > 0 or self._bare.form_at(words, at) > 0)
            at += max(about, answer, 1)
