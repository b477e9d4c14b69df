"""Rule 6, names: nothing that tells which counterparty the principal was talking to.

Source: DESIGN section 6, rule 6.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

import regex

from ledger.core.phrases import Words
from ledger.core.text import fold

_WORD = regex.compile(r"[\p{L}\p{N}]+")
_SPACELESS = regex.compile(
    r"[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]"
)


def names_one(text: str, avoid: tuple[str, ...]) -> bool:
    """Whether one of the names stands in a text: as whole words, in any case, accent, spacing or inflection ("Marta's").

    In scripts written without spaces it is enough that it stands there at all.
    """
    if not avoid:
        return False
    first, anywhere = _index(tuple(avoid))
    words = _words(text)
    for at, word in enumerate(words):
        for start in {word, word.removesuffix("s")}:
            if any(_stands(words, at, name) for name in first.get(start, ())):
                return True
    joined = "".join(words)
    return any(name in joined for name in anywhere)


def _stands(words: Words, at: int, name: Words) -> bool:
    end = at + len(name)
    return (
        end <= len(words)
        and words[at : end - 1] == name[:-1]
        and words[end - 1] in (name[-1], name[-1] + "s")
    )


@lru_cache(maxsize=256)
def _index(avoid: tuple[str, ...]) -> tuple[dict[str, list[Words]], tuple[str, ...]]:
    first: dict[str, list[Words]] = {}
    anywhere: list[str] = []
    for name in avoid:
        words = _words(name)
        if not words:
            continue
        joined = "".join(words)
        for form in {words, (joined,)}:
            first.setdefault(form[0], []).append(form)
        if _SPACELESS.search(joined):
            anywhere.append(joined)
    return first, tuple(anywhere)


def _words(text: str) -> Words:
    """Words without case, accents, compatibility forms and invisible characters."""
    bare = fold(unicodedata.normalize("NFKC", text)).text
    if not bare.isascii():
        bare = "".join(char for char in unicodedata.normalize("NFD", bare) if not unicodedata.combining(char))
    return tuple(_WORD.findall(bare))
