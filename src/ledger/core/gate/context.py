"""Rule 5, context: words that lean on the listener or the place say nothing to anybody else.

Source: DESIGN section 6, rule 5.
"""

from __future__ import annotations

from ledger.core.gate.sentences import Sentence
from ledger.core.language import Lexicon


def leans(sentence: Sentence, lexicon: Lexicon, start: int, end: int) -> bool:
    """Whether a span holds, in this sentence, one of the closed list: "for you", "your office", "this role", "right here"."""
    phrases, words = lexicon.table("context", "phrases"), sentence.words
    return any(words[at] in phrases.firsts and phrases.match(words, at) for at in sentence.within(start, end))
