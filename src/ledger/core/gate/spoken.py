"""Which languages a message may be in, as its letters and words tell.

Without a hint the data of every language apply that the message may be in, and a span has to pass under each of them. The best of them is
the one that most words tell. Another one applies too where it explains what the best does not: a word that turns meanings ("nicht"),
or two others. So one word too many makes a refusal, and none too few lets a lie through.

Source: DESIGN section 6 ("without it all data of the message's script apply together"; "in a language without data").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ledger.core.gate.script import letters_by_script, spaceless_letters
from ledger.core.language import Language, Languages
from ledger.core.phrases import Phrase, is_pattern
from ledger.core.text import Folded

_FEW = 5  # words; with fewer a message tells nothing of its language
_SHORT = 200  # code points; a longer message of no word that tells a language is in none
_MOST = 3  # languages that a long message may be in; of 1,300 that people wrote one was in so many
_SHARE = 0.3  # of the words of a message that the best language has to explain; of English chat nearly always half are
_NEIGHBOUR = 4  # words of the best language for each word, and letter, that is of a neighbour without data
_BINDING = frozenset(
    {"clause", "particle", "sentence", "structure"}
)  # tables of words that hold sentences together
_BITS = 16  # of a field: a message of 64 KiB has less than 65,536 words
_COUNT = (1 << _BITS) - 1
_UNEXPLAINED = 2  # words that another language explains and the best does not
# Words are compared as bytes: a long message is cut into them several times faster so.
_ASCII_MARKS = b'.,;:!?()[]{}"/\\*_~<>|=+'
_SPACES = bytes.maketrans(_ASCII_MARKS, b" " * len(_ASCII_MARKS))
_DIGIT = re.compile(rb"[0-9]")
_MARKS = frozenset("…—¿¡。！？、，；：؟،؛「」『』")
_ANY_MARK = re.compile("[" + "".join(sorted(_MARKS)) + "]")
_LATIN_LETTERS = frozenset(char for char in map(chr, range(0xC0, 0x250)) if char.islower())
_ASCII = re.compile(r"[\x00-\x7f]+")


class Spoken(NamedTuple):
    """The languages that apply, the likeliest first; `known` is whether the message may be in them at all.

    The first `alike` of them are as likely as each other.
    """

    languages: tuple[Language, ...]
    known: bool
    alike: int = 1


class Ear:
    """Tells the languages of messages. Immutable."""

    def __init__(self, languages: Languages) -> None:
        self._scripts = languages.scripts
        self._of_script = {script: languages.of_script(script) for script in self._scripts}
        self._all = languages.all
        # The languages of a word as one number with a field for each, so that a sum counts the words of all at once.
        self._by_word: dict[bytes, int] = {}
        self._shift = {language.code: _BITS * at for at, language in enumerate(languages.all)}
        foreign = {_coded(word) for language in languages.all for word in language.foreign}
        self._turning = {language.code: _turning_words(language) for language in languages.all}
        for language in languages.all:
            for word in map(_coded, _words_of(language)):
                self._by_word[word] = self._by_word.get(word, 0) | 1 << self._shift[language.code]
        self._known = frozenset(self._by_word)
        self._foreign = frozenset(foreign) - self._known
        self._letters = frozenset(b"".join(self._known).decode("utf-8", "surrogatepass"))

    def spoken(self, message: str, folded: Folded) -> Spoken:
        """The languages that a message may be in."""
        counts = letters_by_script(message, self._scripts)
        script, letters = max(counts.items(), key=lambda item: item[1], default=("", 0))
        if not letters:
            return Spoken(self._all[:1], known=True)  # without letters any does
        languages = self._of_script.get(script, ())
        beyond = frozenset() if message.isascii() else frozenset(_ASCII.sub("", folded.text))
        if beyond:
            languages = tuple(each for each in languages if each.never.isdisjoint(beyond))
        if not languages:
            return Spoken((), known=False)
        words = _words(folded.text, beyond)
        told = words & self._known
        codes = [language.code for language in languages]
        total = sum(map(self._by_word.__getitem__, told))
        counted = {code: total >> self._shift[code] & _COUNT for code in codes}
        most = max(counted.values())
        foreign = len(words & self._foreign) + len(beyond & _LATIN_LETTERS - self._letters)
        if not most:
            known = len(words) < _FEW and len(message) <= _SHORT and not foreign
            return Spoken(languages if known else languages[:1], known, len(languages) if known else 1)
        best = {code for code in codes if counted[code] == most}
        of_best = sum(1 << self._shift[code] for code in best)
        unexplained = [word for word in told if not self._by_word[word] & of_best]
        others = self._others(codes, unexplained) if unexplained else set()
        chosen = tuple(
            language for group in (best, others) for language in languages if language.code in group
        )
        known = len(words) < _FEW or most >= _SHARE * len(words)
        if not known:  # a number or a name with digits is of no language
            known = most >= _SHARE * sum(_DIGIT.search(word) is None for word in words)
        if len(chosen) > _MOST and len(message) > _SHORT:  # built to be slow: only whole sentences pass
            return Spoken(chosen[:1], known=False)
        return Spoken(chosen, known and foreign * _NEIGHBOUR <= most, len(best))

    def beside(self, message: str, folded: Folded, hinted: Language) -> tuple[Language, ...]:
        """The languages that explain what the one that a hint names leaves: a hint may be of a page, and the message in another.

        A word that turns meanings there, or two others, is enough: so no hint lets through what would be refused without it.
        """
        counts = letters_by_script(message, self._scripts)
        languages = self._of_script.get(max(counts, key=counts.__getitem__, default=""), ())
        if any(counts.get(script, 0) for script in hinted.scripts - {"Latin"}):
            return ()  # what stands in another script there are names
        words = _words(
            folded.text, frozenset() if message.isascii() else frozenset(_ASCII.sub("", folded.text))
        )
        words &= self._known
        shift = self._shift[hinted.code]
        unexplained = [word for word in words if not self._by_word[word] >> shift & 1]
        if not unexplained:
            return ()
        others = self._others([each.code for each in languages if each != hinted], unexplained)
        return tuple(language for language in languages if language.code in others)

    def _others(self, codes: list[str], unexplained: list[bytes]) -> set[str]:
        """The languages that explain what the best ones leave."""
        counted = dict.fromkeys(codes, 0)
        for word in unexplained:
            for code in codes:
                if self._by_word[word] >> self._shift[code] & 1:
                    counted[code] += _UNEXPLAINED if word in self._turning[code] else 1
        return {code for code, count in counted.items() if count >= _UNEXPLAINED}


def _coded(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


def _words(text: str, beyond: frozenset[str]) -> set[bytes]:
    """The words of a text; `beyond` are its characters beyond ASCII. Letters of scripts without spaces are words by themselves."""
    if not beyond.isdisjoint(_MARKS):
        text = _ANY_MARK.sub(" ", text)
    spaceless = spaceless_letters("".join(beyond)) if beyond else frozenset()
    if spaceless:
        text = text.translate(dict.fromkeys(map(ord, spaceless), " "))
    return set(_coded(text).translate(_SPACES).split()).union(map(_coded, spaceless))


def _turning_words(language: Language) -> frozenset[bytes]:
    """The words of a language that turn meanings by themselves."""
    return frozenset(map(_coded, _single(cue.phrase for cue in language.cues)))


def _words_of(language: Language) -> frozenset[str]:
    """The words by which a language is told: those listed for it, what turns meanings, and what holds its sentences together."""
    binding = (
        phrase
        for (table, name), phrases in language.phrases.items()
        if table in _BINDING and name != "abbreviations"
        for phrase in phrases
    )
    return language.telling | _single(cue.phrase for cue in language.cues) | _single(binding)


def _single(phrases: Iterable[Phrase]) -> frozenset[str]:
    single = (phrase.words[0] for phrase in phrases if len(phrase.words) == 1)
    # One letter alone tells nothing of its language: "o'clock", "e 4th street".
    return frozenset(
        word
        for words in single
        for word in words
        if not is_pattern(word) and (len(word) > 1 or not word.isascii())
    )
