"""Phrases of a language file: how they are written, the forms they stand for, and how they are found in a sentence.

A phrase is written with one space between its words; each word may be a choice (`stop|stopped`), a reference to a named list of the
same language (`@person`), and optional (`@quality?`). `#` stands for any number. What follows a `~` has to follow and is not part of
the phrase; nor is a first word before `~`, which has to stand in front. A phrase of one word may be a pattern: `x*` are all words that start so, `*x` those that end so, `*x*` those that hold it.
Words are in folded form: lower case, straight apostrophes. docs/guides/add-a-language.md is the guide to it.

Source: DESIGN section 6, rules 3 to 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Generic, NamedTuple, TypeVar

from ledger.core.text import fold

T = TypeVar("T")
Words = tuple[str, ...]
Slot = frozenset[str]

SPACELESS_SCRIPTS = [
    "Han",
    "Hiragana",
    "Katakana",
    "Thai",
    "Lao",
    "Khmer",
    "Myanmar",
]  # written without spaces: a word is a character
# Letters and marks of these scripts, as ranges for a pattern: kana, ideographs with their repetition marks, half-width kana; Thai to Khmer.
SPACELESS = "\u3005-\u3007\u3041-\u309f\u30a0-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U000323af\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_SPACELESS_ONE = re.compile(f"[{SPACELESS}]")


class BadPhrase(ValueError):
    """A phrase that is not written as it should be; says why, in our words."""


class Phrase(NamedTuple):
    """For each word its choices. The first `length` of them without the first `skip` are the phrase; the others only have to be there."""

    words: tuple[Slot, ...]
    length: int
    skip: int = 0


class Spelling:
    """How the words of one language may be typed: as they are written in its file, and as its `spellings` make of that.

    Each table of `spellings` gives one further form of a word: accents left out ("não", "nao"), letters written in two ("ü", "ue"),
    another script ("ne", "не").
    """

    def __init__(self, tables: Iterable[Mapping[str, str]] = ()) -> None:
        self._tables = [(dict(table), _longest_first(table)) for table in tables]

    def forms(self, word: str) -> frozenset[str]:
        """A word in all its spellings."""
        found = {word}
        for table, pattern in self._tables:
            found.add(pattern.sub(lambda match, table=table: table[match[0]], word))  # type: ignore[misc]
        return frozenset(found)


def _longest_first(table: Mapping[str, str]) -> re.Pattern[str]:
    return re.compile("|".join(re.escape(key) for key in sorted(table, key=len, reverse=True)) or r"(?!)")


class Notation:
    """Reads the phrases of one language: with its named lists, and in all its spellings."""

    def __init__(self, named: Mapping[str, Sequence[str]], spelling: Spelling) -> None:
        self._named = named
        self._spelling = spelling
        self._lists: dict[str, list[tuple[Slot, ...]]] = {}  # the named lists that were expanded
        self._met: dict[str, list[tuple[Slot, ...]]] = {}  # the written words that were
        self._opened: set[str] = set()

    def expand(self, phrase: str) -> list[Phrase]:
        """The forms of a phrase as it is written: one for each way to leave out what is optional and to take longer list items.

        A word of a script without spaces is one word a character. Raises BadPhrase.
        """
        written = phrase.split(" ")
        behind = written[0].endswith("~")
        first = next((at for at, word in enumerate(written) if word.startswith("~")), len(written))
        ahead = len(written) - first  # words that have to follow
        if ahead:
            written[first] = written[first].removeprefix("~")
        written[0] = written[0].removesuffix("~")
        slots = [self._choices(word) for word in written]
        if any(len(form) != 1 for slot in (*slots[first:], *slots[: int(behind)]) for form in slot):
            raise BadPhrase("what ~ parts from the phrase are single words, none of them optional")
        forms = [tuple(word for part in parts for word in part) for parts in product(*slots)]
        found = [Phrase(form, len(form) - ahead, int(behind)) for form in forms if form]
        if "*" in phrase and any(
            is_pattern(word) for form in found if len(form.words) > 1 for slot in form.words for word in slot
        ):
            raise BadPhrase("a pattern with * stands alone, in a phrase of one word")
        return found

    def _choices(self, word: str) -> list[tuple[Slot, ...]]:
        """What may stand in the place of one written word."""
        found = self._met.get(word)
        if found is None:
            found = self._met[word] = self._forms_of(word)
        return found

    def _forms_of(self, word: str) -> list[tuple[Slot, ...]]:
        optional = len(word) > 1 and word.endswith("?")
        words: set[str] = set()
        forms: list[tuple[Slot, ...]] = []
        for choice in (word[:-1] if optional else word).split("|"):
            if choice.startswith("@"):
                for form in self._list(choice[1:]):
                    if len(form) == 1:
                        words |= form[0]
                    else:
                        forms.append(form)
            elif not choice:
                raise BadPhrase("a word is empty: one space between words, one | between choices")
            elif "~" in choice:
                raise BadPhrase(
                    "~ stands before the first word that has to follow, or behind the first of all"
                )
            elif not _is_folded(choice):
                raise BadPhrase(f"{choice!r} is not in folded form: {fold(choice).text!r}")
            elif len(choice) > 1 and _SPACELESS_ONE.match(choice):
                forms.append(tuple(self._spelling.forms(char) for char in choice))
            else:
                words |= self._spelling.forms(choice)
        if words:
            forms.append((frozenset(words),))
        return [*forms, ()] if optional else forms

    def _list(self, name: str) -> list[tuple[Slot, ...]]:
        if name not in self._lists:
            if name not in self._named:
                raise BadPhrase(f"@{name} names no list of [lists]")
            if name in self._opened:
                raise BadPhrase(f"@{name} names itself")
            self._opened.add(name)
            items = self._named[name]
            if any("*" in item for item in items):
                raise BadPhrase(f"@{name} holds a pattern with *, which stands in lists of cues alone")
            self._lists[name] = [form.words for item in items for form in self.expand(item)]
        return self._lists[name]


def expand(phrase: str, named: Mapping[str, Sequence[str]]) -> list[Phrase]:
    """The forms of one phrase, as it is spelt."""
    return Notation(named, Spelling()).expand(phrase)


def _is_folded(word: str) -> bool:
    if word.isascii() and word.isalnum():
        return word == word.lower()
    return fold(word).text == word


def is_pattern(word: str) -> bool:
    """Whether a word stands for all that start so, end so, or hold it."""
    return len(word) > 1 and "*" in (word[0], word[-1])


def as_regex(pattern: str) -> str:
    """A pattern of a language file as a regular expression, to be searched for in a word."""
    inside = re.escape(pattern.strip("*"))
    return ("" if pattern.startswith("*") else r"\A") + inside + ("" if pattern.endswith("*") else r"\Z")


class _Node(Generic[T]):
    """Phrases that start with the same words: those that end there, and the longer ones by the next word."""

    __slots__ = ("ending", "longer", "nodes")

    def __init__(self, phrases: Sequence[tuple[Phrase, T]], depth: int) -> None:
        self.ending: list[tuple[int, T]] = []
        self.longer: dict[str, list[tuple[Phrase, T]]] = {}
        self.nodes: dict[str, _Node[T]] = {}
        for entry in phrases:
            phrase, value = entry
            if len(phrase.words) == depth:
                self.ending.append((phrase.length, value))
                continue
            for word in phrase.words[depth]:
                self.longer.setdefault(word, []).append(entry)


class PhraseIndex(Generic[T]):
    """Phrases, each with what it stands for, found word by word, however many start alike.

    What starts with some words is sorted by the next when a text first has them, since most words of the lists are never met.
    """

    def __init__(self, phrases: Iterable[tuple[Phrase, T]]) -> None:
        self.firsts: dict[str, list[tuple[Phrase, T]]] = {}
        for entry in phrases:
            for first in entry[0].words[0]:
                self.firsts.setdefault(first, []).append(entry)
        self._met: dict[str, _Node[T]] = {}

    def in_none(self, tokens: Iterable[str]) -> bool:
        """Whether no phrase starts with any of the tokens."""
        return self.firsts.keys().isdisjoint(tokens)

    def find(self, tokens: Sequence[str], at: int) -> list[tuple[int, T]]:
        """What starts at a token, the longest phrase first, with how many tokens each takes."""
        if at >= len(tokens) or tokens[at] not in self.firsts:
            return []
        first = tokens[at]
        node = self._met.get(first)
        if node is None:
            node = self._met[first] = _Node(self.firsts[first], 1)
        found, start = node.ending, at
        while node.longer:
            at += 1
            if at == len(tokens) or tokens[at] not in node.longer:
                break
            following = node.nodes.get(tokens[at])
            if following is None:
                following = node.nodes[tokens[at]] = _Node(node.longer[tokens[at]], at - start + 1)
            node = following
            if node.ending:
                found = node.ending + found
        return found

    def match(self, tokens: Sequence[str], at: int) -> int:
        """How many tokens the longest phrase takes that starts at a token; 0 for none."""
        found = self.find(tokens, at)
        return found[0][0] if found else 0
