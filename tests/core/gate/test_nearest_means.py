"""What passes, and what is suggested, says what was meant: it never ends on a negation whose scope lies behind it, nor inside a construction.

A grid: sentences whose meaning turns on their far end, in each language, and every slice of each.
"""

from __future__ import annotations

import re

import pytest

from ledger.core.gate import Gate

# Message; then what a slice that holds the first part has to hold too.
SENTENCES = {
    "en": [
        ("I want kids, not right away", "I want kids, not", "right away"),
        ("I don't eat anything but fish", "eat anything", "fish"),
        ("I smoke neither at home nor at work", "neither", "nor at work"),
        ("I eat no meat save fish", "no meat", "fish"),
        ("I'm allergic to peanuts and shellfish", "peanuts and", "shellfish"),
    ],
    "fr": [
        ("Je ne fume que dehors", "ne fume", "que dehors"),
        ("je veux des enfants, pas tout de suite", "des enfants, pas", "tout de suite"),
        ("je ne mange ni viande ni poisson", "ne mange", "ni poisson"),
    ],
    "es": [
        ("No fumo más que fuera", "No fumo", "más que fuera"),
        ("quiero hijos, no ahora mismo", "hijos, no", "ahora mismo"),
        ("no como ni carne ni pescado", "no como", "ni pescado"),
    ],
    "pt": [
        ("não fumo senão lá fora", "não fumo", "senão lá fora"),
        ("quero filhos, não agora mesmo", "filhos, não", "agora mesmo"),
    ],
    "it": [
        ("non fumo che fuori", "non fumo", "che fuori"),
        ("voglio figli, non adesso però", "figli, non", "adesso"),
    ],
    "de": [
        ("ich rauche nicht drinnen, sondern draussen", "nicht", "drinnen"),
        ("ich will Kinder, nicht jetzt gleich", "Kinder, nicht", "jetzt gleich"),
        ("ich esse weder Fleisch noch Fisch", "weder", "noch Fisch"),
    ],
    "nl": [
        ("ik wil kinderen, niet nu meteen", "kinderen, niet", "nu meteen"),
        ("ik eet noch vlees noch vis", "ik eet noch", "noch vis"),
    ],
    "da": [("jeg vil have børn, ikke lige nu", "børn, ikke", "lige nu")],
    "id": [("saya mau anak, tidak sekarang juga", "anak, tidak", "sekarang juga")],
    "tr": [("çocuk istiyorum, hemen değil ama", "hemen", "değil")],
    "sr": [("želim decu, ne odmah sada", "decu, ne", "odmah sada")],
}
GRID = [(lang, *sentence) for lang, sentences in SENTENCES.items() for sentence in sentences]


def slices(message: str) -> list[str]:
    words = [match.span() for match in re.finditer(r"\w+(?:['-]\w+)*", message)]
    return [
        message[words[first][0] : words[last][1]]
        for first in range(len(words))
        for last in range(first, len(words))
    ]


@pytest.mark.parametrize(("lang", "message", "part", "rest"), GRID, ids=lambda value: value)
@pytest.mark.parametrize("hinted", [True, False])
def test_nothing_that_passes_breaks_a_construction(
    gate: Gate, lang: str, message: str, part: str, rest: str, hinted: bool
) -> None:
    for span in slices(message):
        verdict = gate.judge(message, span, lang=lang if hinted else None)
        said = verdict.answer or verdict.nearest
        if said is not None and part in said:
            assert rest in said, (span, said)
