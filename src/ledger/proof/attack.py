"""The attack: of each two answers of a principal, were they given in one thread?

An attacker guesses "yes" the rather, the closer the numbers of a signal lie. The *advantage* is how much more often
they put a pair of one thread before a pair of two than the other way round, among pairs whose dates lie equally far
apart: -1 to 1, and 0 for whoever knows nothing but the dates. What contents tell by themselves is taken away:
the same attacker gets a copy that was filled from the contents alone, in one transaction.
"""

from __future__ import annotations

import math
import random
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import combinations

from ledger.proof.signals import Given, Item, Signal

SHOWN = 1.96  # standard errors to each side of the interval that is told: 95 %
DOUBT = 0.001  # a chance that is no larger leaves none
FLIPS = 4_000

Score = Callable[[Item, Item], float | None]
"""The higher, the rather one thread; None where the attacker has nothing on one of them."""


@dataclass(frozen=True, slots=True)
class Guessed:
    """One attacker's success: `won` less `lost` comparisons of each principal, and how many there were."""

    net: Mapping[str, float]
    comparisons: Mapping[str, int]

    @property
    def advantage(self) -> float:
        total = sum(self.comparisons.values())
        return sum(self.net.values()) / total if total else 0.0

    @property
    def error(self) -> float:
        """The standard error of the advantage, over principals."""
        total = sum(self.comparisons.values())
        if not total:
            return 0.0
        mean = self.advantage
        spread = sum((self.net[p] - mean * n) ** 2 for p, n in self.comparisons.items())
        many = sum(n > 0 for n in self.comparisons.values())
        return math.sqrt(spread * many / max(1, many - 1)) / total

    def but(self, other: Guessed) -> Guessed:
        """What is left when another's success on the same pairs is taken away."""
        return Guessed({p: self.net[p] - other.net[p] for p in self.net}, self.comparisons)

    def of(self, chosen: Callable[[int], bool], sign: float = 1.0) -> Guessed:
        """The part of some principals, by their place in the order of their names; turned round by a sign."""
        names = [p for place, p in enumerate(sorted(self.net)) if chosen(place)]
        return Guessed({p: sign * self.net[p] for p in names}, {p: self.comparisons[p] for p in names})


@dataclass(frozen=True, slots=True)
class Verdict:
    """The best of several attackers: chosen on half of the principals, measured on the others."""

    attackers: int
    best: str
    advantage: float
    low: float
    high: float
    limit: float  # chance gives no more than this, but for once in 1 / DOUBT times: from here on it leaks

    @property
    def leaks(self) -> bool:
        return self.advantage > max(0.0, self.limit)


def guess(answers: Mapping[Item, Given], score: Score) -> Guessed:
    """How an attacker does on all pairs of all principals."""
    net: dict[str, float] = {}
    comparisons: dict[str, int] = {}
    for principal, items in _by_principal(answers).items():
        won = n = 0
        for same, other in _strata(answers, items):
            scores = [score(a, b) for a, b in other]
            for a, b in same:
                mine = score(a, b)
                n += len(scores)
                if mine is not None:
                    won += sum((mine > s) - (mine < s) for s in scores if s is not None)
        net[principal], comparisons[principal] = won, n
    return Guessed(net, comparisons)


def closeness(signal: Signal) -> Score:
    """The closer two numbers, the higher."""

    def score(a: Item, b: Item) -> float | None:
        x, y = signal.get(a, signal.get((None, a[1]))), signal.get(b, signal.get((None, b[1])))
        return None if x is None or y is None else -abs(x - y)

    return score


def by_dates(answers: Mapping[Item, Given]) -> float:
    """What the dates alone tell: the advantage of who guesses "one thread" the rather, the closer the dates."""
    net = total = 0
    for items in _by_principal(answers).values():
        gaps: dict[bool, list[int]] = {True: [], False: []}
        for a, b in combinations(items, 2):
            gaps[answers[a].thread == answers[b].thread].append(
                abs((answers[a].as_of - answers[b].as_of).days)
            )
        net += sum((s < o) - (s > o) for s in gaps[True] for o in gaps[False])
        total += len(gaps[True]) * len(gaps[False])
    return net / total if total else 0.0


def best(answers: Mapping[Item, Given], signals: Mapping[str, Signal], copy: Mapping[str, Signal]) -> Verdict:
    """The best of the attackers that have these signals, over what they have of a copy of the contents."""
    found = {}
    for name, signal in signals.items():
        if len(set(signal.values())) < 2:
            continue  # it tells no two answers apart
        here = guess(answers, closeness(signal))
        found[name] = here.but(guess(answers, closeness(copy.get(name, {}))))
    if not found:
        return Verdict(len(signals), "none: no number tells two answers apart", 0.0, 0.0, 0.0, 0.0)
    learnt = {name: guessed.of(_even).advantage for name, guessed in found.items()}
    name = max(learnt, key=lambda one: (abs(learnt[one]), one))
    held = found[name].of(_odd, math.copysign(1.0, learnt[name]))
    value, error = held.advantage, held.error
    return Verdict(len(signals), name, value, value - SHOWN * error, value + SHOWN * error, _by_chance(held))


def _by_chance(found: Guessed) -> float:
    """The largest advantage that would come oftener than DOUBT says if each principal's were as likely the other way
    round."""
    chance = random.Random(0)  # noqa: S311 - the same each time
    each = [net for net in found.net.values() if net]
    sums = sorted(
        (sum(net if chance.random() < 0.5 else -net for net in each) for _ in range(FLIPS)), reverse=True
    )
    total = sum(found.comparisons.values())
    return sums[int(DOUBT * (FLIPS + 1)) - 1] / total if total else 0.0


def _even(place: int) -> bool:
    return place % 2 == 0


def _odd(place: int) -> bool:
    return place % 2 == 1


def _by_principal(answers: Mapping[Item, Given]) -> dict[str, list[Item]]:
    theirs: dict[str, list[Item]] = defaultdict(list)
    for item in sorted(answers):
        theirs[item[0]].append(item)
    return theirs


Pairs = list[tuple[Item, Item]]


def _strata(answers: Mapping[Item, Given], items: list[Item]) -> list[tuple[Pairs, Pairs]]:
    """Pairs of one thread and of two, for each distance of their dates."""
    strata: dict[int, tuple[Pairs, Pairs]] = defaultdict(lambda: ([], []))
    for a, b in combinations(items, 2):
        apart = abs((answers[a].as_of - answers[b].as_of).days)
        strata[apart][answers[a].thread != answers[b].thread].append((a, b))
    return [(same, other) for same, other in strata.values() if same and other]
