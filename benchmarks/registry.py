"""How well labels land: wrong merges, variants landed, right keys suggested, and the time it takes.

    python -m benchmarks.registry [--show]

Reads ../shared/data/registry_labels*.jsonl (labels in groups; the same group means the same thing).

- *wrong merges*: every label is offered to a registry of all other labels of all other groups; each answer
  "same" is a wrong merge, unless the two groups ask the same thing (as groups of different services may).
- *variants landed*: every label of up to six words is listed, together with all the others, and offered with a
  plural, a typo or another order; landed means answered with the label's own key.
- *similar recall*: one key a group is listed (its name); a label that shares a word of content with the key of
  its group must be offered that key: first, or among five.
- *false alarms*: the labels of half of the groups are offered to a registry of the other half.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ledger.core.registry.forms import Label
from ledger.core.registry.label import normalise, words
from ledger.core.registry.near import Listed, Near
from ledger.errors import BadLabel
from ledger.packs import near_lists

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
FILES = ("registry_labels.jsonl", "registry_labels_switchboard.jsonl")


@dataclass(frozen=True)
class Line:
    group: str | None
    key: str
    kind: str


def labels() -> list[Line]:
    """Every label of the data that can be a key, once a group."""
    found: dict[Line, None] = {}
    for file in FILES:
        for line in (DATA / file).read_text(encoding="utf-8").splitlines():
            fields = json.loads(line)
            try:
                found[Line(fields["group"], normalise(fields["label"]), fields["kind"])] = None
            except BadLabel:
                continue
    return list(found)


def slot(group: str | None) -> str:
    """What a group asks for: SGD has one group a service for the same thing."""
    return (group or "").rsplit(".", 1)[-1]


def show(text: str) -> None:
    if "--show" in sys.argv:
        print("   ", text)


def wrong_merges(lines: list[Line]) -> tuple[int, int]:
    """Labels answered with a label of another group; each group in turn meets those of nine other tenths."""
    groups: dict[str, set[str | None]] = defaultdict(set)
    for line in lines:
        groups[line.key].add(line.group)
    slots = sorted({slot(line.group) for line in lines})
    random.Random(7).shuffle(slots)
    tenth = {name: at % 10 for at, name in enumerate(slots)}
    wrong = tried = 0
    for fold in range(10):
        asked = {key for key, of in groups.items() if any(tenth[slot(group)] == fold for group in of)}
        listed = Listed({key: key for key in groups if key not in asked}, near_lists())
        for key in sorted(asked):
            tried += 1
            near = listed.near(key)
            if near.kind == "same" and not same_thing(groups[key], groups[near.keys[0]]):
                wrong += 1
                show(
                    f"merged: {key} {sorted(map(str, groups[key]))[:2]} -> {near.keys[0]} {sorted(map(str, groups[near.keys[0]]))[:2]}"
                )
    return wrong, tried


def same_thing(one: set[str | None], other: set[str | None]) -> bool:
    """Groups of one name ask the same thing. Two SGD groups may: no pair of them says that they do not."""
    return bool({slot(group) for group in one} & {slot(group) for group in other}) or all(
        (group or "").startswith("sgd.") for group in one | other
    )


def plural(key: str, rng: random.Random) -> Iterator[str]:
    parts = words(key)
    word = parts[-1]
    if len(word) > 2 and word.isascii() and word.isalpha() and not word.endswith("s"):
        if word.endswith("y") and word[-2] not in "aeiou":
            ending = word[:-1] + "ies"
        else:
            ending = word + ("es" if word.endswith(("x", "ch", "sh", "ss")) else "s")
        yield "_".join([*parts[:-1], ending])


def typo(key: str, rng: random.Random) -> Iterator[str]:
    """One slip in a word of five letters or more."""
    parts = words(key)
    long = [at for at, word in enumerate(parts) if len(word) >= 5 and word.isascii() and word.isalpha()]
    if not long:
        return
    at = rng.choice(long)
    word = parts[at]
    spot = rng.randrange(len(word))
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz")
    slips = [
        word[:spot] + word[spot + 1 :],
        word[:spot] + letter + word[spot + 1 :],
        word[:spot] + word[spot] + word[spot:],
        word[:spot] + word[spot : spot + 2][::-1] + word[spot + 2 :],
    ]
    slipped = rng.choice(slips)
    if slipped != word:
        yield "_".join([*parts[:at], slipped, *parts[at + 1 :]])


def order(key: str, rng: random.Random) -> Iterator[str]:
    """The last word first; "date of birth" as "birth date"."""
    parts = words(key)
    if len(parts) == 3 and parts[1] == "of":
        yield f"{parts[2]}_{parts[0]}"
    elif 2 <= len(parts) <= 4 and not Label(key, near_lists()).directed and parts[1:] + parts[:1] != parts:
        yield "_".join([parts[-1], *parts[:-1]])


def variants(lines: list[Line]) -> dict[str, tuple[int, int]]:
    """Forty registries of one label a group."""
    lists = near_lists()
    rng = random.Random(7)
    groups: dict[str, list[str]] = defaultdict(list)
    for line in lines:
        if len(words(line.key)) <= 6 and Label(line.key, lists).may_be_near:
            groups[slot(line.group)].append(line.key)
    counts = {make.__name__: [0, 0] for make in (plural, typo, order)}
    for _ in range(40):
        chosen = {Label(key, lists).bag: key for key in (rng.choice(keys) for keys in groups.values())}
        listed = Listed({key: key for key in chosen.values()}, lists)
        for key in chosen.values():
            for make in (plural, typo, order):
                for variant in make(key, rng):
                    near = listed.near(variant)
                    counts[make.__name__][0] += near == Near("same", (key,))
                    counts[make.__name__][1] += 1
                    if near != Near("same", (key,)):
                        show(f"{make.__name__} missed: {variant} of {key} -> {near.kind} {near.keys[:3]}")
    return {name: (landed, tried) for name, (landed, tried) in counts.items()}


def similar(lines: list[Line]) -> dict[str, tuple[int, int]]:
    lists = near_lists()
    listed_keys = {}
    for line in lines:
        if line.group:
            listed_keys[normalise(slot(line.group))] = 1
    listed = Listed({key: key for key in listed_keys}, lists)
    among = first = tried = 0
    for line in lines:
        if not line.group:
            continue
        key = normalise(slot(line.group))
        label, target = Label(line.key, lists), Label(key, lists)
        if not (label.may_be_near and target.may_be_near) or not label.content.keys() & target.content.keys():
            continue
        tried += 1
        near = listed.near(line.key)
        among += key in near.keys
        first += near.keys[:1] == (key,)
        if key not in near.keys:
            show(f"not offered: {key} for {line.key} -> {near.kind} {near.keys}")
    return {"among five": (among, tried), "first": (first, tried)}


def false_alarms(lines: list[Line]) -> dict[str, tuple[int, int]]:
    lists = near_lists()
    slots = sorted({slot(line.group) for line in lines if line.group})
    random.Random(7).shuffle(slots)
    half = set(slots[::2])
    listed = Listed({normalise(name): normalise(name) for name in half}, lists)
    rest = [line for line in lines if slot(line.group) not in half and line.key not in listed.names]
    nears = [listed.near(line.key) for line in rest]
    for line, near in zip(rest, nears, strict=True):
        if near.kind == "same":
            show(f"unlisted merged: {line.key} -> {near.keys}")
    return {
        "asked to choose": (sum(near.kind == "similar" for near in nears), len(rest)),
        "merged": (sum(near.kind == "same" for near in nears), len(rest)),
    }


def timing(lines: list[Line]) -> dict[str, float]:
    """Milliseconds with 5,000 listed labels."""
    lists = near_lists()
    keys = sorted({line.key for line in lines})
    random.Random(7).shuffle(keys)
    started = time.perf_counter()
    listed = Listed({key: key for key in keys[:5000]}, lists)
    built = time.perf_counter() - started
    times = []
    for key in keys[-500:]:
        started = time.perf_counter()
        listed.near(key + "_surfing")
        times.append(time.perf_counter() - started)
    times.sort()
    return {"build": built * 1e3, "near p50": times[250] * 1e3, "near p99": times[495] * 1e3}


def main() -> int:
    if not DATA.exists():
        print("registry: the data (../shared/data) is not here; nothing measured")
        return 2
    lines = labels()
    print(f"registry: {len(lines)} labels, {len({line.group for line in lines})} groups")
    wrong, n = wrong_merges(lines)
    print(f"wrong merges      {wrong}/{n} = {wrong / n:.4%}")
    for title, counts in (
        ("landed", variants(lines)),
        ("similar", similar(lines)),
        ("alarms", false_alarms(lines)),
    ):
        for name, (hits, tried) in counts.items():
            print(f"{title:8} {name:16} {hits}/{tried} = {hits / tried:.2%}")
    for name, value in timing(lines).items():
        print(f"time {name:12} {value:.2f} ms")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
