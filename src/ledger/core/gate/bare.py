"""Rule 5, bare answers: a yes, a no or a pointer means nothing without its question.

A bare answer is made of one to four of the forms on a closed list ("no", "not really", "the same"), and SQL tells it by the same list in
the same way (ledger.is_bare), so that it finds every stored one. `sounds_bare` is wider: of any number of them, however typed. What only
sounds bare is refused, so nothing bare is ever stored that SQL would not find.

Source: DESIGN section 6, rule 5, and section 5 (changing a question).
"""

from __future__ import annotations

import re
import string
import unicodedata
from collections.abc import Iterable

from ledger.core.language import Language, Lexicon
from ledger.core.phrases import SPACELESS, PhraseIndex, Words
from ledger.core.text import fold

PARTS = 4  # forms that a bare answer is made of at most: "oh no, not really"
_DROPPED = ".,;:!?¡¿…'’‘\"“”`´()[]-–—"
_BLANK = "、，。"
_LOWER = str.maketrans(string.ascii_uppercase + _BLANK, string.ascii_lowercase + " " * len(_BLANK), _DROPPED)
_APART = re.compile(f"([{SPACELESS}])")
_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_LISTS = ("fillers", "yes", "no", "yes_tails", "no_tails", "pointers")
_WORD = re.compile(rf"[{SPACELESS}]|[^\W{SPACELESS}]+(?:['-][^\W{SPACELESS}]+)*|[👍👎]")


def narrow(text: str) -> str:
    """The form in which bare answers are compared, here and in SQL (ledger.narrow).

    ASCII letters in lower case, ordinary punctuation dropped, letters of scripts without spaces apart, runs of ASCII white space as one
    space, none at the ends.
    """
    plain = text.translate(_LOWER)
    if not plain.isascii():
        plain = _APART.sub(r" \1 ", plain)
    return _SPACE.sub(" ", plain).strip(" ")


def forms(language: Language) -> frozenset[str]:
    """What bare answers of a language are made of, in narrow form, with letters beyond ASCII small, large, and large at the start."""
    return frozenset(
        form
        for name in _LISTS
        for words in language.spelt("bare", name)
        for form in _cases(narrow(" ".join(words)))
    )


def _cases(form: str) -> Iterable[str]:
    """What people type; each is narrowed once more, since title case makes ASCII letters large too."""
    return (
        {form} if form.isascii() else set(map(narrow, (form, form.upper(), form.capitalize(), form.title())))
    )


class BareWords:
    """What answers are made of that mean nothing alone, in the languages of a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self._forms = frozenset[str]().union(*map(forms, lexicon.languages)) - {""}
        self._lengths: dict[
            str, tuple[int, ...]
        ] = {}  # of the forms that start with a word, the longest first
        for form in self._forms:
            first, *others = form.split(" ")
            self._lengths[first] = tuple(
                sorted({*self._lengths.get(first, ()), len(others) + 1}, reverse=True)
            )
        self.listed = tuple(sorted(self._forms))
        self._any = PhraseIndex((phrase, None) for name in _LISTS for phrase in lexicon.phrases("bare", name))

    def is_bare(self, answer: str) -> bool:
        """Whether the answer is made of forms on the closed list, the longest taken first."""
        words = narrow(answer).split(" ")
        at = 0
        for _ in range(PARTS):
            for length in self._lengths.get(words[at], ()):
                if at + length <= len(words) and " ".join(words[at : at + length]) in self._forms:
                    at += length
                    break
            else:
                return False
            if at == len(words):
                return True
        return False

    def sounds_bare(self, answer: str) -> bool:
        """Whether it is made of such words alone, however it is typed."""
        folded = smooth(answer)
        first = _WORD.search(folded)
        if first and first[0][0].isalnum() and first[0] not in self._any.firsts:
            return False  # told by the first word, as of most answers
        words = words_of(folded)
        if not any(word[0].isalnum() for word in words):
            return True  # a thumb or a face says no more than yes or no
        return self.are_forms(words)

    def are_forms(self, words: Words) -> bool:
        """Whether words, as `words_of` gives them, are made of such forms and nothing else."""
        at = 0
        while at < len(words):
            length = self._any.match(words, at)
            if not length:
                return False
            at += length
        return True

    def form_at(self, words: Words, at: int) -> int:
        """How many words the longest form takes that starts there; 0 for none."""
        return self._any.match(words, at)


def words_of(text: str) -> Words:
    """The words of a smooth text, without its marks; a thumb is one."""
    return tuple(_WORD.findall(text))


def smooth(text: str) -> str:
    return fold(unicodedata.normalize("NFKC", text)).text
