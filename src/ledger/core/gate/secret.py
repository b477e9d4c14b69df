"""Rule 6, secrets: no credential, no card or account number, no national identity number.

Check digits come from python-stdnum, so that a number is called a card only when it can be one.
Source: DESIGN section 6, rule 6; ISO/IEC 7812 (cards), ISO 13616 (IBAN).
"""

from __future__ import annotations

import re
import unicodedata
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

# What each kind of key holds, and how it looks: most answers hold none of the first, and are not searched for the second.
_KEYS = tuple(
    (hints.split(), regex.compile(pattern))
    for hints, pattern in {
        "-----BEGIN": r"-----BEGIN [A-Z ]*PRIVATE KEY",
        "AKIA ASIA ABIA ACCA": r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b",
        "gho_ ghp_ ghr_ ghs_ ghu_": r"\bgh[pousr]_[A-Za-z0-9]{20,}",
        "github_pat_ glpat-": r"\bgithub_pat_[A-Za-z0-9_]{20,}|\bglpat-[\w-]{20,}",
        "xox xapp- slack.com": r"\bxox[abeoprs]-[\w-]{10,}|\bxapp-[\w-]{10,}|hooks\.slack\.com/services/\S+",
        "sk- sk_ pk- pk_ rk- rk_": r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant)?[-_]?[A-Za-z0-9_-]{20,}",
        "whsec_": r"\bwhsec_\w{20,}",
        "AIza ya29. GOCSPX-": r"\bAIza[\w-]{30,}|\bya29\.[\w-]{20,}|\bGOCSPX-[\w-]{20,}",
        "eyJ": r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*",
        "SG. key- hf_": r"\bSG\.[\w-]{16,}\.[\w-]{16,}|\bkey-[0-9a-f]{32}\b|\bhf_[A-Za-z0-9]{20,}",
        "npm_ pypi- rubygems_": r"\bnpm_[A-Za-z0-9]{30,}|\bpypi-[\w-]{30,}|\brubygems_[0-9a-f]{40,}",
        "dop_v1_ shp dapi pul- shippo_": r"\b(?:dop_v1_|shp(?:at|ca|pa|ss)_|dapi|pul-|shippo_(?:live|test)_)[0-9a-fA-F]{32,}",
        "hvs. hvb. dp. NRAK-": r"\bhv[sb]\.[\w-]{20,}|\bdp\.[a-z]{2,5}\.\w{20,}|\bNRAK-[A-Z0-9]{20,}",
        "AGE-SECRET-KEY-": r"\bAGE-SECRET-KEY-1[0-9A-Z]{20,}",
        ":AA": r"\b\d{8,10}:AA[\w-]{30,}",
        "://": r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,80}:[^\s@/]{1,80}@",
        "Bearer": r"\bBearer\s+[\w.~+/-]{16,}",
    }.items()
)
_VALUE = re.compile(r"[\d!@#$%^&*_+-]")  # what a named secret has one of; few other texts do
_NUMBER_OR_LONG = re.compile(
    r"\d|[\S\x1c-\x1f]{16}|PRIVATE KEY"
)  # without either there is no key and no number
_LONG_TOKEN = regex.compile(r"(?<![\w/.+=-])[A-Za-z0-9+_-]{28,}={0,2}(?![\w/.])")
# Digits in groups, however they are parted: a card's number may have its date or its check number behind it.
_DIGITS = regex.compile(r"(?<![\w.,])\d(?:[\s\-–.·/_\u200b-\u200d\u2060]{0,2}\d){12,30}(?!\w)")
_GROUP = re.compile(r"[0-9]+")
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
    if _VALUE.search(folded):
        for words, pattern in _named_secrets(lexicon):
            if any(word in folded for word in words) and pattern.search(folded):
                return True
    if _NUMBER_OR_LONG.search(text) is None:
        return False
    return (
        any(any(hint in text for hint in hints) and pattern.search(text) for hints, pattern in _KEYS)
        or any(_is_random(match.group()) for match in _LONG_TOKEN.finditer(text))
        or any(_is_card(match.group()) for match in _DIGITS.finditer(unicodedata.normalize("NFKC", text)))
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
    """Whether whole groups of digits that stand together are a card's number."""
    groups = _GROUP.findall(number)
    return any(
        len(digits) in _CARD_LENGTHS and digits[0] in "23456" and luhn.is_valid(digits)
        for first in range(len(groups))
        for last in range(first + 1, min(first + 20, len(groups)) + 1)
        for digits in ("".join(groups[first:last]),)
    )


def _is_iban(candidate: str) -> bool:
    words = candidate.split()
    # Words that follow the number may have been taken along: the number is what stands first.
    return any(iban.is_valid("".join(words[:count])) for count in range(1, len(words) + 1))


@lru_cache(maxsize=16)
def _named_secrets(lexicon: Lexicon) -> tuple[tuple[tuple[str, ...], regex.Pattern[str]], ...]:
    """Patterns for "my password is ..." and "account number: ...", from the words of the language data, each behind those words."""

    def named(name: str, value: str) -> list[tuple[tuple[str, ...], regex.Pattern[str]]]:
        words = tuple(dict.fromkeys(" ".join(phrase) for phrase in lexicon.spelt("secret", name)))
        links = "|".join(regex.escape(" ".join(phrase)) for phrase in lexicon.spelt("secret", "links"))
        if not words:
            return []
        either = "|".join(map(regex.escape, words))
        pattern = regex.compile(rf"(?<!\w)(?:{either})(?:\s*[:=]\s*|\s+(?:{links})\s+){value}")
        # Of words that begin alike the shortest tells enough.
        return [
            (
                tuple(word for word in words if not any(word != each and each in word for each in words)),
                pattern,
            )
        ]

    return (*named("words", rf"[\"']?(?=\S*{_VALUE.pattern})\S{{4,}}"), *named("numbers", r"#?\d[\d -]{2,}"))
