"""Writes src/ledger/packs/real_words.txt: words that one slip of the keyboard turns into another word.

    python -m benchmarks.real_words EN.json.gz ES.json.gz > src/ledger/packs/real_words.txt

The arguments are the English and Spanish frequency dictionaries of pyspellchecker (MIT licence): word -> count.
A label with such a word means it: "meditation" is no slip of "medication".
"""

from __future__ import annotations

import gzip
import json
import sys
import unicodedata
from collections import defaultdict
from pathlib import Path

MOST_FREQUENT = 40_000, 30_000  # words of English, of Spanish
HEAD = """\
# Words of English and Spanish, without accents, that one letter more, less, changed or swapped turns into another.
# Drawn by benchmarks/real_words.py from the frequency dictionaries of pyspellchecker (MIT licence).
"""


def neighbours(words: set[str]) -> dict[str, set[str]]:
    """Each word with the words one letter away."""
    near: dict[str, set[str]] = defaultdict(set)
    holes: dict[str, set[str]] = defaultdict(set)
    for word in words:
        for at in range(len(word)):
            holes[f"{word[:at]}_{word[at + 1 :]}"].add(word)
            for other in (word[:at] + word[at + 1 :], word[:at] + word[at : at + 2][::-1] + word[at + 2 :]):
                if other != word and other in words:
                    near[word].add(other)
                    near[other].add(word)
    for alike in holes.values():
        for word in alike:
            near[word] |= alike - {word}
    return near


def main(paths: list[str]) -> None:
    found: set[str] = set()
    for path, most in zip(paths, MOST_FREQUENT, strict=True):
        counts: dict[str, int] = json.loads(gzip.decompress(Path(path).read_bytes()))
        frequent = sorted((w for w in counts if w.isalpha() and len(w) >= 4), key=lambda w: -counts[w])[:most]
        plain = {
            "".join(c for c in unicodedata.normalize("NFKD", w) if not unicodedata.combining(c))
            for w in frequent
        }
        for word, others in neighbours({w for w in plain if w.isascii()}).items():
            if any(max(len(word), len(o)) >= 5 and o != word + "s" and word != o + "s" for o in others):
                found.add(word)
    print(HEAD + "\n".join(sorted(found)))


if __name__ == "__main__":
    main(sys.argv[1:])
