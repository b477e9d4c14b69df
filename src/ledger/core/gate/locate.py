"""Rule 1: where a span stands in its message.

Source: DESIGN section 6, rule 1.
"""

from __future__ import annotations

from ledger.core.text import Folded, fold, is_edge

MOST_PLACES = 32  # a span that stands as whole words at more places is ambiguous without a look at each


def exact(message: str, span: str) -> list[tuple[int, int]]:
    """Every place where the span stands as it is."""
    return _places(message, span)


def folded(message: Folded, span: str) -> list[tuple[int, int]]:
    """Every place where it stands but for what typing and models change, as slices of the original message."""
    wanted = fold(span).alike().strip()
    found: list[tuple[int, int]] = []
    for first, last in _places(message.alike(), wanted):
        start, end = message.start(first), message.end(last)
        if start is not None and end is not None:
            found.append((start, end))
    return found


def _places(text: str, part: str) -> list[tuple[int, int]]:
    found: list[tuple[int, int]] = []
    at = text.find(part) if part else -1
    while at >= 0:
        found.append((at, at + len(part)))
        at = text.find(part, at + 1)
    return found


def whole(message: str, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Those places that start and end at edges of words and characters; no more than one over MOST_PLACES."""
    found: list[tuple[int, int]] = []
    for start, end in places:
        if start and message[start - 1].isalnum() and message[start].isalnum() and message[start].isascii():
            continue  # most places of a short span are inside words: told without the full rule
        if is_edge(message, start) and is_edge(message, end):
            found.append((start, end))
            if len(found) > MOST_PLACES:
                break
    return found
