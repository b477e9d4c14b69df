"""The bars of the gate, each with what it reaches: shares refused, kept as they are, and kept or near.

    python -m benchmarks.gate_bars [--only NAME,...] [--every N] [--show NAME]

For each: the half that the data was tuned on and the half held back (by a hash of the principal, of the source or of the message), with the
language given; then both halves without it. *Near* is a span that is kept, or whose `nearest` holds it and is at most 1.5 times as long or 40
characters longer. The lines of blind_chat.jsonl were labelled before the gate was run on them; a half name (a first or last name whose other
half stands beside it) is a cut, and counted apart. Nothing of the data is in this repository.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

from benchmarks.gate import DATA, Line, describe, held_back, lines, questions
from ledger.core.gate import Gate
from ledger.core.model import Verdict
from ledger.languages import load


class Tried(NamedTuple):
    """One span: whether it was refused or kept, or nearly, as the bar asks; with the language given, and without."""

    hinted: bool
    unhinted: bool
    held_back: bool
    shown: str


Judged = Callable[[Verdict, str], bool]


def refused(verdict: Verdict, span: str) -> bool:
    return not verdict.accepted


def kept(verdict: Verdict, span: str) -> bool:
    return verdict.accepted


def near(verdict: Verdict, span: str) -> bool:
    wider = verdict.answer or verdict.nearest or ""
    return verdict.accepted or (
        span.strip(" .") in wider and len(wider) <= max(1.5 * len(span), len(span) + 40)
    )


class Span(NamedTuple):
    message: str
    span: str
    key: str
    lang: str | None
    asked: str | None = None


def blind(chosen: Callable[[Line], bool]) -> Iterator[Span]:
    for line in lines("blind_chat"):
        if chosen(line):
            yield Span(
                line["message"], line["span"], line["message"], line.get("lang"), line.get("asked") or None
            )


def negation(name: str, which: str, *kinds: str) -> Iterator[Span]:
    for line in lines(name):
        if kinds and line["kind"] not in kinds:
            continue
        span = line[which] if which != "far" else " ".join(line["safe_span"].split()[-2:])
        if which == "far" and (len(line["safe_span"].split()) < 3 or span not in line["message"]):
            continue
        yield Span(line["message"], span, line["source"], line["lang"])


def gold(name: str, *, half_names: bool | None = None) -> Iterator[Span]:
    for line in lines(name):
        for answer in line["answers"]:
            if half_names is not None and half_names != _is_half_name(line["message"], answer):
                continue
            asked = line["question"] if answer.get("needs_question") else None
            yield Span(line["message"], answer["span"], line["principal"], line.get("lang", "en"), asked)


def _is_half_name(message: str, answer: Line) -> bool:
    span, before, behind = (
        answer["span"],
        message[: answer["start"]].split(),
        message[answer["end"] :].split(),
    )
    if "name" not in answer["topic"] or len(span.split()) > 1:
        return False
    beside = [word.strip(".,;:!?") for word in (*before[-1:], *behind[:1])]
    return any(word[:1].isupper() and word.isalpha() for word in beside) or (
        len(message.split()) == 2 and message.replace(" ", "").isalpha()
    )


BARS: dict[str, tuple[str, float, Judged, Callable[[], Iterator[Span]]]] = {}


def _bar(name: str, title: str, aim: float, judged: Judged, spans: Callable[[], Iterator[Span]]) -> None:
    BARS[name] = (title, aim, judged, spans)


def _blind(name: str, title: str, aim: float, judged: Judged, chosen: Callable[[Line], bool]) -> None:
    _bar(name, f"blind chat, {title}", aim, judged, lambda: blind(chosen))


def _misleads(kind: str, line: Line) -> bool:
    return bool(line["set"] == kind and not line["keep"])


def _fill() -> None:
    def chat(keep: bool, english: bool) -> Callable[[Line], bool]:
        return lambda line: (
            line["set"] == "chat" and line["keep"] == keep and (line.get("lang", "en") == "en") == english
        )

    _blind("chat-en", "English: misleading refused", 93, refused, chat(False, True))
    _blind("chat-en-kept", "English: honest kept as is", 83, kept, chat(True, True))
    _blind("chat-en-near", "English: honest kept or near", 95, near, chat(True, True))
    _blind("chat-others", "ten other languages: refused", 90, refused, chat(False, False))
    _blind("chat-others-near", "ten other languages: kept or near", 93, near, chat(True, False))
    for kind, aim in (("cut_right", 85), ("turning_verb", 85), ("reports", 83)):
        _blind(kind, f"{kind}: refused", aim, refused, partial(_misleads, kind))
    for lang, name, aims in (
        ("en", "negation_en", (99.5, 97, 95, 72, 93)),
        ("es", "negation_es", (99, 97, 96, 75, 92)),
    ):
        unsure = "speculation" if lang == "en" else "uncertainty"
        _bar(f"{lang}-negation", f"{name}: negation cut off, refused", aims[0], refused, lambda n=name: negation(n, "reversing_span", "negation"))  # type: ignore[misc]  # fmt: skip
        _bar(f"{lang}-{unsure}", f"{name}: {unsure} cut off, refused", aims[1], refused, lambda n=name, u=unsure: negation(n, "reversing_span", u))  # type: ignore[misc]  # fmt: skip
        _bar(f"{lang}-far", f"{name}: far end, refused", aims[2], refused, lambda n=name: negation(n, "far"))  # type: ignore[misc]  # fmt: skip
        _bar(f"{lang}-safe", f"{name}: cue and scope, kept as is", aims[3], kept, lambda n=name: negation(n, "safe_span"))  # type: ignore[misc]  # fmt: skip
        _bar(f"{lang}-near", f"{name}: cue and scope, kept or near", aims[4], near, lambda n=name: negation(n, "safe_span"))  # type: ignore[misc]  # fmt: skip
    for name, as_is, nearly in (
        ("switchboard", 97, 98),
        ("irc_ubuntu", 86, 94),
        ("locomo", 78, 92),
        ("sgd", 80, 93),
        ("restaurants8k", 78, 92),
        ("nlupp", 58, 75),
        ("xsid", 60, 75),
    ):
        halves = False if name == "restaurants8k" else None
        without = ", without half names" if name == "restaurants8k" else ""
        _bar(f"{name}-kept", f"{name}{without}: kept as is", as_is, kept, lambda n=name, h=halves: gold(n, half_names=h))  # type: ignore[misc]  # fmt: skip
        _bar(f"{name}-near", f"{name}{without}: kept or near", nearly, near, lambda n=name, h=halves: gold(n, half_names=h))  # type: ignore[misc]  # fmt: skip
    _bar("half-names", "restaurants8k, half names: refused", 0, refused, lambda: gold("restaurants8k", half_names=True))  # fmt: skip


_fill()
ASKED = (("switchboard", 97), ("locomo", 97), ("irc_ubuntu", 94), ("friendsqa", 94))


def tried(gate: Gate, name: str, every: int) -> Iterator[Tried]:
    _, _, judged, spans = BARS[name]
    for number, span in enumerate(spans()):
        if number % every:
            continue
        hinted, unhinted = (
            gate.judge(
                span.message,
                span.span,
                question=span.asked,
                asked=span.asked,
                lang=lang,
            )
            for lang in (span.lang, None)
        )
        yield Tried(
            judged(hinted, span.span),
            judged(unhinted, span.span),
            held_back(span.key),
            describe(unhinted, span.message, span.span),
        )


def _share(right: list[bool]) -> str:
    return f"{100 * sum(right) / len(right):6.1f}" if right else "     -"


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.gate_bars", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--only", help="bars, by comma")
    parser.add_argument("--every", type=int, default=1, help="every so many-th line alone, while working")
    parser.add_argument(
        "--show", help="print what misses this bar, from the tuned half, without the language"
    )
    options = parser.parse_args()
    if not DATA.is_dir():
        print("The data of ../shared/data is not here; there is nothing to measure on.")
        return 0
    gate = Gate(load())
    if options.show:
        for each in tried(gate, options.show, options.every):
            if not each.unhinted and not each.held_back:
                print(each.shown)
        return 0
    print(f"{'':<58} {'tuned':>6} {'held':>6} {'all':>6}   {'no hint':>7} {'bar':>5}  n")
    for name in options.only.split(",") if options.only else BARS:
        title, aim, _, _ = BARS[name]
        tries = list(tried(gate, name, options.every))
        halves = [_share([each.hinted for each in tries if each.held_back in half]) for half in ((False,), (True,), (False, True))]  # fmt: skip
        unhinted = _share([each.unhinted for each in tries])
        missed = "  <" if aim and float(unhinted) < aim else ""
        print(f"{title:<58} {' '.join(halves)}   {unhinted:>7} {aim:>5}  {len(tries)}{missed}", flush=True)
    if not options.only:
        for name, aim in ASKED:
            asks = [
                each
                for number, each in enumerate(questions(gate, name, marked=True))
                if number % options.every == 0
            ]
            halves = [_share([each.right for each in asks if each.held_back in half]) for half in ((False,), (True,), (False, True))]  # fmt: skip
            print(f"{name + ', real questions: refused':<58} {' '.join(halves)}   {halves[2]:>7} {aim:>5}  {len(asks)}", flush=True)  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
