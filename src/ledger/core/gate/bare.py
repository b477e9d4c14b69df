"""Rule 5, bare answers: a yes, a no or a pointer means nothing without its question.

The list is closed twice over. `is_bare` accepts what `forms` holds, and `forms` is finite, so that SQL finds every stored bare answer by
`narrow(answer) = any(forms)`. `sounds_bare` is wider: whatever is made of such words alone. What sounds bare and is not on the list is
refused, so nothing bare is ever stored that SQL would not find.

Source: DESIGN section 6, rule 5, and section 5 (changing a question).
"""

from __future__ import annotations

import re
import string
import unicodedata
from itertools import product

from ledger.core.language import Language, Lexicon
from ledger.core.phrases import SPACELESS, PhraseIndex, Words
from ledger.core.text import fold

_DROPPED = ".,;:!?¡¿…'’‘\"“”`´()[]-–—"
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase, _DROPPED)
_SPACE = re.compile(r"[ \t\n\r\f\v]+")
_LATIN, _CYRILLIC = re.compile("[a-z]"), re.compile("[\u0400-\u04ff]")
_MIXED = 2  # letters beyond ASCII up to which every mix of upper and lower case is listed
_WORD = re.compile(rf"[{SPACELESS}]|[^\W{SPACELESS}]+(?:['-][^\W{SPACELESS}]+)*|[👍👎]")


def narrow(text: str) -> str:
    """The form in which bare answers are compared, here and in SQL.

    ASCII letters in lower case, ordinary punctuation dropped, runs of ASCII white space as one space, none at the ends.
    """
    return _SPACE.sub(" ", text.translate(_LOWER)).strip(" ")


def forms(language: Language) -> frozenset[str]:
    """Every bare answer of a language in narrow form, in each mix of upper and lower case of its letters beyond ASCII."""
    fillers = language.spelt("bare", "fillers")
    found: set[tuple[Words, ...]] = {(pointer,) for pointer in language.spelt("bare", "pointers")}
    for polarity in ("yes", "no"):
        words = language.spelt("bare", polarity)
        tails = language.spelt("bare", polarity + "_tails")
        found.update(product(words))
        found.update(product(tails))
        found.update(product(fillers, words))
        found.update(product(words, tails))
        if language.spaceless:
            continue  # each of them is written in several ways already
        found.update(product(fillers, words, tails))
        found.update(product(tails, words))
        found.update(product(words, words))
        found.update((word, word, word) for word in words)
    return frozenset(
        form
        for parts in found
        for text in _written(parts, language.spaceless)
        if not _is_mixed(text)
        for form in _cases(narrow(text))
    )


def _written(parts: tuple[Words, ...], spaceless: bool) -> tuple[str, ...]:
    if not spaceless:
        return (" ".join(word for part in parts for word in part),)
    # Full-width marks are none of those that are dropped for comparing.
    joined = {mark.join("".join(part) for part in parts) for mark in ("", "、", "，", " ")}
    return tuple(text + end for text in sorted(joined) for end in ("", "。"))


def _is_mixed(text: str) -> bool:
    """Whether a form has letters of two alphabets, as nobody types it: forms of a language in two scripts are made word by word."""
    return not text.isascii() and _CYRILLIC.search(text) is not None and _LATIN.search(text) is not None


def _cases(form: str) -> list[str]:
    if form.isascii() or form.upper().translate(_LOWER) == form:
        return [form]  # no letter but those that are in lower case already, or have none
    if sum(not char.isascii() and char != char.upper() for char in form) > _MIXED:
        # Of other alphabets what people type: small, large, and large at the start, of the answer or of each word.
        return list(dict.fromkeys((form, form.upper(), form[0].upper() + form[1:], form.title())))
    choices = [(char,) if char.isascii() else tuple(dict.fromkeys((char, char.upper()))) for char in form]
    return (
        ["".join(chars) for chars in product(*choices)] if all(len(c[-1]) == 1 for c in choices) else [form]
    )


class BareWords:
    """What answers are made of that mean nothing alone, in the languages of a lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        def table(*names: str) -> PhraseIndex[None]:
            return PhraseIndex((phrase, None) for name in names for phrase in lexicon.phrases("bare", name))

        self._forms = frozenset[str]().union(*map(forms, lexicon.languages))
        self.listed = tuple(sorted(self._forms))
        self._any = table("fillers", "yes", "no", "yes_tails", "no_tails", "pointers")
        self._yes, self._no = table("yes", "yes_tails", "still"), table("no", "no_tails", "changed")

    def is_bare(self, answer: str) -> bool:
        """Whether the answer is on the closed list."""
        return narrow(answer) in self._forms

    def sounds_bare(self, answer: str) -> bool:
        """Whether it is made of such words alone, however it is typed."""
        folded = _folded(answer)
        first = _WORD.search(folded)
        if first and first[0][0].isalnum() and first[0] not in self._any.firsts:
            return False  # told by the first word, as of most answers
        words = tuple(_WORD.findall(folded))
        if not any(word[0].isalnum() for word in words):
            return True  # a thumb or a face says no more than yes or no
        at = 0
        while at < len(words):
            length = self._any.match(words, at)
            if not length:
                return False
            at += length
        return True

    def polarity(self, text: str) -> bool | None:
        """Whether a text says yes (True), no (False), or neither or both (None)."""
        said: set[bool] = set()
        words = _words(text)
        at = 0
        while at < len(words):
            yes, no = self._yes.match(words, at), self._no.match(words, at)
            if yes or no:
                said.add(yes > no)
            at += max(yes, no, 1)
        return said.pop() if len(said) == 1 else None


def _words(text: str) -> Words:
    return tuple(_WORD.findall(_folded(text)))


def _folded(text: str) -> str:
    return fold(unicodedata.normalize("NFKC", text)).text
