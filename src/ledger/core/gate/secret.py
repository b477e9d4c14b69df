"""Rule 6, secrets: no credential, no card or account number, no national identity number.

Check digits come from python-stdnum, so that a number is called a card only when it can be one.
Source: DESIGN section 6, rule 6; ISO/IEC 7812 (cards), ISO 13616 (IBAN).
"""

from __future__ import annotations

import re
from collections import Counter
from functools import lru_cache
from math import log2

import regex
from stdnum import iban, luhn
from stdnum.es import dni, nie
from stdnum.fr import nir
from stdnum.it import codicefiscale
from stdnum.us import ssn

from ledger.core.language import Lexicon
from ledger.core.text import fold

_KEYS = regex.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY"
    r"|\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"
    r"|\bgh[pousr]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[\w-]{20,}"
    r"|\bxox[abeoprs]-[\w-]{10,}|\bxapp-[\w-]{10,}|hooks\.slack\.com/services/\S+"
    r"|\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{20,}|\bwhsec_\w{20,}"
    r"|\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}"
    r"|\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"
    r"|\bSG\.[\w-]{16,}\.[\w-]{16,}|\bkey-[0-9a-f]{32}\b|\bhf_[A-Za-z0-9]{20,}|\bnpm_[A-Za-z0-9]{30,}|\bpypi-[\w-]{30,}"
    r"|\bdop_v1_[0-9a-f]{32,}|\bshp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}|\bAGE-SECRET-KEY-1[0-9A-Z]{20,}"
    r"|\b\d{8,10}:AA[\w-]{30,}"
    r"|\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,80}:[^\s@/]{1,80}@"
    r"|\bBearer\s+[\w.~+/-]{16,}"
)
_VALUE = re.compile(r"[\d!@#$%^&*_+-]")  # what a named secret has one of; few other texts do
_NUMBER_OR_LONG = re.compile(
    r"\d|[\S\x1c-\x1f]{16}|PRIVATE KEY"
)  # without either there is no key and no number
_LONG_TOKEN = regex.compile(r"(?<![\w/.+=-])[A-Za-z0-9+_-]{28,}={0,2}(?![\w/.])")
_DIGITS = regex.compile(r"(?<![\w.,])\d(?:[ \-.]?\d){12,18}(?![\w])")
_IBAN = regex.compile(r"(?<!\w)[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{2,4}){3,9}(?!\w)", regex.IGNORECASE)
_NATIONAL = (
    (regex.compile(r"(?<![\w-])\d{3}-\d{2}-\d{4}(?![\w-])"), ssn.is_valid),
    (regex.compile(r"(?<!\w)\d{8}[ -]?[A-Z](?!\w)", regex.IGNORECASE), dni.is_valid),
    (regex.compile(r"(?<!\w)[XYZ][ -]?\d{7}[ -]?[A-Z](?!\w)", regex.IGNORECASE), nie.is_valid),
    (regex.compile(r"(?<!\w)[12](?: ?\d{2}){3}(?: ?\d{3}){2}(?: ?\d{2})(?!\w)"), nir.is_valid),
    (
        regex.compile(r"(?<!\w)[A-Z]{6}\d{2}[A-Z]\d{2}[A-Z]\d{3}[A-Z](?!\w)", regex.IGNORECASE),
        codicefiscale.is_valid,
    ),
)
_CARD_LENGTHS = range(13, 20)
_BITS = 4.0  # per character: words and identifiers stay below, random keys of this length lie above


def holds_secret(text: str, lexicon: Lexicon) -> bool:
    """Whether a text holds a credential, a card, account or national identity number. Linear in its length."""
    folded = fold(text).text
    if _VALUE.search(folded) and any(pattern.search(folded) for pattern in _named_secrets(lexicon)):
        return True
    if _NUMBER_OR_LONG.search(text) is None:
        return False
    return (
        _KEYS.search(text) is not None
        or any(_is_random(match.group()) for match in _LONG_TOKEN.finditer(text))
        or any(_is_card(match.group()) for match in _DIGITS.finditer(text))
        or any(_is_iban(match.group()) for match in _IBAN.finditer(text))
        or any(valid(match.group()) for pattern, valid in _NATIONAL for match in pattern.finditer(text))
    )


def _is_random(token: str) -> bool:
    classes = (str.isupper, str.islower, str.isdigit)
    if not all(any(test(char) for char in token) for test in classes):
        return False
    counts = Counter(token)
    return -sum(n / len(token) * log2(n / len(token)) for n in counts.values()) > _BITS


def _is_card(number: str) -> bool:
    digits = "".join(char for char in number if char.isdigit())
    return len(digits) in _CARD_LENGTHS and digits[0] in "23456" and luhn.is_valid(digits)


def _is_iban(candidate: str) -> bool:
    words = candidate.split()
    # Words that follow the number may have been taken along: the number is what stands first.
    return any(iban.is_valid("".join(words[:count])) for count in range(1, len(words) + 1))


@lru_cache(maxsize=16)
def _named_secrets(lexicon: Lexicon) -> tuple[regex.Pattern[str], ...]:
    """Patterns for "my password is ..." and "account number: ...", from the words of the language data."""

    def named(name: str, value: str) -> list[regex.Pattern[str]]:
        words = "|".join(regex.escape(" ".join(phrase)) for phrase in lexicon.spelt("secret", name))
        links = "|".join(regex.escape(" ".join(phrase)) for phrase in lexicon.spelt("secret", "links"))
        if not words:
            return []
        return [regex.compile(rf"(?<!\w)(?:{words})(?:\s*[:=]\s*|\s+(?:{links})\s+){value}")]

    return (*named("words", rf"[\"']?(?=\S*{_VALUE.pattern})\S{{4,}}"), *named("numbers", r"#?\d[\d -]{2,}"))
