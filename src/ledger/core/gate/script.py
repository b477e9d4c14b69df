"""Which scripts a message is written in.

Source: UAX #24; DESIGN section 6 ("in a language without data").
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

import regex

from ledger.core.phrases import SPACELESS

_SPACELESS = re.compile(f"[{SPACELESS}]")
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


def spaceless_letters(text: str) -> frozenset[str]:
    """The letters of a text in scripts that are written without spaces."""
    return frozenset(_SPACELESS.findall(text))


def other_script(words: Iterable[str], scripts: frozenset[str]) -> bool:
    """Whether a word has a letter of a script that is none of these."""
    latin = "Latin" in scripts
    return any(
        not (latin and word.isascii()) and _other_than(scripts).search(word) is not None for word in words
    )


@lru_cache(maxsize=64)
def _other_than(scripts: frozenset[str]) -> regex.Pattern[str]:
    listed = "".join(rf"\p{{Script={script}}}" for script in sorted(scripts))
    return regex.compile(rf"(?=\p{{L}})[^{listed}\p{{Script=Common}}\p{{Script=Inherited}}]")
