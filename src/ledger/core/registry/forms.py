"""A key taken apart into words and their forms, and the lists that tell words apart.

Source: design, section 5. The lists are data (`ledger.packs`); the forms are rules of English and Spanish,
which leave words of other languages as they are.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

import regex

from ledger.core.registry.label import words


@dataclass(frozen=True, slots=True)
class Lists:
    """The words that tell labels apart, in small letters and without accents, and the letters that don't."""

    negators: frozenset[str]
    negators_at_the_end: frozenset[str]
    numbers: frozenset[str]
    prefixes: tuple[str, ...]
    suffixes: tuple[str, ...]
    opposites: Mapping[str, frozenset[str]]  # a word -> the words it is told apart from
    fillers: frozenset[str]
    joiners: frozenset[str]
    directions: frozenset[str]
    irregular_plurals: Mapping[str, str]  # plural -> singular
    no_plurals: frozenset[str]
    real_words: frozenset[str]  # words that lie one letter from another word
    look_alikes: Mapping[int, str]  # a letter (code point) -> the letter of its script that it is read as


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a label in the forms that are compared.

    As it is written it is told from every other word. Without accents, and with letters that look alike taken
    for one, it is looked up in the lists, and is similar to a word of the same form, never the same.
    """

    singular: str  # as it is written
    plain: str  # without accents, letters that look alike as one
    plain_singular: str
    stem: str
    undone: frozenset[
        str
    ]  # stems of what is left without a reversing prefix or suffix: "vaccin" of "unvaccinated"

    @staticmethod
    def of(word: str, lists: Lists) -> Word:
        plain = _plain(word, lists)
        bare = _singular(plain, lists)
        undone = [bare[len(prefix) :] for prefix in lists.prefixes if _begins(bare, prefix)]
        undone += [bare[: -len(suffix)] for suffix in lists.suffixes if bare.endswith(suffix)]
        return Word(
            _in_the_same_way(word, plain, bare),
            plain,
            bare,
            _stem(bare),
            frozenset(_stem(rest) for rest in undone if len(rest) > 2),
        )

    def reverses(self, other: Word, lists: Lists) -> bool:
        """Whether one says the opposite of the other."""
        return (
            other.plain in lists.opposites.get(self.plain, ())
            or other.stem in self.undone
            or self.stem in other.undone
        )


class Label:
    """A key by its words."""

    __slots__ = ("bag", "canon", "content", "directed", "may_be_near", "spelt", "words")

    def __init__(self, key: str, lists: Lists, known: dict[str, Word] | None = None) -> None:
        """`known` is a memory of words that many labels share."""
        known = {} if known is None else known
        written = words(key)
        self.words = [known.get(word) or known.setdefault(word, Word.of(word, lists)) for word in written]
        plain = [word.plain for word in self.words]
        singular = [word.singular for word in self.words]
        self.spelt = " ".join(written)
        self.canon = " ".join(singular)
        # What a reordering leaves as it is; joiners ("date of birth") count only where there is nothing else.
        self.bag = tuple(sorted(word for word in singular if word not in lists.joiners)) or tuple(singular)
        self.directed = not lists.directions.isdisjoint(plain)
        carrying = [word for word in self.words if word.plain not in lists.fillers] or self.words
        self.content = {word.singular: word for word in carrying}
        self.may_be_near = not (
            not lists.negators.isdisjoint(plain)
            or (len(plain) > 1 and plain[-1] in lists.negators_at_the_end)
            or not lists.numbers.isdisjoint(plain)
            or _NUMBERED.search(key)
        )


_NUMBERED = regex.compile(r"\p{N}|_[a-z]\Z")  # "vitamin_d" is one of several too
_WITH_ACCENTS = regex.compile(r"[\p{Latin}\p{Greek}\p{Cyrillic}]")  # elsewhere marks are letters
_VOWELS = frozenset("aeiou")


def _plain(word: str, lists: Lists) -> str:
    """The word without accents, and each letter as the one that it is read as. Source: UTS #39."""
    if word.isascii():
        return word
    if _WITH_ACCENTS.match(word):
        word = "".join(c for c in unicodedata.normalize("NFKD", word) if not unicodedata.combining(c))
    return word.translate(lists.look_alikes)


def _in_the_same_way(word: str, plain: str, bare: str) -> str:
    """The word with the change that makes `bare` of `plain`; as it is where the change is of a letter with an accent."""
    kept = next(
        (at for at, (one, other) in enumerate(zip(plain, bare, strict=False)) if one != other), len(bare)
    )
    gone = plain[kept:]
    if not gone or not word.endswith(gone):
        return word
    return word[: -len(gone)] + bare[kept:]


def _singular(word: str, lists: Lists) -> str:
    if word in lists.irregular_plurals:
        return lists.irregular_plurals[word]
    if (
        len(word) < 4
        or not word.endswith("s")
        or word in lists.no_plurals
        or word.endswith(("ss", "us", "is"))
    ):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    return word[:-2] if word.endswith(_PLURALS_IN_ES) else word[:-1]


_PLURALS_IN_ES = ("sses", "xes", "ches", "shes", "oes", "iones", "dades", "tades", "dores", "nales", "iales")


def _begins(word: str, prefix: str) -> bool:
    """ "a" reverses before a consonant only; before a vowel it would be "an"."""
    return word.startswith(prefix) and not (prefix == "a" and word[1:2] in _VOWELS)


def _stem(word: str) -> str:
    """What the forms of a word have in common, roughly: enough to put a topic up for choice, never to merge."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return word[:-1] if len(word) > 3 and word[-1] == word[-2] else word


_ENGLISH_ENDINGS = (
    "ing", "ed", "er", "or", "ion", "ation", "ition", "ional", "ment", "al", "ance", "ence", "ant", "ent", "able",
    "ible", "ure", "ive", "ate", "ated", "ating", "y", "e", "ee", "ly", "ness", "ity", "ist", "ism", "ship", "ful", "ous",
)  # fmt: skip
_SPANISH_ENDINGS = (
    "cion", "acion", "ando", "iendo", "ado", "ada", "ido", "ida", "ador", "adora", "ar", "er", "ir", "o", "a", "as", "an",
    "en", "es", "mente", "idad", "ante", "ente",
)  # fmt: skip
_ENDINGS = sorted({*_ENGLISH_ENDINGS, *_SPANISH_ENDINGS}, key=lambda ending: (-len(ending), ending))
