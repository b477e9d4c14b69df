"""The span that would pass: what a refusal suggests.

Taking in the cues that a span leaves behind, until none is left, gives the smallest wider span that rule 3 lets through: every wider
span that passes has to hold each of them, and holding more words never removes a cue. Similarity only ever suggests; what it finds is judged like any span.

Source: DESIGN section 6, `nearest`.
"""

from __future__ import annotations

import re
from bisect import bisect_left
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
        Reason.MID_WORD,
        Reason.TOO_SHORT,
        Reason.MEANING_CUT,
        Reason.NEEDS_QUESTION,
    }
)
_CLOSING, _OPENING = ".,;:!?…)]}", ",;:([{"  # marks that no slice starts, or ends, with
_WORD = re.compile(r"\w+")
_MOST_ROUNDS = 12  # of taking in cues that the last ones brought along; what people say needs three
_MOST_TRIED = 24  # wider slices that are judged
_MOST_TURNS = 256  # cues of the sentences touched; with more of them no wider span is looked for
# Code points of a span times those of a message that is searched whole; of a longer one only the part with most of the span's words is.
_SEARCHED = 1 << 20
_FREQUENT = 64  # places of a word beyond which it tells nothing of where the span comes from
_TELLING = 8  # of the span's rarest words that are looked for
_ALIKE_ENOUGH = 60  # of 100; below it what is found has little to do with the span


def candidates(reading: Reading, span: str, verdict: Verdict, places: list[Place]) -> Iterator[Place]:
    """Slices of the message that may pass, the one to prefer first."""
    if verdict.reason is Reason.NOT_VERBATIM:
        places = _similar(reading, span)
    for place in places:
        slice_ = _to_edges(reading.message, *place)
        if slice_ is None:
            continue
        start, end = slice_
        if verdict.reason in (Reason.NOT_VERBATIM, Reason.MID_WORD, Reason.MEANING_CUT):
            yield from _wider(reading, start, end)
        yield from _to_sentences(reading, start, end)


def _wider(reading: Reading, start: int, end: int) -> Iterator[Place]:
    """Wider slices at the edges of parts of the sentence, the shortest first; each holds the cues that a narrower one would leave behind."""
    if not reading.covers_unknown(start, end) or reading.turns_near(start, end) > _MOST_TURNS:
        return
    touched = reading.sentences.touched(start, end)
    if not touched:
        return
    lefts = [start, *reading.structure(touched.start).parts.openings(start)]
    rights = [end, *reading.structure(touched.stop - 1).parts.endings(end)]
    places = sorted(
        ((left, right) for left in lefts for right in rights), key=lambda place: place[1] - place[0]
    )
    tried = set[Place]()
    for left, right in places:
        widened = _take_in(reading, left, right)
        if widened is None or widened in tried:
            continue
        tried.add(widened)
        begins = _with_auxiliary(reading, widened[0]) if widened[0] < start else widened[0]
        if begins < widened[0]:
            yield begins, widened[1]
        yield widened
        if len(tried) > _MOST_TRIED:
            return


def _similar(reading: Reading, span: str) -> list[Place]:
    folded = reading.folded
    wanted, text, offset = fold(span).alike.strip(), folded.alike, 0
    if not wanted or len(wanted) > LONGEST:
        return []
    if len(wanted) * len(text) > _SEARCHED:
        around = _around(reading.places_of_words, wanted)
        if around is None:
            return []
        offset, text = around[0], text[slice(*around)]
    found = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=_ALIKE_ENOUGH)
    if found is None or found.dest_end <= found.dest_start:
        return []
    # A shorter message is aligned the other way round; either way `dest` is the message.
    start, end = folded.start(offset + found.dest_start), folded.end(offset + found.dest_end)
    return [] if start is None or end is None else [(start, end)]


def places_of_words(text: str) -> dict[str, list[int]]:
    """Where each word of a folded text stands, as far as that tells something."""
    places: dict[str, list[int]] = {}
    for match in _WORD.finditer(text):
        at = places.setdefault(match.group(), [])
        if len(at) < _FREQUENT:
            at.append(match.start())
    return places


def _around(places: dict[str, list[int]], wanted: str) -> Place | None:
    """The part of a long text where most of the telling words of a span stand together; None where none stands."""
    words = [word for word in dict.fromkeys(_WORD.findall(wanted)) if word in places]
    rarest = sorted(words, key=lambda word: (len(places[word]), -len(word)))[:_TELLING]
    found = sorted(at for word in rarest for at in places[word])
    best, most, first = 0, 0, 0
    for last, at in enumerate(found):
        while found[first] < at - len(wanted):
            first += 1
        if last - first >= most:
            best, most = found[first], last - first + 1
    return (max(best - len(wanted), 0), best + 2 * len(wanted)) if found else None


def _to_edges(message: str, start: int, end: int) -> Place | None:
    """A slice widened to whole words, without marks and blanks at its ends; None where it would be too long."""
    lowest, highest = end - LONGEST, start + LONGEST
    while not is_edge(message, start):
        start -= 1
        if start < lowest:
            return None
    while not is_edge(message, end):
        end += 1
        if end > highest:
            return None
    while start < end and (message[start].isspace() or message[start] in _CLOSING):
        start += 1
    while end > start and (message[end - 1].isspace() or message[end - 1] in _OPENING):
        end -= 1
    return start, end


def _take_in(reading: Reading, start: int, end: int) -> Place | None:
    """The smallest wider slice that leaves no cue behind; None where it would be too long, or far off."""
    if not reading.covers_unknown(start, end) or reading.turns_near(start, end) > _MOST_TURNS:
        return None
    for _ in range(_MOST_ROUNDS):
        if end - start > LONGEST:
            return None
        cuts = reading.cuts(start, end)
        if not cuts:
            return start, end
        start = min(start, *(turn.cue_start for turn in cuts))
        end = max(end, *(turn.cue_end for turn in cuts))
    return None


def _with_auxiliary(reading: Reading, start: int) -> int:
    """Where a slice starts that takes in the verb before its negation, "do not want" for "not want"; else where it does."""
    for index in reading.sentences.touched(start, start + 1):
        sentence = reading.sentences[index]
        at = bisect_left(sentence.starts, start)
        if 0 < at < len(sentence) and sentence.starts[at] == start and sentence.is_word(at - 1):
            word, table = sentence.words[at - 1], reading.lexicon.table
            negates = any(
                cue is not None and cue.rule == "negation"
                for _, cue in reading.lexicon.cues_at(sentence.shapes, at)
            )
            if not negates or table("particle", "words").match(sentence.words, at):
                return start  # "was no", "is if"
            contracted = "'" in word and word in table("clause", "subjects").firsts
            if contracted or word in table("clause", "verbs").firsts:
                return sentence.starts[at - 1]
    return start


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
        left, right = sentences[lower].bounds, sentences[upper].bounds
        if left and right:
            yield min(start, left[0]), max(end, right[1])
