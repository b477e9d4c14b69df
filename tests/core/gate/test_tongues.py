"""Labelled sentences of each language, made up by this project: what turns a meaning is refused, what does not is kept.

A file a language in tongues/; "[[...]]" is the span. "- kind sentence" is refused, with the language given and with none; "+ sentence" is
kept with the language given: as it is, or through a wider span that adds little.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from ledger.core.gate import Gate
from ledger.languages import load

FOLDER = Path(__file__).parent / "tongues"
KINDS = {
    "negation", "condition", "exception", "hedge", "opinion", "wish", "past", "subject", "correction", "irony", "speech",
    "question", "bare", "listener",
}  # fmt: skip
EACH = 25  # lines that turn a meaning, and lines that do not, that a language has at least
MUST = {"negation", "condition", "hedge", "wish", "past", "subject", "question", "bare", "listener"}


class Line(NamedTuple):
    lang: str
    kind: str  # what turns the meaning; "" where nothing does
    message: str
    span: str


def labelled(lang: str) -> list[Line]:
    found: list[Line] = []
    for line in (FOLDER / f"{lang}.txt").read_text("utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark not in ("+", "-"):
            assert line.startswith("#") or not line
            continue
        kind, sentence = ("", rest) if mark == "+" else rest.split(maxsplit=1)
        before, inside = sentence.strip().split("[[")
        span, after = inside.split("]]")
        found.append(Line(lang, kind, before + span + after, span))
    return found


TONGUES = sorted(path.stem for path in FOLDER.glob("*.txt"))
LINES = [line for lang in TONGUES for line in labelled(lang)]
TURNED = [line for line in LINES if line.kind]
SAFE = [line for line in LINES if not line.kind]


def test_every_language_but_english_has_its_sentences() -> None:
    assert {language.code for language in load().all} - {"en"} == set(TONGUES)


@pytest.mark.parametrize("lang", TONGUES)
def test_the_sentences_of_a_language_are_enough(lang: str) -> None:
    kinds = [line.kind for line in labelled(lang)]
    assert sum(kind != "" for kind in kinds) >= EACH
    assert sum(kind == "" for kind in kinds) >= EACH
    assert set(kinds) - {""} >= MUST
    assert set(kinds) - {""} <= KINDS


@pytest.mark.parametrize("line", TURNED, ids=lambda line: f"{line.lang}: {line.message}")
def test_what_would_turn_the_meaning_is_refused(gate: Gate, line: Line) -> None:
    assert not gate.judge(line.message, line.span, lang=line.lang).accepted
    assert not gate.judge(line.message, line.span).accepted


@pytest.mark.parametrize("line", SAFE, ids=lambda line: f"{line.lang}: {line.message}")
def test_what_does_not_is_kept(gate: Gate, line: Line) -> None:
    verdict = gate.judge(line.message, line.span, lang=line.lang)
    near = verdict.answer or verdict.nearest or ""
    assert line.span in near
    assert len(near) <= max(1.5 * len(line.span), len(line.span) + 40)
