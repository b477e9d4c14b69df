"""Rule 3, questions: a real question is no answer, even whole; a polite request states its content.

Source: DESIGN section 6, rule 3.
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger.core.gate.sentences import ASKING, Sentence
from ledger.core.language import Lexicon
from ledger.core.phrases import PhraseIndex

_SEPARATORS = frozenset((",", "—", "-", ":", ";", "(", "，", ".", "¿", '"', "...", "…"))
_LONGEST_CLOSER = 8  # words, or characters of a script without spaces, of a particle that closes a question
_SERVICE_WITHIN = 8  # words after "do you have" in which the thing offered is named
_LONGEST_TAG = 3  # words
_CALLED = 2  # tokens of a name that is called and its mark
_VERB_WITHIN = 6  # words after "which" in which the verb of a question stands


def question_in(message: str, sentence: Sentence, lexicon: Lexicon) -> tuple[int, int] | None:
    """The part of a sentence that is a real question, as offsets of the message; None when none is.

    None are: a request ("can you book it for two?"), an offer ("how about Friday?"), a question for a service in the asker's own
    terms ("do you have a table for four?"), and a statement in the first person that ends in a question mark.
    """
    marked = sentence.is_marked_as_question()
    asks = _asks(sentence, lexicon, marked=marked)
    if not marked and _is_impersonal(sentence, lexicon):
        return None
    if (
        not marked
        and not asks
        and all(
            lexicon.table("question", name).in_none(sentence.shapes)
            for name in ("openers", "alone", "names", "which")
        )
    ):
        return None
    starts = _clause_starts(sentence, lexicon)
    aside = _asking_aside(sentence) if marked else 0
    starts = [at for at in starts if at >= aside] or [aside]
    opening = next(_openings(message, sentence, lexicon, starts, marked=marked), None)
    if _is_request(sentence, lexicon, starts):
        return None
    if asks:
        opening = starts[0]
    elif marked:
        opening = _marked_opening(sentence, lexicon, starts, opening)
    if opening is None:
        return None
    return sentence.starts[aside if opening == starts[0] else opening], sentence.ends[-1]


def _asking_aside(sentence: Sentence) -> int:
    """The first token in the brackets that a question mark stands in: "I sold it (is that bad?)" asks in them alone; else 0."""
    words, closed = sentence.words, 0
    last = max(at for at in range(len(words)) if words[at][-1] in ASKING)
    for at in range(last, -1, -1):
        if words[at] == "(" and not closed:
            return at + 1
        closed += (words[at] == ")") - (words[at] == "(")
    return 0


def _asks(sentence: Sentence, lexicon: Lexicon, *, marked: bool) -> bool:
    """Whether a word asks that does not open the sentence.

    A particle may close it (か, 吗, mısın). A question word may stand anywhere (什么, nerede); without a question mark it has to be the
    listener who is asked, since "I know where" asks nothing.
    """
    if _ends_in(sentence, lexicon.table("question", "closers")):
        return True
    asking = lexicon.table("question", "asking")
    if not asking.firsts or not _has(sentence, asking):
        return False
    return marked or _has(sentence, lexicon.table("question", "listener"))


def _is_impersonal(sentence: Sentence, lexicon: Lexicon) -> bool:
    """ "Will it snow on Friday": what is said of no person asks a service, in the asker's own terms."""
    impersonal, listener = lexicon.table("question", "impersonal"), lexicon.table("question", "listener")
    return _has(sentence, impersonal) and not _has(sentence, listener)


def _ends_in(sentence: Sentence, table: PhraseIndex[None]) -> bool:
    """Whether a phrase of a table closes the sentence."""
    last = sentence.plain[-1] + 1 if sentence.plain and table.firsts else 0
    return any(
        table.match(sentence.shapes, at) == last - at for at in sentence.plain[-_LONGEST_CLOSER:] if last
    )


def _has(sentence: Sentence, table: PhraseIndex[None]) -> bool:
    return bool(table.firsts) and any(
        word in table.firsts and table.match(sentence.shapes, at) for at, word in enumerate(sentence.shapes)
    )


def _marked_opening(
    sentence: Sentence, lexicon: Lexicon, starts: list[int], opening: int | None
) -> int | None:
    """The first token of a question that a question mark ends; None where it is only a statement."""
    if "¿" in sentence.words:
        return sentence.words.index("¿")
    if _ends_in_tag(sentence, lexicon):
        return starts[0]  # "You smoke, don't you?" asks all of it
    if opening is not None:
        return opening
    table = lexicon.table("question", "marked")
    found = next((at for at in starts if table.match(sentence.shapes, at)), None)
    if found is None and not _is_own_statement(sentence, lexicon, starts):
        return starts[0]
    return found


