"""A message as words and sentences.

Where it is not clear whether a sentence ends, it does not: a longer sentence holds more that can turn a meaning.
Source: DESIGN section 6; UAX #29 names the marks that end sentences.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property

from ledger.core.text import Folded

_TOKEN = re.compile(
    r"\w+(?:(?:['-]|;(?=t\b)|(?<=\d)[.,:/](?=\d))\w+)*"  # words, compounds, numbers; "don;t" is a typing slip
    r"|[.…]+[!?]*|[!?。！？｡]+|[,;:()\[\]{}\"—\n\f¿、，；؟।-]"
)
_ENDERS = frozenset(".…!?。！？｡؟।")
_WIDE_ENDERS = frozenset("。！？｡؟।")
_BLANKS = frozenset("\n\f")


@dataclass(frozen=True)
class Tokens:
    """Words and marks of a message, in order, with their offsets in the message itself.

    `words` are folded; `shapes` are the same with `#` for every number. Sentence k holds the tokens from `firsts[k]` up to
    `firsts[k + 1]`.
    """

    message: str
    words: tuple[str, ...]
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    firsts: tuple[int, ...]

    @cached_property
    def shapes(self) -> tuple[str, ...]:
        return tuple("#" if word[0].isdigit() else word for word in self.words)

    @cached_property
    def _sentence_starts(self) -> tuple[int, ...]:
        return tuple(self.starts[first] for first in self.firsts)

    @property
    def sentences(self) -> int:
        return len(self.firsts)

    def tokens_of(self, sentence: int) -> range:
        end = self.firsts[sentence + 1] if sentence + 1 < len(self.firsts) else len(self.words)
        return range(self.firsts[sentence], end)

    def sentences_of(self, start: int, end: int) -> range:
        """The sentences that a slice of the message touches."""
        if not self.firsts:
            return range(0)
        first = max(bisect_right(self._sentence_starts, start) - 1, 0)
        last = max(bisect_right(self._sentence_starts, max(end - 1, start)) - 1, first)
        return range(first, last + 1)

    def within(self, start: int, end: int) -> range:
        """The tokens that stand wholly inside a slice of the message."""
        first = bisect_right(self.starts, start - 1)
        return range(first, max(first, bisect_right(self.ends, end)))

    def is_word(self, at: int) -> bool:
        return self.words[at][0].isalnum() or self.words[at][0] == "_"

    def words_of(self, sentence: int) -> list[int]:
        return [at for at in self.tokens_of(sentence) if self.is_word(at)]

    def bounds(self, sentence: int) -> tuple[int, int]:
        """The slice of the message from the first word of a sentence to its last, with the mark that ends it."""
        tokens = self.tokens_of(sentence)
        words = self.words_of(sentence)
        first, last = (words[0], words[-1]) if words else (tokens[0], tokens[-1])
        if last + 1 < tokens.stop and self.words[last + 1][0] in _ENDERS:
            last += 1
        return self.starts[first], self.ends[last]


def tokenise(message: str, folded: Folded, abbreviations: frozenset[str]) -> Tokens:
    """Cut a message into tokens and sentences, in one pass."""
    words: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for match in _TOKEN.finditer(folded.text):
        start, end = folded.start(match.start()), folded.end(match.end())
        if start is not None and end is not None:  # None: a slice of one letter that folding made two
            words.append(match.group())
            starts.append(start)
            ends.append(end)
    firsts: list[int] = []
    opened = False
    for at, word in enumerate(words):
        if not opened:
            if word in _BLANKS:
                continue
            firsts.append(at)
            opened = True
        if (word[0] in _ENDERS or word in _BLANKS) and _ends_sentence(
            message, words, starts, ends, firsts, at, abbreviations
        ):
            opened = False
    return Tokens(message, tuple(words), tuple(starts), tuple(ends), tuple(firsts))


def _ends_sentence(
    message: str,
    words: list[str],
    starts: list[int],
    ends: list[int],
    firsts: list[int],
    at: int,
    abbreviations: frozenset[str],
) -> bool:
    word = words[at]
    upcoming = message[starts[at + 1]] if at + 1 < len(words) else ""
    if word == "\f":
        return True
    if word == "\n":
        # A line that goes on in lower case may be one sentence that was wrapped.
        return not upcoming.islower()
    if word[-1] in _WIDE_ENDERS:
        return True
    behind = message[ends[at] : ends[at] + 1]
    if behind.isalnum() or behind == "_":
        return False
    if word[0] in ".…" and not word.endswith(("!", "?")):
        if len(word) > 1 or word == "…":
            return not upcoming.islower()
        previous = words[at - 1] if at > firsts[-1] and ends[at - 1] == starts[at] else ""
        if previous in abbreviations or (len(previous) == 1 and previous.isalpha() and previous != "i"):
            return False
        if previous.isdigit() and at - 1 == firsts[-1] and upcoming:
            return False  # the number of a list item
    return True
