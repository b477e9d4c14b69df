"""Rule 5, context: words that lean on the listener or the place say nothing to anybody else.

Source: DESIGN section 6, rule 5.
"""

from __future__ import annotations

from ledger.core.gate.sentences import Tokens
from ledger.core.language import Lexicon


def leans(tokens: Tokens, lexicon: Lexicon, start: int, end: int) -> bool:
    """Whether a span holds one of the closed list: "for you", "your office", "this role", "right here"."""
    phrases = lexicon.table("context", "phrases")
    return any(
        tokens.words[at] in phrases and phrases.match(tokens.words, at) for at in tokens.within(start, end)
    )
