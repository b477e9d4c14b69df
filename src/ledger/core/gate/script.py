"""Which script a message is written in, and whether its language is one there is data for.

Source: UAX #24; DESIGN section 6 ("in a language without data").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import regex

from ledger.core.language import Lexicon

_FEW = 5  # words; with fewer a message tells nothing of its language
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*")
_ASCII, _ASCII_LETTERS = re.compile(r"[\x00-\x7f]+"), re.compile(r"[A-Za-z]+")
_LETTER = regex.compile(r"\p{L}")


def letters_by_script(text: str, scripts: frozenset[str]) -> dict[str, int]:
    """How many letters a text has in each of the scripts, and under "" in any other; for ASCII whether it has any."""
    if text.isascii():
        return {"Latin" if "Latin" in scripts else "": int(_LETTER.search(text) is not None)}
    # All ASCII letters are Latin: only the others, few in most texts, have to be looked at one by one.
    plain = sum(map(len, _ASCII_LETTERS.findall(text)))
    others = _ASCII.sub("", text)
    counts = {
        script: len(_letters_of(script).findall(others)) + (plain if script == "Latin" else 0)
        for script in sorted(scripts)
    }
    counts[""] = plain + len(_LETTER.findall(others)) - sum(counts.values())
    return counts


@lru_cache(maxsize=64)
def _letters_of(script: str) -> regex.Pattern[str]:
    return regex.compile(rf"(?=\p{{L}})\p{{Script={script}}}")


def speaks(folded: str, lexicon: Lexicon) -> bool:
    """Whether a folded text may be in a language of the lexicon: it is short, or holds one of the words that tell them."""
    telling = lexicon.telling
    words = 0
    for match in _WORD.finditer(folded):
        if match.group() in telling:
            return True
        words += 1
    return words < _FEW


def other_script(words: Iterable[str], scripts: frozenset[str]) -> bool:
    """Whether a word has a letter of a script that is none of these."""
    return any(not word.isascii() and _other_than(scripts).search(word) is not None for word in words)


@lru_cache(maxsize=64)
def _other_than(scripts: frozenset[str]) -> regex.Pattern[str]:
    listed = "".join(rf"\p{{Script={script}}}" for script in sorted(scripts))
    return regex.compile(rf"(?=\p{{L}})[^{listed}\p{{Script=Common}}\p{{Script=Inherited}}]")
