"""Unicode, as the gate needs it: folding that keeps its way back, the edges of words, what is visible.

All offsets are code points. Nothing here raises on any text, lone surrogates and NUL included.
Source: UAX #15 (canonical form), UAX #29 (words, grapheme clusters), UAX #44 (Default_Ignorable_Code_Point).
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property

import regex

_TYPING = str.maketrans(
    {
        **dict.fromkeys("’‘‛ʼʹ′＇`´", "'"),
        **dict.fromkeys("“”„‟″«»＂", '"'),
        **dict.fromkeys("‐‑﹣－−", "-"),  # hyphens and the minus sign: they join
        **dict.fromkeys("‒–—―﹘", "—"),  # dashes: they part
        "İ": "i",  # one letter, as Turkish has it; Unicode's own folding makes two of it
    }
)
_ALIKE = str.maketrans({"—": "-", "\n": " ", "\f": " "})  # one for one, so that offsets stay

_HIDDEN = r"[\p{Cf}\p{Default_Ignorable_Code_Point}]"
_BLANK = r"[\s\x1c-\x1f]"  # as str.isspace has it
_UNEVEN = regex.compile(
    rf"(?P<space>{_BLANK}(?:{_HIDDEN}*+{_BLANK})+|(?![ \n]){_BLANK})|(?P<hidden>{_HIDDEN}+)|(?P<dash>-{{2,}})"
)
_UNEVEN_ASCII = re.compile(  # the same for ASCII, by one class in front several times faster
    r"[\s-](?:(?<=\s)(?P<space>\s+|(?<![ \n]))|(?<=-)(?P<dash>-+))"
)
_STRETCH = re.compile(r"\S+|\s+")
_CLUSTER = regex.compile(r"\X")
_HIDDEN_ONE = regex.compile(_HIDDEN)
_WORD_EDGE = regex.compile(r"(?w)\b")
_SUBSTANCE = regex.compile(rf"(?!{_HIDDEN})[\p{{L}}\p{{N}}\p{{S}}]")
_SUBSTANCE_ASCII = frozenset(char for char in map(chr, range(128)) if _SUBSTANCE.match(char))

_NUMBER_JOINERS = ".,:/"
_JOINERS = "-‐‑'’" + _NUMBER_JOINERS
_SIGNS = "-−+"
_LONGEST_CLUSTER = 512  # code points without an ASCII character that are looked at


class Folded:
    """Text with what typing changes evened out, and the way back to the original.

    `text` is in canonical form and lower case; quotes, apostrophes, hyphens and dashes are of one kind each; a run of
    white space is one space, one line break or (for an empty line) one form feed; nothing invisible is left.

    `starts` tells where each piece starts in `text`, and is empty when the two run in step. `origins` tells of each piece its origin
    [start, end), and whether it runs in step inside.
    """

    def __init__(
        self, text: str, starts: tuple[int, ...] = (), origins: tuple[tuple[int, int, bool], ...] = ()
    ) -> None:
        self.text = text
        self.starts = starts
        self.origins = origins

    def start(self, at: int) -> int | None:
        """The origin of a slice that starts at `at`; None inside a character that folding made longer."""
        if not self.starts:
            return at
        piece = bisect_right(self.starts, at) - 1
        start, _, level = self.origins[piece]
        within = at - self.starts[piece]
        return start + within if level or within == 0 else None

    def end(self, at: int) -> int | None:
        """The origin of a slice that ends at `at` (over 0), before anything invisible that follows."""
        if not self.starts:
            return at
        piece = bisect_right(self.starts, at - 1) - 1
        start, end, level = self.origins[piece]
        if level:
            return start + at - self.starts[piece]
        following = self.starts[piece + 1] if piece + 1 < len(self.starts) else len(self.text)
        return end if at == following else None

    def slices(self, parts: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int] | None]:
        """The origins of parts of `text` that come in order, as `start` and `end` give them; None where one of these is."""
        starts, last = self.starts, len(self.starts) - 1
        piece = 0
        for start, end in parts:
            while piece < last and starts[piece + 1] <= start:
                piece += 1
            origin, stop, level = self.origins[piece]
            moved = origin - starts[piece]
            if level and end + moved <= stop:
                yield start + moved, end + moved
            else:
                first, behind = self.start(start), self.end(end)
                yield None if first is None or behind is None else (first, behind)

    @cached_property
    def alike(self) -> str:
        """`text` for comparing: line breaks as spaces, dashes as hyphens; offsets stay."""
        return self.text.translate(_ALIKE)


def fold(text: str) -> Folded:
    """Even out what typing and models change without changing words. Linear in the length of the text.

    Source: DESIGN section 6, rule 1.
    """
    plain = text.replace("`", "'") if text.isascii() else text.translate(_TYPING)
    if plain.isascii() and _is_even(plain):
        return Folded(plain.lower())
    pieces = list(_pieces(plain))
    if not pieces or (len(pieces) == 1 and pieces[0][:2] == (0, len(plain)) and _is_level(plain, *pieces[0])):
        return Folded(pieces[0][2] if pieces else "")
    starts: list[int] = []
    length = 0
    for _, _, piece in pieces:
        starts.append(length)
        length += len(piece)
    origins = tuple((start, end, _is_level(plain, start, end, piece)) for start, end, piece in pieces)
    return Folded("".join(piece for _, _, piece in pieces), tuple(starts), origins)


def _is_level(plain: str, start: int, end: int, piece: str) -> bool:
    """Whether a piece runs in step with what it folds to; marks that canonical order changes about do not."""
    if len(piece) != end - start:
        return False
    return end - start == 1 or _in_step(plain[start:end]) is not None


def _is_even(plain: str) -> bool:
    """Whether ASCII text has no dashes and no white space to even out; told without a pattern for one line, as most messages are."""
    return ("--" not in plain and " ".join(plain.split()) == plain) or _UNEVEN_ASCII.search(plain) is None


def _pieces(plain: str) -> Iterator[tuple[int, int, str]]:
    """The text in pieces that are each in step with what they fold to, or fold as a whole: (start, end, folded)."""
    at = 0
    for match in (_UNEVEN_ASCII if plain.isascii() else _UNEVEN).finditer(plain):
        start, end = match.span()
        if at < start:
            yield from _even(plain, at, start)
        if match.lastgroup == "dash":
            yield start, end, "—"
        elif match.lastgroup == "space":
            lines = len((match.group() + ".").splitlines())
            yield start, end, " " if lines == 1 else "\n" if lines == 2 else "\f"
        at = end
    if at < len(plain):
        yield from _even(plain, at, len(plain))


def _even(plain: str, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    whole = _in_step(plain[start:end])
    if whole is not None:
        yield start, end, whole
        return
    for stretch in _STRETCH.finditer(plain, start, end):
        level = _in_step(stretch.group())
        if level is not None:
            yield stretch.start(), stretch.end(), level
            continue
        for cluster in _CLUSTER.finditer(plain, stretch.start(), stretch.end()):
            folded = _fold_cluster(cluster.group())
            if folded:
                yield cluster.start(), cluster.end(), folded


def _in_step(run: str) -> str | None:
    """The run in lower case, where that and canonical form change it one character for one; else None.

    Lower case never shortens, so equal length means one for one.
    """
    if run.isascii():
        return run.lower()
    if not unicodedata.is_normalized("NFC", run):
        return None
    low = run.casefold()
    return low if len(low) == len(run) and unicodedata.is_normalized("NFC", low) else None


def _fold_cluster(cluster: str) -> str:
    shown = _HIDDEN_ONE.sub("", unicodedata.normalize("NFC", cluster).translate(_TYPING).casefold())
    return unicodedata.normalize("NFC", shown)


def has_substance(text: str) -> bool:
    """Whether there is a letter, digit or symbol that can be seen: more than punctuation and blanks."""
    return not _SUBSTANCE_ASCII.isdisjoint(text) or _SUBSTANCE.search(text) is not None


_FLAG = re.compile("\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,8}\U000e007f")
_TAG = re.compile("[\U000e0000-\U000e007f]")


def holds_tags(text: str) -> bool:
    """Whether there is an invisible tag character outside of a flag's sequence. Source: Unicode TS #51, emoji tag sequences."""
    return not text.isascii() and _TAG.search(_FLAG.sub("", text)) is not None


