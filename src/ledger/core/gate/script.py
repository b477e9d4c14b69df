"""Which script a message is written in.

Source: UAX #24.
"""

from __future__ import annotations

from functools import lru_cache

import regex

_LETTER = regex.compile(r"\p{L}")


def letters_by_script(text: str, scripts: frozenset[str]) -> dict[str, int]:
    """How many letters a text has in each of the scripts, and under "" in any other; for ASCII whether it has any."""
    if text.isascii():
        return {"Latin" if "Latin" in scripts else "": int(_LETTER.search(text) is not None)}
    total = len(_LETTER.findall(text))
    counts = {script: len(_letters_of(script).findall(text)) for script in sorted(scripts)}
    counts[""] = total - sum(counts.values())
    return counts


@lru_cache(maxsize=64)
def _letters_of(script: str) -> regex.Pattern[str]:
    return regex.compile(rf"(?=\p{{L}})\p{{Script={script}}}")
