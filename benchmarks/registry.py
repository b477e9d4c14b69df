"""How well labels land: wrong merges, variants landed, right keys offered, and the time it takes.

    python -m benchmarks.registry [--show]

Reads ../shared/data/registry_labels*.jsonl: labels in groups, of which each asks one thing. `--show` prints
every miss.

- *wrong merges*: the labels of a tenth of the groups are offered to a registry of all labels of the other nine
  tenths, in turn; each answer "same" is wrong. Groups of one name at different services ask the same thing, and
  so may any two groups of SGD: what merges there is counted by itself, to be read.
- *landed*: in registries of one label a group, each label is offered as a plural, with a typo (in a word of five
  letters or more) and in another order. Landed means answered with its own key.
- *offered*: the keys of one product's groups are listed (its intent and slot names, no aliases); a label that
  shares a word with its key must be offered that key among five. `all at once` lists every product's keys
  together, where 350 topics share words like "date" and "card".
- *invented*: labels that a model made up for what it wants to know, offered to the starter pack whose topic was meant
  (tests/packs/invented.txt): met, or that topic among the similar ones, with the pack as it is and with its keys and
  questions alone, as an operator's own topics are.
- *asked to choose*: labels of other products, which name none of the listed topics, and are held up.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ledger.core.registry.forms import Label
from ledger.core.registry.label import normalise, words
from ledger.core.registry.named import Registry
from ledger.core.registry.near import Listed, Near
from ledger.errors import BadLabel
from ledger.packs import PACKS, load_pack, near_lists

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
INVENTED = Path(__file__).resolve().parents[1] / "tests" / "packs" / "invented.txt"
FILES = ("registry_labels.jsonl", "registry_labels_switchboard.jsonl")


@dataclass(frozen=True)
class Line:
    group: str
    key: str

    @property
    def slot(self) -> str:
        """What the group asks for; SGD has a group a service for the same thing."""
        return self.group.rsplit(".", 1)[-1]

    @property
    def product(self) -> str:
        return self.group.rsplit(".", 1)[0]


@dataclass
class Share:
    hits: int = 0
    of: int = 0

    def count(self, hit: bool, miss: str) -> None:
        self.hits += hit
        self.of += 1
        if miss and not hit and "--show" in sys.argv:
            print("   ", miss)

    @property
    def share(self) -> float:
        return self.hits / self.of

    def __str__(self) -> str:
        return f"{self.hits}/{self.of} = {self.share:.2%}"


def lines() -> list[Line]:
    """Every label of a group that can be a key, once."""
    found: dict[Line, None] = {}
    for file in FILES:
        for line in (DATA / file).read_text(encoding="utf-8").splitlines():
            fields = json.loads(line)
            try:
                found[Line(fields["group"] or "none.of_them", normalise(fields["label"]))] = None
            except BadLabel:
                continue  # most often longer than a key
    return list(found)


def listed(keys: Sequence[str] | set[str]) -> Listed:
    return Listed({key: key for key in keys}, near_lists())


def merges(found: list[Line], folds: int = 10) -> tuple[Share, int]:
    """Labels that were not merged wrongly, and how many merged between groups of SGD."""
    groups: dict[str, set[Line]] = defaultdict(set)
    for line in found:
        groups[line.key].add(line)
    slots = sorted({line.slot for line in found})
    random.Random(7).shuffle(slots)
    fold_of = {slot: at % 10 for at, slot in enumerate(slots)}
    apart, between = Share(), 0
    for fold in range(folds):
        asked = {key for key, of in groups.items() if any(fold_of[line.slot] == fold for line in of)}
        registry = listed(groups.keys() - asked)
        for key in sorted(asked):
            near = registry.near(key)
            if near.kind == "same":
                met = groups[key] | groups[near.keys[0]]
                if all(line.group.startswith("sgd.") for line in met):
                    between += 1
                    if "--show" in sys.argv:
                        print("    one thing?", key, near.keys[0], *sorted({line.group for line in met}))
                    continue
            apart.count(near.kind != "same", f"merged: {key} into {near.keys}")
    return apart, between


def plural(key: str, rng: random.Random) -> Iterator[str]:
    *rest, word = words(key)
    if len(word) > 2 and word.isascii() and word.isalpha() and not word.endswith("s"):
        ending = "es" if word.endswith(("x", "ch", "sh")) else "s"
        ies = word.endswith("y") and word[-2] not in "aeiou"
        yield "_".join([*rest, word[:-1] + "ies" if ies else word + ending])


def typo(key: str, rng: random.Random) -> Iterator[str]:
    """A letter left out, changed, doubled, or swapped with the next."""
    parts = words(key)
    long = [at for at, word in enumerate(parts) if len(word) >= 5 and word.isascii() and word.isalpha()]
    if long:
        at = rng.choice(long)
        word = parts[at]
        spot = rng.randrange(len(word))
        before, letter, after = word[:spot], word[spot], word[spot + 1 :]
        slips = [
            before + after,
            before + rng.choice("abcdefghijklmnopqrstuvwxyz") + after,
            before + letter + letter + after,
            before + after[:1] + letter + after[1:],
        ]
        parts[at] = rng.choice(slips)
        if parts[at] != word:
            yield "_".join(parts)


def order(key: str, rng: random.Random) -> Iterator[str]:
    """The last word first; "date of birth" as "birth date"."""
    parts = words(key)
    if len(parts) == 3 and parts[1] == "of":
        yield f"{parts[2]}_{parts[0]}"
    elif 2 <= len(parts) <= 4 and not Label(key, near_lists()).directed and parts[1:] + parts[:1] != parts:
        yield "_".join([parts[-1], *parts[:-1]])


def landed(found: list[Line], registries: int = 40) -> dict[str, Share]:
    rng = random.Random(7)
    groups: dict[str, list[str]] = defaultdict(list)
    for line in found:
        if len(words(line.key)) <= 6 and Label(line.key, near_lists()).may_be_near:
            groups[line.slot].append(line.key)
    shares = {"plural": Share(), "typo": Share(), "order": Share()}
    for _ in range(registries):
        chosen = {Label(key, near_lists()).bag: key for key in map(rng.choice, groups.values())}
        registry = listed(set(chosen.values()))
        for key in chosen.values():
            for make in (plural, typo, order):
                for variant in make(key, rng):
                    near = registry.near(variant)
                    shares[make.__name__].count(near == Near("same", (key,)), f"{variant} of {key}: {near}")
    return shares


def offered(found: list[Line], *, apart: bool = True) -> dict[str, Share]:
    """By source: "sgd", "banking77" and so on; `apart` has a registry for each product."""
    products: dict[str, list[Line]] = defaultdict(list)
    for line in found:
        if line.product != "none":
            products[line.product if apart else "all"].append(line)
    shares: dict[str, Share] = defaultdict(Share)
    for of in products.values():
        registry = listed({line.slot for line in of})
        for line in of:
            label, target = Label(line.key, near_lists()), Label(line.slot, near_lists())
            if label.may_be_near and target.may_be_near and label.content.keys() & target.content.keys():
                near = registry.near(line.key)
                shares[line.group.split(".")[0]].count(
                    line.slot in near.keys, f"{line.slot} not among {near} for {line.key}"
                )
    return shares


@dataclass
class Invented:
    met: Share
    wrong: Share  # met another topic
    offered: Share  # met, or among the similar ones


def invented(*, aliases: bool = True) -> Invented:
    """What becomes of invented labels in the registry of the pack that they were invented for."""
    registries = {
        pack: Registry(
            [one if aliases else replace(one, aliases=()) for one in load_pack(pack).topics], near_lists()
        )
        for pack in PACKS
    }
    shares = Invented(Share(), Share(), Share())
    for line in INVENTED.read_text(encoding="utf-8").splitlines():
        if line.startswith("#"):
            continue
        meant, labels = line.split(":")
        pack, key = meant.split()
        for label in labels.split():
            named = registries[pack].named(normalise(label))
            hit = named.topic is not None and named.key == key
            shares.met.count(hit, "")
            shares.wrong.count(named.topic is not None and not hit, "")
            shares.offered.count(hit or key in named.similar, f"{key} not among {named} for {label}")
    return shares


def held_up(found: list[Line]) -> Share:
    """Labels of other products that are answered with a choice, or worse."""
    products: dict[str, set[str]] = defaultdict(set)
    for line in found:
        products[line.product].add(line.slot)
    rng = random.Random(7)
    share = Share()
    for product, slots in products.items():
        registry = listed(slots)
        for line in rng.sample([line for line in found if line.product != product], 200):
            share.count(registry.near(line.key).kind != "far", "")
    return share


def times(found: list[Line], n: int = 5000) -> dict[str, float]:
    """Milliseconds, with n labels listed; each question is a label and a word, so that none is an exact key."""
    keys = sorted({line.key for line in found})
    random.Random(7).shuffle(keys)
    started = time.perf_counter()
    registry = listed(keys[:n])
    taken = {"build": time.perf_counter() - started}
    each = []
    for key in keys[-500:]:
        started = time.perf_counter()
        registry.near(f"{key}_surfing")
        each.append(time.perf_counter() - started)
    each.sort()
    taken |= {"near, p50": each[250], "near, p99": each[495]}
    return {name: seconds * 1e3 for name, seconds in taken.items()}


def print_invented() -> None:
    for what, shares in (("", invented()), (" without aliases", invented(aliases=False))):
        print(f"invented{what}: met {shares.met}, wrong {shares.wrong.hits}, met or similar {shares.offered}")


def main() -> int:
    print_invented()
    if not DATA.exists():
        print("registry: the data (../shared/data) is not here; nothing was measured")
        return 2
    found = lines()
    print(f"registry: {len(found)} labels of {len(Counter(line.group for line in found))} groups")
    apart, between = merges(found)
    wrong = apart.of - apart.hits
    print(
        f"wrong merges      {wrong}/{apart.of} = {wrong / apart.of:.3%} (and {between} between groups of SGD)"
    )
    for name, share in landed(found).items():
        print(f"landed  {name:9} {share}")
    shares = offered(found)
    every = Share(sum(share.hits for share in shares.values()), sum(share.of for share in shares.values()))
    for name, share in {"all": every, **shares}.items():
        print(f"offered {name:9} {share}")
    together = offered(found, apart=False)
    print(
        "offered all at once",
        Share(sum(share.hits for share in together.values()), sum(share.of for share in together.values())),
    )
    print(f"asked to choose   {held_up(found)} of other products' labels")
    for name, value in times(found).items():
        print(f"time {name:12} {value:.2f} ms (5,000 listed)")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
