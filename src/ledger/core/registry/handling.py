"""How strictly a topic is handled, and which topics can't be open.

Source: design, section 5; GDPR articles 9 and 10 (special categories of personal data, criminal convictions).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from ledger.core.model import Handling

Categories = Mapping[str, frozenset[str]]
"""A special category -> the words that touch it, in small letters without accents."""

_LETTERS = re.compile(r"[^\W\d_]+")


def stricter(one: Handling, other: Handling) -> Handling:
    return max(one, other, key=lambda handling: handling.rank)


def is_loosening(old: Handling, new: Handling) -> bool:
    return new.rank < old.rank


def special_category(
    categories: Categories, key: str, question: str | None, aliases: Iterable[str]
) -> str | None:
    """The special category that a topic touches by a whole word of its key, aliases or question, else None."""
    found = {word for text in (key, *aliases, question or "") for word in _words(text)}
    return next((category for category, touching in categories.items() if found & touching), None)


def _words(text: str) -> Iterator[str]:
    plain = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    yield from _LETTERS.findall(plain.casefold())
