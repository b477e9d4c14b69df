"""What the gate keeps and refuses in each language: on the commands of ../shared/data/xsid.jsonl, and on this project's own labelled sentences.

    python -m benchmarks.tongues

`table(gate)` is the part of `python -m benchmarks.gate` that is about languages. Lines of xsid are judged with their language given; a
dialect falls back to its language. "Stated" are its lines without a question mark. The sentences of our own lie in tests/core/gate/tongues.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from ledger.core.gate import Gate
from ledger.languages import load

XSID = Path(__file__).resolve().parents[2] / "shared" / "data" / "xsid.jsonl"
OWN = Path(__file__).resolve().parents[1] / "tests" / "core" / "gate" / "tongues"
QUESTION_MARKS = frozenset("?？؟")
AIM = 95.0  # per cent of the gold spans of stated lines, in each language with data
AIMS = {"tr": 88.0}
AIM_ALL = 72.0  # per cent of the gold spans of all lines together


class Kept(NamedTuple):
    """One gold span of xsid."""

    lang: str
    stated: bool
    held_back: bool
    kept: bool
    unhinted: bool  # kept with no language given


class Sentence(NamedTuple):
    """One labelled sentence of our own; `kind` is what turns its meaning, "" where nothing does."""

    kind: str
    message: str
    span: str


def own(lang: str) -> list[Sentence]:
    """The labelled sentences of a language."""
    found: list[Sentence] = []
    for line in (OWN / f"{lang}.txt").read_text("utf-8").splitlines():
        mark, _, rest = line.partition(" ")
        if mark in ("+", "-"):
            kind, sentence = ("", rest) if mark == "+" else rest.split(maxsplit=1)
            before, inside = sentence.strip().split("[[")
            span, after = inside.split("]]")
            found.append(Sentence(kind, before + span + after, span))
    return found


def kept(gate: Gate) -> Iterator[Kept]:
    with XSID.open(encoding="utf-8") as file:
        for line in map(json.loads, file):
            message, lang = line["message"], line["lang"]
            half = blake2b(line["principal"].encode(), digest_size=1).digest()[0] % 2 == 1
            reading, unhinted = gate.read(message, lang), gate.read(message)
            for answer in line["answers"]:
                yield Kept(
                    lang,
                    QUESTION_MARKS.isdisjoint(message),
                    half,
                    reading.judge(answer["span"], suggest=False).accepted,
                    unhinted.judge(answer["span"], suggest=False).accepted,
                )


def share(tries: list[bool]) -> str:
    return f"{100 * sum(tries) / len(tries):5.1f}%" if tries else "    - "


@cache
def names() -> dict[str, str]:
    """Subtags with the languages that they fall back to."""
    return {tag: each.code for each in load().all for tag in (each.code, *each.also)}


def table(gate: Gate) -> Iterator[str]:
    """The lines of the table: a language or dialect each, then all together."""
    spans = list(kept(gate)) if XSID.is_file() else []
    langs = sorted({each.lang for each in spans} | set(names().values()), key=lambda tag: (home(tag), tag))
    yield (
        f"{'':<10} {'stated':>7} {'held back':>10} {'aim':>5} {'no hint':>8} {'all':>7} {'n':>5}   "
        f"{'our own: turned, refused':>24} {'no hint':>8} {'safe, kept':>11}"
    )
    for lang in langs:
        of_it = [each for each in spans if each.lang == lang]
        stated = [each for each in of_it if each.stated]
        halves = [share([each.kept for each in stated if each.held_back is half]) for half in (False, True)]
        aim = AIMS.get(lang, AIM) if home(lang) else None
        short = aim is not None and stated and 100 * sum(each.kept for each in stated) < aim * len(stated)
        row = (
            f"{lang:<10} {halves[0]:>7} {halves[1]:>10} {'' if aim is None or not of_it else f'{aim:.0f}%':>5} "
            f"{share([each.unhinted for each in stated]):>8} {share([each.kept for each in of_it]):>7} {len(of_it):>5}"
        )
        yield row + sentences(gate, lang) + ("  <" if short else "")
    if spans:
        everything = [each.kept for each in spans]
        mark = "" if 100 * sum(everything) >= AIM_ALL * len(everything) else "  <"
        yield f"{'all lines':<10} {share(everything)} of {len(everything)}, aim {AIM_ALL:.0f}%{mark}"


def home(tag: str) -> str:
    """The language with data that a tag falls back to; "" when there is none."""
    return names().get(tag.split("-")[0], "")


def sentences(gate: Gate, lang: str) -> str:
    """How our own sentences of a language fare."""
    if not (OWN / f"{lang}.txt").is_file():
        return ""
    lines = own(lang)
    turned = [line for line in lines if line.kind]
    refused, unhinted = (
        [not gate.judge(line.message, line.span, lang=tag).accepted for line in turned]
        for tag in (lang, None)
    )
    safe = [gate.judge(line.message, line.span, lang=lang).accepted for line in lines if not line.kind]
    return f"   {sum(refused):>20}/{len(turned)} {sum(unhinted):>5}/{len(turned)} {sum(safe):>8}/{len(safe)}"


def main() -> int:
    for line in table(Gate(load())):
        print(line)
    return 0


if __name__ == "__main__":
    sys.exit(main())