def _openings(
    message: str, sentence: Sentence, lexicon: Lexicon, starts: list[int], *, marked: bool
) -> Iterator[int]:
    """The clauses that open as questions alone do, with a mark or without: "what is", "did you", "which of them has".

    Without a mark, far behind the start of the sentence, only those of the first kind count.
    """
    shapes = sentence.shapes
    openers, alone = lexicon.table("question", "openers"), lexicon.table("question", "alone")
    stated = lexicon.table("question", "stated")
    inverts, relatives = lexicon.table("question", "inverts"), lexicon.table("question", "relatives")
    names = lexicon.table("question", "names")
    leading, last = True, starts[0]
    for at in _with_repeated(starts, shapes):
        # Only a name that is called, or a word that leads in, stands before a clause that leads.
        leading = leading and (at - last <= 1 or sentence.words[last + 1] in _SEPARATORS)
        last = at
        if stated.match(shapes, at) or (at and inverts.match(shapes, at - 1)):
            continue
        if not (marked or leading) and (
            relatives.match(shapes, at) or (at and _goes_on(sentence, lexicon, at))
        ):
            continue  # "a movie, which is ...", "great, but are no ..."
        if openers.match(shapes, at):
            yield at
        elif not (marked or leading):
            continue
        elif alone.match(shapes, at) or any(
            asks(sentence, lexicon, at) for asks in (_asks_which, _is_called, _is_single)
        ):
            yield at
        else:
            length = names.match(shapes, at)
            behind = at + length
            if length and behind < len(shapes) and message[sentence.starts[behind]].isupper():
                yield at  # "Did Melanie ..."


def _is_called(sentence: Sentence, lexicon: Lexicon, at: int) -> bool:
    """ "Kim: is vim installed": behind a name that is called a verb in front of a noun asks, where no list has the noun."""
    words, behind = sentence.words, at + 1
    if (
        at != _CALLED
        or words[at - 1] not in (":", ",")
        or behind >= len(words)
        or not sentence.is_word(behind)
    ):
        return False
    return bool(lexicon.table("question", "called").match(words, at)) and words[behind] not in lexicon.words


def _is_single(sentence: Sentence, lexicon: Lexicon, at: int) -> bool:
    """ "Sorry, where": a word that asks and is a clause by itself."""
    if at != sentence.plain[-1] or (at and sentence.is_word(at - 1)):
        return False
    return any(lexicon.table("question", name).match(sentence.words, at) for name in ("alone", "relatives"))


def _goes_on(sentence: Sentence, lexicon: Lexicon, at: int) -> bool:
    """Whether a verb behind a conjunction goes on with the sentence, or a title in quotation marks opens."""
    if sentence.words[at - 1] == '"':
        return True
    return sentence.is_word(at - 1) and bool(lexicon.table("question", "verbs").match(sentence.words, at))


def _with_repeated(starts: list[int], words: list[str]) -> Iterator[int]:
    """The starts, and what stands behind a first word that is said twice: "do do you"."""
    for at in starts:
        yield at
        if at + 1 < len(words) and words[at] == words[at + 1]:
            yield at + 1


def _asks_which(sentence: Sentence, lexicon: Lexicon, at: int) -> bool:
    """ "which of them is", "how many times has": a word that asks, and its verb behind it before any subject."""
    length = lexicon.table("question", "which").match(sentence.words, at)
    if not length:
        return False
    verbs, subjects = lexicon.table("question", "verbs"), lexicon.table("clause", "subjects")
    for near in range(at + length, min(at + length + _VERB_WITHIN, len(sentence))):
        if not sentence.is_word(near) or subjects.match(sentence.words, near):
            return False
        if verbs.match(sentence.words, near):
            return True
    return False


def _ends_in_tag(sentence: Sentence, lexicon: Lexicon) -> bool:
    tags, afterthoughts = lexicon.table("question", "tags"), lexicon.table("question", "afterthoughts")
    last = sentence.plain[-1] + 1 if sentence.plain else 0
    return any(
        at + tags.match(sentence.words, at) == last
        or (not sentence.is_word(at - 1) and at + afterthoughts.match(sentence.words, at) == last)
        for at in range(max(last - _LONGEST_TAG, 1), last)
    )


def _clause_starts(sentence: Sentence, lexicon: Lexicon) -> list[int]:
    """Where clauses may start: behind words that only lead in ("ok so"), and after marks and conjunctions."""
    words, size = sentence.words, len(sentence)
    fillers, joins = lexicon.table("sentence", "fillers"), lexicon.table("clause", "joins")
    parts, openers = lexicon.table("clause", "parts"), lexicon.table("question", "openers")
    last = sentence.plain[-1] if sentence.plain else -1
    starts: list[int] = []
    fresh = True
    at = 0
    while at < size:
        word = words[at]
        if word in _SEPARATORS or word[0] in ".…":
            fresh = True
        else:
            skip = fillers.match(words, at) if fresh and word in fillers.firsts else 0
            if skip and openers.match(words, at) > skip:
                skip = 0  # "you know where" leads in to nothing
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
    if _ends_in(sentence, lexicon.table("question", "polite")):
        return True
    allowed = lexicon.table("question", "allowed")
    names_service = any(shape == "#" or shape in services.firsts for shape in shapes)
    for at in starts:
        if allowed.match(shapes, at) and not names_service:
            continue  # "can I have a cat?"
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