def is_edge(text: str, at: int) -> bool:
    """Whether a slice may start or end at `at`: outside of words, numbers, compounds and grapheme clusters.

    A word is what Unicode word boundaries give; also one are what hyphens or apostrophes join ("non-smoking"), numbers with their
    separators and sign ("12:20", "1,000.5", "-5"). A colon joins numbers alone, not "name:answer". Letters of scripts written
    without spaces are words by themselves: there the edge of a grapheme cluster is enough.
    Source: UAX #29; DESIGN section 6, rule 2.
    """
    if at <= 0 or at >= len(text):
        return True
    before, after = text[at - 1], text[at]
    if before.isascii() and after.isascii():  # most edges, told without the full rule
        if before.isalnum() and after.isalnum():
            return False
        if (before == " " and after.isalnum()) or (after == " " and before.isalnum()):
            return True
    if not _WORD_EDGE.match(text, at) and not (
        ":" in (before, after) and not before.isdigit() and not after.isdigit()
    ):
        return False
    if after in _JOINERS and _joined(text, at):
        return False
    if before in _JOINERS and _joined(text, at - 1):
        return False
    if before in _SIGNS and after.isdigit() and (at < 2 or text[at - 2].isspace()):
        return False
    if before.isascii() and after.isascii():
        return True
    first = at - 1
    while first > 0 and not text[first].isascii() and at - first < _LONGEST_CLUSTER:
        first -= 1
    return all(not part.start() < at < part.end() for part in _CLUSTER.finditer(text, first, at + 1))


def _joined(text: str, at: int) -> bool:
    """Whether the hyphen, apostrophe or separator at `at` stands inside a word or number."""
    if at == 0 or at + 1 >= len(text):
        return False
    before, after = text[at - 1], text[at + 1]
    if text[at] in _NUMBER_JOINERS:
        return before.isdigit() and after.isdigit()
    return before.isalnum() and after.isalnum()
