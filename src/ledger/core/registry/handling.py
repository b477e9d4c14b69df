"""How strictly a topic is handled, and which topics can't be open.

Source: design, section 5; GDPR articles 9 and 10 (special categories of personal data, criminal convictions).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from ledger.core.model import Handling

Categories = Mapping[str, frozenset[str]]
"""A special category -> what touches it: words in small letters without accents, `_` between those of a phrase."""

LONGEST_PHRASE = 3  # words

_LETTERS = re.compile(r"[^\W\d_]+")


def stricter(one: Handling, other: Handling) -> Handling:
    """The stricter of two; what a merge of topics takes."""
    return max(one, other, key=lambda handling: handling.rank)


def is_loosening(old: Handling, new: Handling) -> bool:
    """Whether more would be shown or kept than before."""
    return new.rank < old.rank


def special_category(
    categories: Categories, key: str, question: str | None, aliases: Iterable[str]
) -> str | None:
    """The special category that a topic touches by whole words of its key, aliases or question, else None.

    A floor and no judgement: what the words miss, an operator still has to seal.
    """
    found = {phrase for text in (key, *aliases, question or "") for phrase in _phrases(text)}
    return next((category for category, touching in categories.items() if found & touching), None)


def _phrases(text: str) -> Iterator[str]:
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    words = _LETTERS.findall(plain.casefold())
    for start in range(len(words)):
        for end in range(start + 1, start + 1 + LONGEST_PHRASE):
            yield "_".join(words[start:end])
