"""Rule 1: where a span stands in its message.

Source: DESIGN section 6, rule 1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from ledger.core.text import Folded, fold, is_edge

Place = tuple[int, int]

MOST_PLACES = 8  # a span that stands as whole words at more places is ambiguous without a look at each; of 33,000 marked answers none stands at more than three
_MOST_LOOKED_AT = (
    2048  # places inside words that are passed by; one that has to be looked at closely counts as many
)
_CLOSELY = 8
_SPACELESS = (
    "\u0e00"  # scripts without spaces, where a word may start behind any letter, all stand from here on
)
_RUN = re.compile(r"[A-Za-z0-9]*")


class Found(NamedTuple):
    """Where a span stands: the first places, and those that start and end at edges of words and characters.

    `many` says that it stands at more whole places than are looked at, or may.
    """

    first: list[Place]
    whole: list[Place]
    many: bool


def exact(message: str, span: str) -> Found:
    """Where the span stands as it is."""
    return _whole(message, _places(message, span, skips=True))


def folded(message: str, fold_of: Folded, span: str) -> Found:
    """Where it stands but for what typing and models change, as slices of the original message."""
    wanted = fold(span).alike.strip()
    return _whole(message, _origins(fold_of, _places(fold_of.alike, wanted, skips=not fold_of.starts)))


def _places(text: str, part: str, *, skips: bool) -> Iterator[Place]:
    """Every place where a part stands; behind the second, with `skips`, none of those that start inside a run of ASCII letters."""
    at = text.find(part) if part else -1
    count = 0
    while at >= 0:
        yield at, at + len(part)
        count += 1
        following = at + 1
        if skips and count > 1 and _inside(text, at):
            following = _RUN.match(text, at).end()  # type: ignore[union-attr]
        at = text.find(part, following)


def _origins(fold_of: Folded, places: Iterator[Place]) -> Iterator[Place]:
    """The slices of the original message; one that would start or end inside of what folding changed is empty."""
    for first, last in places:
        start, end = fold_of.start(first), fold_of.end(last)
        yield (0, 0) if start is None or end is None else (start, end)


def _inside(text: str, at: int) -> bool:
    """Whether what starts here starts inside a word, as most places of a short span do: told without the full rule."""
    before = text[at - 1]
    return at > 0 and text[at].isascii() and text[at].isalnum() and before < _SPACELESS and before.isalnum()


def _whole(message: str, places: Iterator[Place]) -> Found:
    first: list[Place] = []
    whole: list[Place] = []
    looked = 0
    for start, end in places:
        if start == end:
            looked += 1
            if looked > _MOST_LOOKED_AT:
                return Found(first, whole, many=bool(whole))
            continue
        if len(first) < 2:
            first.append((start, end))
        if _inside(message, start):
            looked += 1
        else:
            looked += _CLOSELY
            if is_edge(message, start) and is_edge(message, end):
                whole.append((start, end))
        if len(whole) > MOST_PLACES or looked > _MOST_LOOKED_AT:
            return Found(first, whole, many=bool(whole))
    return Found(first, whole, many=False)
