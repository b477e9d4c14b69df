"""A message as sentences, and a sentence as words.

Where it is not clear whether a sentence ends, it does not: a longer sentence holds more that can turn a meaning. Only the ends of
sentences are looked for in the whole message; a sentence is cut into words when a span touches it.

Source: DESIGN section 6; UAX #29 names the marks that end sentences.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import cached_property

from ledger.core.phrases import SPACELESS
from ledger.core.text import Folded

# One character class in front, by which the search skips what is none of these ten times faster than by alternatives.
_END = re.compile(
    r"[.…!?。！？｡؟।\n\f](?:(?<=[.…])[.…]*[!?]*|(?<=[!?])[!?]*|(?<=[。！？｡؟।])[。！？｡؟।]*|(?<=[\n\f]))"
)
_TOKEN = re.compile(
    r"\w+(?:(?:['-]|(?<=n)[;,?*](?=t\b)|(?<=\d)[.,:/](?=\d))\w+)*"  # words, compounds, numbers; "don;t" is a typing slip
    r"|(?<!\S)/\w\b|[.…]+[!?]*|[!?。！？｡؟।]+|[,;:()\[\]{}\"—¿、，；،؛：-]"
)
_VOWEL_SIGNS = (
    "\u0300-\u036f\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc"  # written inside words, or left out
)
_TOKEN_BEYOND_ASCII = re.compile(_TOKEN.pattern.replace(r"\w", rf"[\w{_VOWEL_SIGNS}]"))
_TOKEN_SPACELESS = re.compile(rf"[{SPACELESS}]|" + _TOKEN.pattern.replace(r"\w", rf"[^\W{SPACELESS}]"))
# What is typed for show or left out at will in Arabic: vowel signs, the stretching of a word. Marks that stand for a comma or semicolon.
_PLAIN = str.maketrans({**dict.fromkeys("，、،", ","), **dict.fromkeys("；؛", ";")} | {"\u0640": ""})
_SIGNS = re.compile(r"[\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc]")
_SHORT_WORD = 12  # characters that an abbreviation has at most
_WORD_BEFORE = re.compile(rf"(?:\A|[^\w])(\w{{1,{_SHORT_WORD}}})\Z")
_WIDE_ENDS = frozenset("。！？｡؟।")
_MARKS = frozenset('.…!?。！？｡؟।,;:()[]{}"—¿、，；،؛：-')
ASKING = ("?", "？", "؟")


class Sentence:
    """The words and marks of a sentence in order, folded, with their offsets in the message.

    `shapes` are the words with `#` for every number; `plain` is where words stand that are no marks.
    """

    def __init__(self, words: list[str], starts: list[int], ends: list[int]) -> None:
        self.words = words
        self.starts = starts
        self.ends = ends
        firsts = [word[0] for word in words]
        self.shapes = ["#" if first.isdigit() else word for word, first in zip(words, firsts, strict=True)]
        self.plain = [at for at, first in enumerate(firsts) if first not in _MARKS]

    def __len__(self) -> int:
        return len(self.words)

    def is_word(self, at: int) -> bool:
        return self.words[at][0] not in _MARKS

    def within(self, start: int, end: int) -> range:
        """The tokens that stand wholly inside a slice of the message."""
        first = bisect_left(self.starts, start)
        return range(first, max(first, bisect_right(self.ends, end)))

    @cached_property
    def bounds(self) -> tuple[int, int] | None:
        """The slice of the message from the first word to the last, with the mark that ends the sentence; None without a word."""
        if not self.plain:
            return None
        last = self.plain[-1]
        if last + 1 < len(self.words) and self.words[last + 1][0] in ".…!?。！？":
            last += 1
        return self.starts[self.plain[0]], self.ends[last]

    def is_marked_as_question(self) -> bool:
        for at in range(len(self.words) - 1, -1, -1):
            if self.words[at][-1] in ASKING:
                return True
            if self.is_word(at):
                break
        return False


class Sentences:
    """The sentences of a message, cut into words when asked for."""

    def __init__(
        self, message: str, folded: Folded, abbreviations: frozenset[str], *, spaceless: bool = False
    ) -> None:
        self._folded, self._size = folded, len(message)
        self._plain = folded.text.isascii()
        self._token = _TOKEN_SPACELESS if spaceless else _TOKEN if self._plain else _TOKEN_BEYOND_ASCII
        self._bounds = _split(message, folded, abbreviations)
        self._starts = [folded.start(start) or 0 for start, _ in self._bounds]
        self._made: dict[int, Sentence] = {}

    def __len__(self) -> int:
        return len(self._bounds)

    def touched(self, start: int, end: int) -> range:
        """The sentences that a slice of the message touches."""
        if len(self._bounds) < 2:
            return range(len(self._bounds))
        first = max(bisect_right(self._starts, start) - 1, 0)
        return range(first, max(bisect_right(self._starts, max(end - 1, start)), first + 1))

    def extent(self, index: int) -> tuple[int, int]:
        """Where a sentence stands in the message, up to where the next starts."""
        following = self._starts[index + 1] if index + 1 < len(self._starts) else self._size
        return self._starts[index], following

    def __getitem__(self, index: int) -> Sentence:
        if index not in self._made:
            self._made[index] = self._cut(index)
        return self._made[index]

    def _cut(self, index: int) -> Sentence:
        text = self._folded.text
        spans = [match.span() for match in self._token.finditer(text, *self._bounds[index])]
        words = [text[start:end] for start, end in spans]
        if not self._plain:
            words = list(map(_plain, words))
        if not self._folded.starts:
            return Sentence(words, [start for start, _ in spans], [end for _, end in spans])
        origins = list(self._folded.slices(spans))
        # None is one half of a letter that folding made two.
        words = [word for word, origin in zip(words, origins, strict=True) if origin]
        return Sentence(
            words, [origin[0] for origin in origins if origin], [origin[1] for origin in origins if origin]
        )


def _plain(word: str) -> str:
    """A word or mark as the lists have it."""
    return word if word.isascii() else _SIGNS.sub("", word.translate(_PLAIN)) or word


def _split(message: str, folded: Folded, abbreviations: frozenset[str]) -> list[tuple[int, int]]:
    """Where the sentences stand in the folded text, in one pass over the marks that may end one."""
    text = folded.text
    found: list[tuple[int, int]] = []
    first = 0
    for match in _END.finditer(text):
        start, end = match.span()
        if start < first:
            continue
        if end == len(text):
            break  # nothing is left to part
        if _ends_sentence(message, folded, abbreviations, first, start, end):
            if text[first:end].strip():
                found.append((first, end))
            first = end
    if text[first:].strip():
        found.append((first, len(text)))
    return found


def _ends_sentence(
    message: str, folded: Folded, abbreviations: frozenset[str], first: int, start: int, end: int
) -> bool:
    text = folded.text
    mark = text[start:end]
    if mark == "\f" or mark[-1] in _WIDE_ENDS:
        return True
    if mark == "\n":
        # A line that goes on in lower case may be one sentence that was wrapped.
        return not _upcoming(message, folded, end).islower()
    if end < len(text) and (text[end].isalnum() or text[end] == "_"):
        return False
    if mark[-1] in "!?":
        # "(really!) and" goes on; what asks in brackets asks for itself.
        return mark[-1] == "?" or text[end : end + 2] != ") "
    if len(mark) > 1 or mark == "…":
        return not _upcoming(message, folded, end).islower()
    word = _word_before(text, first, start)
    if word in abbreviations or (len(word) == 1 and word.isalpha() and word != "i"):
        return False
    # The number of a list item ends nothing.
    return not (word.isdigit() and text[first:start].strip() == word and _upcoming(message, folded, end))


def _upcoming(message: str, folded: Folded, at: int) -> str:
    """The character of the message that comes next behind white space; "" where none does."""
    text = folded.text
    while at < len(text) and text[at] in " \n\f":
        at += 1
    origin = folded.start(at) if at < len(text) else None
    return message[origin] if origin is not None else ""


def _word_before(text: str, first: int, end: int) -> str:
    """The short word that ends there; "" where none does."""
    word = text[max(text.rfind(" ", first, end) + 1, first) : end]
    if word.isalnum():  # as most, told without a pattern
        return word if len(word) <= _SHORT_WORD else ""
    before = _WORD_BEFORE.search(text, max(first, end - _SHORT_WORD - 4), end)
    return before.group(1) if before else ""
