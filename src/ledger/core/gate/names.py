"""Rule 6, names: nothing that tells which counterparty the principal was talking to.

Source: DESIGN section 6, rule 6.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

import regex

from ledger.core.phrases import Words
from ledger.core.text import fold

_WORD = regex.compile(r"[\p{L}\p{N}]+")
_SPACELESS = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]"
)
_INITIAL = regex.compile(r"(?<!\p{L})(?:\p{Lu}(?!\p{L})|\p{Ll}\.)")  # a letter that stands for a name
# Endings that names take in languages with cases, behind the name without its last vowel: "Marko", "Marka", "Markom".
_VOWELS = "aeioуеаоию"
_ENDINGS = frozenset(
    [
        "a",
        "e",
        "i",
        "o",
        "u",
        "om",
        "em",
        "ov",
        "ova",
        "ovi",
        "у",
        "а",
        "е",
        "и",
        "о",
        "ом",
        "ем",
        "ов",
        "ова",
    ]
)
_LONGEST_ENDING = max(map(len, _ENDINGS))
_SHORTEST_STEM = 4  # letters; with fewer, what is left of a name is too many other words


class _Index(NamedTuple):
    """Names by their first word, and by that of their forms with initials; what is left of those of one word without its ending; those of
    spaceless scripts."""

    first: dict[str, list[Words]]
    initials: dict[str, list[Words]]
    stems: frozenset[str]
    anywhere: tuple[str, ...]


class Names:
    """Names to avoid, made ready for any number of texts. Immutable.

    It lasts as long as whoever made it keeps it: a deployment's as long as the deployment, a caller's as long as the call. There is
    no memory of names behind it: they are those of counterparties.
    """

    __slots__ = ("_indexes",)

    def __init__(self, names: Iterable[str] = ()) -> None:
        given = tuple(names)
        self._indexes: tuple[_Index, ...] = (_index(given),) if given else ()

    @classmethod
    def of(cls, names: Names | Iterable[str]) -> Names:
        """Those given, made ready if they are not yet."""
        return names if isinstance(names, Names) else cls(names)

    def and_(self, more: Iterable[str]) -> Names:
        """These and some more. These are not made ready again, however many they are."""
        both = Names(more)
        both._indexes += self._indexes
        return both

    def __bool__(self) -> bool:
        return bool(self._indexes)

    def one_in(self, text: str) -> bool:
        """Whether one of them stands in a text: as whole words, in any case, accent, spacing or inflection ("Marta's", "Martom").

        A name of several words stands there with initials, too ("M. Ruiz", "Marta R."). In scripts written without spaces it is
        enough that it stands there at all.
        """
        if not self._indexes:
            return False
        words = _words(text)
        return any(_one_in(index, text, words) for index in self._indexes)


def _one_in(index: _Index, text: str, words: Words) -> bool:
    initials = index.initials if index.initials and _INITIAL.search(text) else {}
    for at, word in enumerate(words):
        for start in {word, word.removesuffix("s")}:
            found = (*index.first.get(start, ()), *initials.get(start, ()))
            if any(_stands(words, at, name) for name in found):
                return True
        if index.stems and any(
            word[-size:] in _ENDINGS and word[:-size] in index.stems
            for size in range(1, min(_LONGEST_ENDING, len(word) - 1) + 1)
        ):
            return True
    joined = "".join(words)
    return any(name in joined for name in index.anywhere)


def _stands(words: Words, at: int, name: Words) -> bool:
    end = at + len(name)
    return (
        end <= len(words)
        and words[at + 1 : end - 1] == name[1:-1]
        and words[at] in (name[0], name[0] + "s" * (len(name) == 1))
        and words[end - 1] in (name[-1], name[-1] + "s")
    )


def _index(avoid: tuple[str, ...]) -> _Index:
    first: dict[str, list[Words]] = {}
    initials: dict[str, list[Words]] = {}
    stems: set[str] = set()
    anywhere: list[str] = []
    for name in avoid:
        words = _words(name)
        if not words:
            continue
        joined = "".join(words)
        for form in {words, (joined,)}:
            first.setdefault(form[0], []).append(form)
        for form in _with_initials(words):
            initials.setdefault(form[0], []).append(form)
        stem = joined[:-1] if joined[-1] in _VOWELS else joined
        if len(words) == 1 and len(stem) >= _SHORTEST_STEM:
            stems.add(stem)
        if _SPACELESS.search(joined):
            anywhere.append(joined)
    return _Index(first, initials, frozenset(stems), tuple(anywhere))


def _with_initials(name: Words) -> list[Words]:
    """A name of several words with all of them but the last, or but the first, cut to their first letters."""
    if len(name) == 1 or min(map(len, name)) == 1:
        return []
    letters = [word[0] for word in name]
    return [(*letters[:-1], name[-1]), (name[0], *letters[1:])]


def _words(text: str) -> Words:
    """Words without case, accents, compatibility forms and invisible characters."""
    bare = fold(unicodedata.normalize("NFKC", text)).text
    if not bare.isascii():
        bare = "".join(char for char in unicodedata.normalize("NFD", bare) if not unicodedata.combining(char))
    return tuple(_WORD.findall(bare))
