"""Rule 3, questions: a real question is no answer, even whole; a polite request states its content.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from ledger.core.gate.sentences import Sentence
from ledger.core.language import Lexicon

_SEPARATORS = frozenset((",", "—", "-", ":", ";", "(", "，", ".", "¿", '"', "...", "…"))
_SERVICE_WITHIN = 8  # words after "do you have" in which the thing offered is named


def question_in(sentence: Sentence, lexicon: Lexicon) -> tuple[int, int] | None:
    """The part of a sentence that is a real question, as offsets of the message; None when none is.

    None are: a request ("can you book it for two?"), an offer ("how about Friday?"), a question for a service in the asker's own
    terms ("do you have a table for four?"), and a statement in the first person that ends in a question mark.
    """
    marked = sentence.is_marked_as_question()
    if not marked and lexicon.table("question", "openers").in_none(sentence.shapes):
        return None
    starts = _clause_starts(sentence, lexicon)
    if not marked and not lexicon.table("question", "openers").match(sentence.shapes, starts[0]):
        return None
    if _is_request(sentence, lexicon, starts):
        return None
    opening = _opening(sentence, lexicon, starts) if marked else starts[0]
    if opening is None:
        if _is_own_statement(sentence, lexicon, starts):
            return None
        opening = 0
    return sentence.starts[0 if opening == starts[0] else opening], sentence.ends[-1]


def _opening(sentence: Sentence, lexicon: Lexicon, starts: list[int]) -> int | None:
    """The first token of a question that a question mark ends."""
    if "¿" in sentence.words:
        return sentence.words.index("¿")
    for name in ("openers", "marked"):
        table = lexicon.table("question", name)
        found = next((at for at in starts if table.match(sentence.shapes, at)), None)
        if found is not None:
            return found
    return None


def _clause_starts(sentence: Sentence, lexicon: Lexicon) -> list[int]:
    """Where clauses may start: behind words that only lead in ("ok so"), and after marks and conjunctions."""
    words, size = sentence.words, len(sentence)
    fillers, joins = lexicon.table("sentence", "fillers"), lexicon.table("clause", "joins")
    parts = lexicon.table("clause", "parts")
    last = sentence.plain[-1] if sentence.plain else -1
    starts: list[int] = []
    fresh = True
    at = 0
    while at < size:
        word = words[at]
        if word in _SEPARATORS:
            fresh = True
        else:
            skip = fillers.match(words, at) if fresh and word in fillers.firsts else 0
            if not skip and (word in joins.firsts or word in parts.firsts):
                skip = joins.match(words, at) or parts.match(words, at)
            if skip and at + skip <= last:
                fresh = True
                at += skip
                continue
            if fresh:
                starts.append(at)
            fresh = False
        at += 1
    return starts or [0]


def _is_request(sentence: Sentence, lexicon: Lexicon, starts: list[int]) -> bool:
    shapes, size = sentence.shapes, len(sentence)
    indirect = lexicon.table("question", "indirect")
    if any(shape in indirect.firsts and indirect.match(shapes, at) for at, shape in enumerate(shapes)):
        return False
    requests, offers = lexicon.table("question", "requests"), lexicon.table("question", "offers")
    services = lexicon.table("question", "services")
    for at in starts:
        if requests.match(shapes, at):
            return True
        length = offers.match(shapes, at)
        if length and any(
            services.match(shapes, near)
            for near in range(at + length, min(at + length + _SERVICE_WITHIN, size))
        ):
            return True
    return False


def _is_own_statement(sentence: Sentence, lexicon: Lexicon, starts: list[int]) -> bool:
    """ "I booked for two at eight?" and "maybe 8pm?": the asker's own terms, put politely."""
    words = sentence.plain
    if lexicon.table("clause", "own").match(sentence.words, starts[0]):
        return True
    subjects = lexicon.table("clause", "subjects")
    numbered = any(sentence.shapes[at] == "#" for at in words)
    return numbered and not any(subjects.match(sentence.words, at) for at in words)
