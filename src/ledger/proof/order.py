"""Does the order of rows on disk follow the order in which people's answers were written?

Of each two principals whose rows a sweep has stamped anew: do they lie in the order in which they were last
written? What is counted is how many pairs do, less how many do not (Kendall's S). In a generated history nobody
writes sooner than another but by chance, so of n principals S is 0 on average, with a known variance, and sums
over days and worlds are nearly normal.

What one transaction wrote is tied, and tells nothing of itself.

Source: M. G. Kendall, Rank Correlation Methods (the variance of S, with ties in one of two rankings).
"""

from __future__ import annotations

import math
from bisect import bisect_left, insort
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ledger.db.remains import Row
from ledger.proof.words import PERSONAL

LIMIT = 7.0
"""Standard errors from 0: chance comes so far once in 4 * 10^11 times, of all tables of 10,000 histories less than
once in a million."""

Place = tuple[int, int]
"""Page and item."""

Group = str
"""Rows that chance alone sets in order: all principals of a table, or the topics of one kind that each person coins."""


@dataclass(frozen=True, slots=True)
class Lying:
    """Rows that belong together: their newest stamp, and the place of the first."""

    stamp: int
    place: Place


@dataclass(slots=True)
class Order:
    """Sums over sweeps: for each group S and its variance."""

    score: dict[Group, float] = field(default_factory=dict)
    variance: dict[Group, float] = field(default_factory=dict)

    def __add__(self, more: Order) -> Order:
        return Order(_summed(self.score, more.score), _summed(self.variance, more.variance))

    def add(self, group: Group, s: float, variance: float) -> None:
        self.score[group] = self.score.get(group, 0.0) + s
        self.variance[group] = self.variance.get(group, 0.0) + variance

    def farthest(self) -> float:
        """Of all groups: how many standard errors the farthest lies from 0."""
        return max((abs(self._error(group)) for group in self.score), default=0.0)

    def told(self) -> Iterator[str]:
        """The groups that lie in the order of writing, or in its reverse, beyond chance."""
        for group in sorted(self.score):
            if abs(self._error(group)) > LIMIT:
                yield f"{group} in the order of writing: {self._error(group):+.1f} standard errors"

    def _error(self, group: Group) -> float:
        variance = self.variance[group]
        return self.score[group] / math.sqrt(variance) if variance else 0.0


def compared(before: Iterable[Row], after: Iterable[Row], telling: str = "") -> Order:
    """How the rows that were stamped anew in between lie now, against the order of their stamps before."""
    order = Order()
    was, now = _lying(before), _lying(after)
    for group, names in now.items():
        then = was.get(group, {})
        moved = [
            (then[name], here)
            for name, here in names.items()
            if name in then and here.stamp != then[name].stamp
        ]
        written: dict[int, list[Place]] = {}
        for stamp, place in sorted((last.stamp, here.place) for last, here in moved):
            written.setdefault(stamp, []).append(place)
        order.add(f"{group}{telling}", *concordance(written.values()))
    return order


def concordance(tied: Iterable[Sequence[Place]]) -> tuple[int, float]:
    """Kendall's S of places that were written one after the other, in groups of which each was written at once; and
    its variance."""
    seen: list[Place] = []
    s = ties = 0
    for group in tied:
        for place in group:
            s += 2 * bisect_left(seen, place) - len(seen)
        for place in group:
            insort(seen, place)
        ties += _spread(len(group))
    return s, (_spread(len(seen)) - ties) / 18


def _spread(n: int) -> int:
    return n * (n - 1) * (2 * n + 5)


def _lying(rows: Iterable[Row]) -> Mapping[Group, Mapping[str, Lying]]:
    found: dict[Group, dict[str, Lying]] = {}
    for row in rows:
        named = _named(row)
        if named is not None:
            group, name = named
            one = found.setdefault(group, {}).get(name, Lying(row.xmin, row.place))
            found[group][name] = Lying(max(one.stamp, row.xmin), min(one.place, row.place))
    return found


def _named(row: Row) -> tuple[Group, str] | None:
    """The group of a row, and whom or what in it the row belongs to."""
    principal, key = row.values.get("principal"), row.values.get("key")
    if principal is not None:
        return f"principals of {row.table}", principal
    kind = (key or "").partition("_")[0]
    if row.table == "ledger.topic" and kind in PERSONAL:
        return f"topics of {row.table} that begin with {kind}", key or ""
    return None


def _summed(some: Mapping[Group, float], more: Mapping[Group, float]) -> dict[Group, float]:
    return {group: some.get(group, 0.0) + more.get(group, 0.0) for group in {*some, *more}}
