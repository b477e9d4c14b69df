"""Which sentences of the data really ask: a fixed rule of its own, so that the gate can't move what it is measured by.

A sentence really asks when it ends in a question mark or opens like a question, and neither states nor requests. It opens like a question
with one of the words of `_OPENS`, behind a name that is called and words that lead in. A request is one that wraps no question ("can you
tell me how") and in which a clause opens with one of `_REQUESTS`: it asks for a deed ("can you book it"), a thing ("is there a table", "do you have a room") or a choice ("how about Friday").
A statement opens in the first person ("I booked for two?") or holds a number and no verb of asking ("8:45 pm?").

The rule uses nothing of the gate and of its language data. `questions.json` beside it names the lines that it gives, and a test holds the two
together: who changes the rule changes that list.
"""

from __future__ import annotations

import re

_LEADS_IN = re.compile(
    r"^(?:[\s\W]*(?:[A-Za-z0-9_|`^\[\]-]+\s*[:,]+\s+|(?:ok|okay|so|well|and|but|or|oh|uh|um|uh-huh|huh|hmm|hm|hey|hi|hello|yes|yeah|yep|no|"
    r"now|then|also|great|good|cool|nice|thanks|thank you|sorry|alright|all right|right|sure|wow|perfect|i see|i mean|you know|please|"
    r"actually|anyway|by the way|like)\b[\s,.!:;-]*))*[\s\W]*",
    re.IGNORECASE,
)
_OPENS = re.compile(
    r"(?:what|which|who|whom|whose|where|when|why|how(?! to\b(?!.*\?))|whats|wheres|hows|whos|is|isn't|are|aren't|was|wasn't|were|weren't|do(?! my)|don't|does|"
    r"doesn't|did|didn't|has|hasn't|have you|haven't|had you|can|can't|could|couldn't|will|won't|would(?! like)|wouldn't|should|shouldn't|am i)"
    r"(?:'s|'re|'ll|'d)?\b(?!')",
    re.IGNORECASE,
)
_REQUESTS = re.compile(
    r"(?:^|[,;:—-]\s*|\b(?:and|but|so|or|because|though|if|please|also)\s+)"
    r"(?:(?:can|can't|could|couldn't|would|will|won't|may|might)\s+(?:i|we|you|u|ya|someone|somebody|it|that|this|my|our|the)\b"
    r"|(?:is|are|will|would)\s+there\b|is\s+(?:it|this|that)\s+(?:ok|okay|fine|alright|possible)\b|do\s+you\s+(?:guys\s+)?(?:have|know\s+of)\b"
    r"|(?:how|what)\s+about\b|what\s+if\b|why\s+not\b|why\s+don't\s+(?:we|you)\b|(?:any|got\s+any|anything|something)\b|would\s+it\s+be\b)",
    re.IGNORECASE,
)
_INDIRECT = re.compile(
    r"\b(?:tell\s+(?:me|us)|let\s+(?:me|us)\s+know|do\s+you\s+know|i\s+know)\s+(?:what|where|who|when|why|how|which|whether|if)\b",
    re.IGNORECASE,
)
_STATES = re.compile(
    r"(?:i|we|i'm|i'd|i've|i'll|we're|we'd|we've|we'll|my|our|it's|that's|let's|make|find|book|show|get)\b",
    re.IGNORECASE,
)
_ELLIPSIS = re.compile(
    r"[^?]*\d[^?]*\?+$|(?:for|at|on|in|to|from|with|maybe|perhaps)\b[^?]*\?+$", re.IGNORECASE
)
_END = re.compile(r"[.!?]+(?=\s|$)|\n+")


def sentences(text: str) -> list[tuple[int, int]]:
    """Where the sentences of a text stand: up to a full stop, exclamation or question mark before a blank, or a line break."""
    found: list[tuple[int, int]] = []
    start = 0
    for match in [*_END.finditer(text), None]:
        end = len(text) if match is None else match.end()
        if text[start:end].strip():
            found.append((start + len(text[start:end]) - len(text[start:end].lstrip()), end))
        start = end
    return found


def opening(sentence: str) -> int | None:
    """Where a sentence opens like a question; None where it does not."""
    proper = _proper(sentence)
    return len(sentence) - len(proper) if _OPENS.match(proper) else None


def opens_like_a_question(sentence: str) -> bool:
    return opening(sentence) is not None


def is_request(sentence: str) -> bool:
    proper = _proper(sentence)
    return _REQUESTS.search(proper) is not None and _INDIRECT.search(proper) is None


def states(sentence: str) -> bool:
    """Whether a sentence states something, although a question mark may end it."""
    proper = _proper(sentence)
    return not _OPENS.match(proper) and (
        _STATES.match(proper) is not None or _ELLIPSIS.match(proper) is not None
    )


def really_asks(sentence: str) -> bool:
    """Whether a sentence really asks."""
    asking = sentence.rstrip(" \"')").endswith("?") or opens_like_a_question(sentence)
    return asking and not is_request(sentence) and not states(sentence)


def asks_at(text: str, start: int, end: int) -> bool:
    """Whether a slice of a text stands in a sentence that really asks."""
    return any(really_asks(text[a:b]) for a, b in sentences(text) if a < end and start < b)


def _proper(sentence: str) -> str:
    """A sentence behind what leads in to it, with straight apostrophes."""
    plain = sentence.replace("’", "'")
    match = _LEADS_IN.match(plain)
    return plain[match.end() :] if match else plain
