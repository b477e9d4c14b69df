"""The span that would pass: what a refusal suggests.

Taking in the cues that a span leaves behind, until none is left, gives the smallest wider span that rule 3 lets through: every wider
span that passes has to hold each of them, and holding more words never removes a cue. Similarity only ever suggests; what it finds is judged like any span.

Source: DESIGN section 6, `nearest`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rapidfuzz import fuzz

from ledger.core.gate.details import LONGEST
from ledger.core.model import Reason, Verdict
from ledger.core.text import fold, is_edge

if TYPE_CHECKING:
    from ledger.core.gate.reading import Reading

Place = tuple[int, int]

# The others would not be mended by a wider span.
SUGGESTED_FOR = frozenset(
    {
        Reason.NOT_VERBATIM,
        Reason.AMBIGUOUS,
        Reason.MID_WORD,
        Reason.TOO_SHORT,
        Reason.MEANING_CUT,
        Reason.NEEDS_QUESTION,
    }
)
_CLOSING, _OPENING = ".,;:!?…)]}", ",;:([{"  # marks that no slice starts, or ends, with
_ALIKE_ENOUGH = 60  # of 100; below it what is found has little to do with the span


def candidates(reading: Reading, span: str, verdict: Verdict, places: list[Place]) -> Iterator[Place]:
    """Slices of the message that may pass, the one to prefer first."""
    if verdict.reason is Reason.NOT_VERBATIM:
        places = _similar(reading, span)
    for place in places[:2]:
        start, end = _to_edges(reading.message, *place)
        if verdict.reason in (Reason.NOT_VERBATIM, Reason.MID_WORD, Reason.MEANING_CUT):
            widened = _take_in(reading, start, end)
            if widened:
                yield widened
        yield from _to_sentences(reading, start, end)


def _similar(reading: Reading, span: str) -> list[Place]:
    wanted = fold(span).alike().strip()
    if not wanted or len(wanted) > 2 * LONGEST:
        return []
    found = fuzz.partial_ratio_alignment(wanted, reading.folded.alike(), score_cutoff=_ALIKE_ENOUGH)
    if found is None or found.dest_end <= found.dest_start:
        return []
    # A shorter message is aligned the other way round; either way `dest` is the message.
    start, end = reading.folded.start(found.dest_start), reading.folded.end(found.dest_end)
    return [] if start is None or end is None else [(start, end)]


def _to_edges(message: str, start: int, end: int) -> Place:
    while not is_edge(message, start):
        start -= 1
    while not is_edge(message, end):
        end += 1
    while start < end and (message[start].isspace() or message[start] in _CLOSING):
        start += 1
    while end > start and (message[end - 1].isspace() or message[end - 1] in _OPENING):
        end -= 1
    return start, end


def _take_in(reading: Reading, start: int, end: int) -> Place | None:
    """The smallest wider slice that leaves no cue behind; None where it would be too long."""
    if not reading.covers_unknown(start, end):
        return None
    while end - start <= LONGEST:
        cuts = reading.cuts(start, end)
        if not cuts:
            return start, end
        start = min(start, *(turn.cue_start for turn in cuts))
        end = max(end, *(turn.cue_end for turn in cuts))
    return None


def _to_sentences(reading: Reading, start: int, end: int) -> Iterator[Place]:
    """The sentences that a slice touches; then with the one behind, or the one before."""
    sentences = reading.sentences
    touched = sentences.touched(start, end)
    if not touched:
        return
    first, last = touched.start, touched.stop - 1
    for lower, upper in ((first, last), (first, last + 1), (first - 1, last)):
        if lower < 0 or upper >= len(sentences):
            continue
        left, right = sentences[lower].bounds(), sentences[upper].bounds()
        if left and right:
            yield min(start, left[0]), max(end, right[1])
