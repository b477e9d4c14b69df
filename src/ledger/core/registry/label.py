"""A label becomes a key, or is refused.

Guaranteed: `normalise(normalise(label)) == normalise(label)`; a key holds letters, digits and marks of one
script and single `_` between words, 1 to 64 code points, so that it compares the same under collation "C"
everywhere. A refusal names its reason and never repeats the label.

Source: design, section 5; Unicode UAX #15 (NFKC), UTS #39 sections 5.1 (one script), 5.3 (numbers of one
system) and 4 (whole-script confusables), UAX #31 table 5 (recommended scripts).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

import regex

from ledger.core.gate.names import Names
from ledger.errors import BadLabel

LONGEST_KEY = 64  # code points
LONGEST_LABEL = 512  # code points; a label is words, not a text

# Scripts in everyday use; several that are written together count as one. Others (Cherokee, runes) would
# serve imitation more often than anybody's language.
_SYSTEMS = (
    "Arabic", "Armenian", "Bengali", "Cyrillic", "Devanagari", "Ethiopic", "Georgian", "Greek", "Gujarati",
    "Gurmukhi", "Hebrew", "Kannada", "Khmer", "Lao", "Latin", "Malayalam", "Myanmar", "Oriya", "Sinhala", "Tamil",
    "Telugu", "Thaana", "Thai", "Tibetan", "Han Hiragana Katakana", "Han Hangul", "Han Bopomofo",
)  # fmt: skip
_OF_SCRIPT = r"\p{Script_Extensions=%s}"
_ONE_SYSTEM = regex.compile(
    "|".join(
        "[" + "".join(_OF_SCRIPT % script for script in (*system.split(), "Common", "Inherited")) + "]*"
        for system in _SYSTEMS
    )
)
# Small letters of Cyrillic, Greek and Armenian that pass for Latin ones. A label of nothing else is not told
# from a Latin one by any reader.
_PASSES_FOR_LATIN = regex.compile("[асеорхуіјѕһԁԛԝѵӏ]+|[αινορυχ]+|[ցհոսօքզ]+")

_OUTSIDE = regex.compile(r"[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]")
_RESERVED = regex.compile(r"[/\\%\u2044\u2215]")
_ANGLE = regex.compile(r"[<>]")
_ADDRESS = regex.compile(
    r"@|://|\bwww\.|[\p{L}\p{N}]\.(?:com|org|net|edu|gov|mil|int|info|biz|xyz|app|dev|shop|site|online|io|ai|eu|us|uk|ca"
    r"|au|nz|ie|fr|pt|nl|ch|dk|pl|cz|ru|ua|cn|jp|kr|br|mx|cl|co)(?![\p{L}\p{N}])"
)
_FIVE_DIGITS = regex.compile(r"\p{N}(?:\p{M}*\p{N}){4}")
_PHONE = regex.compile(r"\p{N}(?:[^\p{L}\p{N}]*\p{N}){6}")  # seven digits, however they are split
_LOOSE_MARK = regex.compile(r"(?:^|[^\p{L}\p{M}\p{N}])\p{M}|\p{M}{5}")
_SEPARATORS = regex.compile(r"[\p{Zs}\p{P}--[#*]]+", regex.VERSION1)
_WORDS_ONLY = regex.compile(r"[\p{L}\p{M}\p{N}_]+")
_ANY_LETTER_OR_DIGIT = regex.compile(r"[\p{L}\p{N}]")
# Small Latin letters, words apart by one `_`, at most four digits at the end: already a key, and nothing in it
# that could be refused. Most labels are; a recall of a dozen would spend more on them than on its query.
_IS_A_KEY = re.compile(r"[a-z]+(?:_[a-z]+)*(?:_?[0-9]{1,4})?")


def normalise(label: str, avoid: Names | Iterable[str] = ()) -> str:
    """The key that a label names. Raises BadLabel; its detail says why and what would do."""
    if not avoid and len(label) <= LONGEST_KEY and _IS_A_KEY.fullmatch(label):
        return label
    if len(label) > LONGEST_LABEL:
        raise _refusal("is too long", f"use at most {LONGEST_KEY} characters")
    if _OUTSIDE.search(label):
        raise _refusal("holds a line break, a control or an invisible character", "use plain words")
    text = fold(label)
    for pattern, wrong, instead in (
        (_OUTSIDE, "holds a line break, a control or an invisible character", "use plain words"),
        (_ADDRESS, "holds an address", "name the topic, not a person or a place to reach one"),
        (_RESERVED, "holds one of / \\ %", "write it out"),
        (_ANGLE, "holds an angle bracket", "use plain words"),
        (_FIVE_DIGITS, "holds a long number", "name the topic without it"),
        (_PHONE, "holds what may be a phone number", "name the topic without it"),
        (_LOOSE_MARK, "holds marks that belong to no letter", "use plain words"),
    ):
        if pattern.search(text):
            raise _refusal(wrong, instead)
    key: str = _SEPARATORS.sub("_", text).strip("_")
    if not _ANY_LETTER_OR_DIGIT.search(key):
        raise _refusal("holds no letter and no digit", "name the topic in words")
    if not _WORDS_ONLY.fullmatch(key):
        raise _refusal("holds a symbol", "write it out in words")
    if len(key) > LONGEST_KEY:
        raise _refusal("is too long", f"use at most {LONGEST_KEY} characters")
    if not _ONE_SYSTEM.fullmatch(key) or _mixes_digits(key):
        raise _refusal("mixes scripts", "use the letters and digits of one")
    if _PASSES_FOR_LATIN.fullmatch(key.replace("_", "")):
        raise _refusal("is made of letters that pass for Latin ones", "add a word that does not")
    if Names.of(avoid).one_in(key.replace("_", " ")):
        raise _refusal("holds a name that is to be avoided", "name the topic, not a person or a company")
    return key


def fold(text: str) -> str:
    """NFKC, then casefold, until the two together change nothing: once is not a fixed point."""
    while (folded := unicodedata.normalize("NFKC", text).casefold()) != text:
        text = folded
    return text


def words(key: str) -> list[str]:
    return key.split("_")


def _mixes_digits(key: str) -> bool:
    """Decimal digits of one system have their zero in common."""
    return len({ord(c) - unicodedata.decimal(c) for c in key if unicodedata.category(c) == "Nd"}) > 1


def _refusal(wrong: str, instead: str) -> BadLabel:
    return BadLabel(f"The label {wrong}; {instead}.")
