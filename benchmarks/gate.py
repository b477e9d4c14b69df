"""What the gate catches, what it keeps and how fast it is, on the messages of ../shared/data.

    python -m benchmarks.gate [--show SET] [--only SET,...] [--rules]

One line a set: what is counted, of how many, in the half that the language data was tuned on, in the half held back (split by a
hash of the principal, or of the line's source where there is none), and in both; `<` marks a set whose aim is missed, `~` one that misses
it in one half. Then timings. `--show` prints failures of a set, from the tuned half only.
`--rules` prints a line a rule: how many of the spans that are judged rightly are no longer without it (what it buys, minus) and how many
of the others are then (what it costs, plus). Nothing of the data is in this repository; without it the benchmark says so and ends.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable, Iterator
from functools import cache, partial
from hashlib import blake2b
from itertools import islice
from pathlib import Path
from statistics import mean
from typing import Any, NamedTuple

from benchmarks import asking, gate_rules, gate_times, tongues
from ledger.core.gate import Gate
from ledger.core.model import Reason, Verdict
from ledger.core.text import fold
from ledger.languages import load

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
Line = dict[str, Any]


LOST = (Reason.NOT_VERBATIM, Reason.AMBIGUOUS, Reason.MID_WORD)


GOLD = ("switchboard", "irc_ubuntu", "locomo", "sgd", "restaurants8k", "nlupp")
# Names of counterparties, some of which are words as well.
NAMES = (
    "Marta Ruiz", "Marta", "Ruiz", "Will", "Grace", "Mark", "Rose", "May", "Art", "Anna", "Marko", "Jan Klein", "Jan", "Klein", "Sophie",
    "Carol", "Dean", "Olivia", "Noah", "Liam", "Emma", "Lucas", "Mia", "Ben", "Sarah", "Tom", "Acme", "Acme Corp", "Northwind", "Globex",
    "Clinica Sol", "Hooli", "Target", "Orange", "Shell", "Apple",
)  # fmt: skip


class Try(NamedTuple):
    """One decision: whether it was right, where it counts, and how to show it."""

    right: bool
    held_back: bool
    shown: str


@cache
def lines(name: str) -> list[Line]:
    with (DATA / f"{name}.jsonl").open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def held_back(key: str) -> bool:
    return blake2b(key.encode(), digest_size=1).digest()[0] % 2 == 1


def describe(verdict: Verdict, message: str, span: str) -> str:
    outcome = "accepted" if verdict.accepted else f"{verdict.reason}/{verdict.rule}"
    left = "" if verdict.left_behind is None else f" left {message[slice(*verdict.left_behind)]!r}"
    nearest = "" if verdict.nearest is None else f"\n    nearest: {verdict.nearest!r}"
    return f"{outcome}{left}\n    message: {message!r}\n    span:    {span!r}{nearest}"


def reversing(gate: Gate, name: str, *kinds: str) -> Iterator[Try]:
    """Spans that say the opposite of their sentence: refused."""
    for line in lines(name):
        if line["kind"] in kinds:
            verdict = gate.judge(line["message"], line["reversing_span"], lang=line["lang"])
            yield Try(
                not verdict.accepted,
                held_back(line["source"]),
                describe(verdict, line["message"], line["reversing_span"]),
            )


def safe(gate: Gate, name: str, *, through_nearest: bool) -> Iterator[Try]:
    """Spans that hold what turns them: accepted, as they are or through one `nearest` of at most 1.5 times their length or 40 more."""
    for line in lines(name):
        span = line["safe_span"]
        verdict = gate.judge(line["message"], span, lang=line["lang"])
        right = verdict.accepted
        if through_nearest and not right and verdict.nearest is not None:
            right = len(verdict.nearest) <= max(1.5 * len(span), len(span) + 40)
        yield Try(right, held_back(line["source"]), describe(verdict, line["message"], span))


def far_end(gate: Gate, name: str) -> Iterator[Try]:
    """The last two words of a scope, alone: refused."""
    for line in lines(name):
        span = " ".join(line["safe_span"].split()[-2:])
        if len(line["safe_span"].split()) < 3 or span not in line["message"]:
            continue
        verdict = gate.judge(line["message"], span, lang=line["lang"])
        yield Try(not verdict.accepted, held_back(line["source"]), describe(verdict, line["message"], span))


def gold(gate: Gate, name: str, lang: str | None = None, *, stated: bool = False) -> Iterator[Try]:
    """Answers that people marked: kept. Bare ones come with their question. With `stated` those outside real questions alone."""
    for line in lines(name):
        if lang is not None and line["lang"] != lang:
            continue
        question = line["question"]
        for answer in line["answers"]:
            if stated and asking.asks_at(line["message"], answer["start"], answer["end"]):
                continue
            bare = answer.get("needs_question", False)
            verdict = gate.judge(
                line["message"],
                answer["span"],
                question=question if bare else None,
                asked=question if bare else None,
                lang=lang,
            )
            yield Try(
                verdict.accepted,
                held_back(line["principal"]),
                describe(verdict, line["message"], answer["span"]),
            )


def unalarmed(gate: Gate, rule: str) -> Iterator[Try]:
    """Answers that people marked, with names to avoid that stand in none: taken for no secret, and for no such name."""
    for name in GOLD:
        for line in lines(name):
            for answer in line["answers"]:
                words = set(re.findall(r"\w+", answer["span"]))
                avoid = tuple(name for name in NAMES if words.isdisjoint(name.split()))
                verdict = gate.fit(answer["span"], avoid)
                yield Try(
                    verdict.rule != rule,
                    held_back(line["principal"]),
                    describe(verdict, line["message"], answer["span"]),
                )


def unknown(gate: Gate) -> Iterator[Try]:
    """Parts of sentences in languages without data, unhinted: refused."""
    have = tongues.names()
    for line in lines("xsid"):
        if line["lang"].split("-")[0] in have or len(line["message"].split()) < 5:
            continue
        for answer in line["answers"][:1]:
            span = answer["span"]
            if span.strip(" .?!") == line["message"].strip(" .?!"):
                continue
            verdict = gate.judge(line["message"], span)
            yield Try(
                not verdict.accepted, held_back(line["principal"]), describe(verdict, line["message"], span)
            )


def questions(gate: Gate, name: str, *, marked: bool) -> Iterator[Try]:
    """Real questions put to a person, as messages: refused whole and in parts, each with its mark, or with the mark cut off."""
    for line in lines(name):
        message = (line["question"] or "").rstrip()
        if not message.endswith("?"):
            continue
        start, end = asking.sentences(message)[-1]
        asked = message[start:end]
        if not asking.really_asks(asked) or not (marked or asking.opens_like_a_question(asked)):
            continue
        if not marked:
            message = message.rstrip(" ?!")
            asked = asked.rstrip(" ?!")
        verdicts = [(span, gate.judge(message, span)) for span in parts(asked)]
        kept = next((pair for pair in verdicts if pair[1].accepted), verdicts[0])
        yield Try(not kept[1].accepted, held_back(line["principal"]), describe(kept[1], message, kept[0]))


def parts(sentence: str) -> list[str]:
    """A question whole, its second half, its last two words and, where it asks from its first word on, its first half."""
    words = list(re.finditer(r"\S+", sentence))
    size = len(words)
    first = asking.opening(sentence)
    spans = [(0, size), (size // 2, size), (size - 2, size)]
    if first is not None:
        after = sum(word.start() < first for word in words)
        spans.append((after, after + (size - after + 1) // 2))
    found = (
        sentence[words[start].start() : words[end - 1].end()] for start, end in spans if 0 <= start < end
    )
    return list(dict.fromkeys(found))


def paraphrases(gate: Gate) -> Iterator[Try]:
    """Answers that somebody composed and that stand in no message: none kept."""
    for line in lines("locomo_questions"):
        composed = line["reference_answer"]
        if line["literal"] or not composed:
            continue
        for said in line["evidence"]:
            if fold(str(composed)).alike in fold(said["message"]).alike:
                continue  # it does stand there, whatever the label says
            verdict = gate.judge(said["message"], str(composed))
            yield Try(
                not verdict.accepted,
                held_back(line["principal"]),
                describe(verdict, said["message"], str(composed)),
            )


def round_trips(gate: Gate) -> Iterator[Try]:
    """Whole messages out of real chats, with emoji, marks and odd spaces: kept as they are, or refused for what they say."""
    for line in lines("messy_messages"):
        message = line["message"]
        verdict = gate.judge(message, message)
        right = verdict.answer == message or verdict.reason not in (None, *LOST)
        yield Try(right, held_back(message), describe(verdict, message, message))


SETS: dict[str, tuple[str, float, Callable[[Gate], Iterator[Try]]]] = {
    "en-negation": (
        "English, negation cut off: refused",
        99.5,
        lambda g: reversing(g, "negation_en", "negation"),
    ),
    "en-hedge": (
        "English, speculation cut off: refused",
        97,
        lambda g: reversing(g, "negation_en", "speculation"),
    ),
    "en-reversing": (
        "English, both: refused",
        99,
        lambda g: reversing(g, "negation_en", "negation", "speculation"),
    ),
    "en-far": ("English, far end of a scope: refused", 93, lambda g: far_end(g, "negation_en")),
    "en-safe": (
        "English, cue and scope: kept as they are",
        78,
        lambda g: safe(g, "negation_en", through_nearest=False),
    ),
    "en-near": (
        "English, cue and scope: kept or near",
        93,
        lambda g: safe(g, "negation_en", through_nearest=True),
    ),
    "es-negation": (
        "Spanish, negation cut off: refused",
        99,
        lambda g: reversing(g, "negation_es", "negation"),
    ),
    "es-hedge": (
        "Spanish, uncertainty cut off: refused",
        97,
        lambda g: reversing(g, "negation_es", "uncertainty"),
    ),
    "es-far": ("Spanish, far end of a scope: refused", 96, lambda g: far_end(g, "negation_es")),
    "es-safe": (
        "Spanish, cue and scope: kept as they are",
        85,
        lambda g: safe(g, "negation_es", through_nearest=False),
    ),
    "es-near": (
        "Spanish, cue and scope: kept or near",
        94,
        lambda g: safe(g, "negation_es", through_nearest=True),
    ),
    "switchboard": ("answers on the telephone: kept", 98, lambda g: gold(g, "switchboard")),
    "irc": ("answers in a chat room: kept", 97, lambda g: gold(g, "irc_ubuntu")),
    "locomo": ("answers between friends: kept", 93, lambda g: gold(g, "locomo")),
    "sgd": ("requests to a service: kept", 94, lambda g: gold(g, "sgd")),
    "sgd-stated": ("... outside real questions", 97, partial(gold, name="sgd", stated=True)),
    "restaurants": ("bookings: kept", 94, lambda g: gold(g, "restaurants8k")),
    "restaurants-stated": (
        "... outside real questions",
        96,
        partial(gold, name="restaurants8k", stated=True),
    ),
    "nlupp": ("banking and hotels: kept", 84, lambda g: gold(g, "nlupp")),
    "nlupp-stated": ("... outside real questions", 95, partial(gold, name="nlupp", stated=True)),
    "xsid-en": ("commands to a device: kept", 80, lambda g: gold(g, "xsid", "en")),
    "secrets": ("no secret in answers: kept", 99.5, partial(unalarmed, rule="secret")),
    "names": ("no name to avoid in answers: kept", 99.5, partial(unalarmed, rule="names")),
    "unknown": ("languages without data, no hint: refused", 70, unknown),
    **{
        f"{short}-{'marked' if marked else 'unmarked'}": (
            f"questions, {where}{'' if marked else ', unmarked'}: refused",
            aim,
            partial(questions, name=name, marked=marked),
        )
        for short, name, where, aim in (
            ("ask-phone", "switchboard", "on the telephone", 97),
            ("ask-friends", "locomo", "between friends", 97),
            ("ask-about", "locomo_questions", "about friends", 97),
            ("ask-chat", "irc_ubuntu", "in a chat room", 94),
            ("ask-show", "friendsqa", "in a show", 94),
        )
        for marked in (True, False)
    },
    "paraphrases": ("composed answers: refused", 100, paraphrases),
    "messy": ("messy messages: kept whole", 100, round_trips),
}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.gate", description=__doc__.splitlines()[0])
    parser.add_argument("--show", help="print failures of this set, from the tuned half")
    parser.add_argument("--only", help="sets, by comma")
    parser.add_argument("--limit", type=int, default=40)
    parser.add_argument("--rules", action="store_true", help="what each rule buys, and what it costs")
    options = parser.parse_args()
    if not DATA.is_dir():
        print("The data of ../shared/data is not here; there is nothing to measure on.")
        return 0
    gate = Gate(load())
    if options.rules:
        for row in gate_rules.by_rule(gate, SETS):
            print(row)
        return 0
    if options.show:
        wrong = [each for each in SETS[options.show][2](gate) if not each.right and not each.held_back]
        for each in wrong[: options.limit]:
            print(each.shown)
        return 0
    print(f"{'':<44}  {'tuned':>7} {'held back':>10} {'all':>8} {'aim':>6}  n")
    for name in options.only.split(",") if options.only else SETS:
        title, aim, run = SETS[name]
        tries = list(run(gate))
        tuned, held, whole = (
            100 * mean([each.right for each in tries if each.held_back in halves])
            for halves in ((False,), (True,), (False, True))
        )
        mark = "" if min(tuned, held) >= aim else "  <" if whole < aim else "  ~"
        print(
            f"{title:<44}  {tuned:>6.2f}% {held:>9.2f}% {whole:>7.2f}% {aim:>5}%  {len(tries)}  {name}{mark}"
        )
    if not options.only:
        said = [
            line["message"]
            for name in ("locomo", "switchboard", "negation_en")
            for line in islice(lines(name), 1500)
            if line["message"].strip()
        ]
        print(*tongues.table(gate), *gate_times.timings(gate, said), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
