"""Kinds of spans that mislead, each with its brothers, in kinds.txt; and spans that do not.

What misleads is refused, whatever is suggested in its place holds the span and more. What does not is kept, or suggested with little around it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from ledger.core.gate import Gate

KINDS = {
    "cut_right",
    "value",
    "turning_verb",
    "predicate",
    "somebody",
    "front",
    "label",
    "construction",
    "chat",
}
# Known to slip through, and why.
SLIP_THROUGH = {
    "a lot of us work nights",  # "us" is the speaker too: nothing tells that it is not all of them
    "we have two cars but one is off the road",  # an honest "but" is as frequent
    "Would love a balcony but can live without",  # what is lived without stands before the "but"
    "it crashed on my friend's phone too",  # "it" may be the speaker's own
    "I paid off my mortgage",  # "mortgage" makes it a request
    "I need to find a dentist",  # as one asks a service
    "I own shares in Tesla",
    "every now and then I smoke",  # "then" opens a clause
    "the cat is on antibiotics",  # what is said of one's own things is one's own
    "Les nuits, c'est mort",  # an object in front, taken up by a pronoun
    "Jeg drikker kun vin til jul",  # languages that have no structure yet
    "Saya minum anggur hanya saat Natal",
}


class Line(NamedTuple):
    lang: str | None
    kind: str  # "" where the span does not mislead
    message: str
    span: str


def labelled() -> list[Line]:
    found: list[Line] = []
    for written in Path(__file__).with_name("kinds.txt").read_text("utf-8").splitlines():
        mark, _, rest = written.partition(" ")
        if mark not in ("+", "-"):
            continue
        kind, sentence = ("", rest) if mark == "+" else rest.split(maxsplit=1)
        before, inside = sentence.strip().split("[[")
        span, after = inside.split("]]")
        found.append(Line(None, kind, before + span + after, span))
    return found


def in_tongues() -> list[Line]:
    found: list[Line] = []
    for written in Path(__file__).with_name("kinds_tongues.txt").read_text("utf-8").splitlines():
        mark, _, rest = written.partition(" ")
        if mark not in ("+", "-"):
            continue
        lang, sentence = rest.split(maxsplit=1)
        before, inside = sentence.split("[[")
        span, after = inside.split("]]")
        found += [
            Line(hint, "" if mark == "+" else "chat", before + span + after, span) for hint in (lang, None)
        ]
    return found


LINES = [*labelled(), *in_tongues()]


def test_each_kind_has_its_lines() -> None:
    assert {line.kind for line in LINES} - {""} == KINDS


@pytest.mark.parametrize(
    "line", [line for line in LINES if line.kind], ids=lambda line: f"{line.lang} {line.message}"
)
def test_what_misleads_is_refused(gate: Gate, line: Line) -> None:
    verdict = gate.judge(line.message, line.span, lang=line.lang)
    assert verdict.accepted == (line.message in SLIP_THROUGH)
    if verdict.nearest is not None:
        assert line.span in verdict.nearest
        assert gate.judge(line.message, verdict.nearest, lang=line.lang).accepted


@pytest.mark.parametrize(
    "line", [line for line in LINES if not line.kind], ids=lambda line: f"{line.lang} {line.message}"
)
def test_what_does_not_is_kept_or_near(gate: Gate, line: Line) -> None:
    verdict = gate.judge(line.message, line.span, lang=line.lang)
    near = verdict.answer or verdict.nearest or ""
    assert line.span in near
    assert len(near) <= max(1.5 * len(line.span), len(line.span) + 40)
