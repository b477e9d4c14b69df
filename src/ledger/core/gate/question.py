"""Rule 3, questions: a real question is no answer, even whole; a polite request states its content.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from ledger.core.gate.sentences import Tokens
from ledger.core.language import Lexicon

_ASKING = ("?", "؟", "？")
_SEPARATORS = frozenset((",", "—", "-", ":", ";", "\n", "(", "，", "."))
_SERVICE_WITHIN = 8  # words after "do you have" in which the thing offered is named


def asked_in(tokens: Tokens, lexicon: Lexicon, sentence: int) -> tuple[int, int] | None:
    """The part of a sentence that is a real question, as offsets of the message; None when none is.

    A request ("can you book it for two?"), an offer ("how about Friday?"), a question for a service with the asker's own terms ("do
    you have a table for four?") and a statement in the first person that ends in a question mark are none.
    """
    span = tokens.tokens_of(sentence)
    words, shapes = tokens.words, tokens.shapes
    marked = any(word[-1] in _ASKING for word in words[span.start : span.stop] if word[0] in ".!?？؟…")
    starts = _clause_starts(tokens, lexicon, sentence)
    openers = lexicon.table("question", "openers")
    opening = next((at for at in starts if openers.match(shapes, at)), None)
    if not marked and opening != starts[0]:
        return None
    if _is_request(tokens, lexicon, sentence):
        return None
    inverted = next((at for at in span if words[at] == "¿"), None)
    first = inverted if inverted is not None else opening
    if first is None:
        if _is_own_statement(tokens, lexicon, sentence, starts):
            return None
        first = span.start
    elif first == starts[0]:
        first = span.start
    return tokens.starts[first], tokens.ends[span.stop - 1]


def _clause_starts(tokens: Tokens, lexicon: Lexicon, sentence: int) -> list[int]:
    """Where clauses of a sentence may start: behind words that only lead in ("ok so"), and after marks and conjunctions."""
    span = tokens.tokens_of(sentence)
    words = tokens.words
    fillers, joins = lexicon.table("sentence", "fillers"), lexicon.table("clause", "joins")
    starts: list[int] = []
    fresh = True
    at = span.start
    while at < span.stop:
        if words[at] in _SEPARATORS or words[at] in ("¿", '"'):
            fresh = True
        else:
            skip = (fillers.match(words, at) if fresh else 0) or joins.match(words, at)
            if skip and at + skip < span.stop:
                fresh = True
                at += skip
                continue
            if fresh:
                starts.append(at)
            fresh = False
        at += 1
    return starts or [span.start]


def _is_request(tokens: Tokens, lexicon: Lexicon, sentence: int) -> bool:
    span = tokens.tokens_of(sentence)
    shapes = tokens.shapes
    requests, offers = lexicon.table("question", "requests"), lexicon.table("question", "offers")
    indirect, services = lexicon.table("question", "indirect"), lexicon.table("question", "services")
    found = False
    for at in span:
        if shapes[at] in indirect and indirect.match(shapes, at):
            return False
        if found:
            continue
        if shapes[at] in requests and requests.match(shapes, at):
            found = True
        elif shapes[at] in offers and (length := offers.match(shapes, at)):
            ahead = range(at + length, min(at + length + _SERVICE_WITHIN, span.stop))
            found = any(services.match(shapes, word) for word in ahead)
    return found


def _is_own_statement(tokens: Tokens, lexicon: Lexicon, sentence: int, starts: list[int]) -> bool:
    """ "I booked for two at eight?" and "maybe 8pm?": the asker's own terms, put politely."""
    own = lexicon.table("clause", "own")
    if own.match(tokens.words, starts[0]):
        return True
    words = tokens.words_of(sentence)
    subjects = lexicon.table("clause", "subjects")
    return any(tokens.shapes[at] == "#" for at in words) and not any(
        subjects.match(tokens.words, at) for at in words
    )


def is_question(tokens: Tokens, lexicon: Lexicon, start: int, end: int) -> bool:
    """Whether a span stands in real questions and states nothing beside them."""
    touched = tokens.sentences_of(start, end)
    for sentence in touched:
        asked = asked_in(tokens, lexicon, sentence)
        here = [
            at for at in tokens.within(start, end) if at in tokens.tokens_of(sentence) and tokens.is_word(at)
        ]
        if not here:
            continue
        if asked is None or any(not asked[0] <= tokens.starts[at] < asked[1] for at in here):
            return False
    return bool(touched)
