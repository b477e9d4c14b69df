"""What two plays of one history left behind, compared: equal, or the difference is named.

What can't be equal by nature is masked, by the list here and by the columns in `ledger.db.remains`;
docs/operations/prove.md gives the reason for each.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ledger.db.remains import Row

Evidence = dict[str, list[str]]
"""What lasts: section -> lines. The order of lines counts in a log, and nowhere else."""

IN_ORDER = ("server log", "our log", "printed")
ON_DISK = "order on disk of "
"""Begins the name of a section whose lines are rows as they lie."""
SHOWN = 2  # differing lines of a section, on each side
LONGEST = 160  # code points of a line that is shown


@dataclass(frozen=True, slots=True)
class Mask:
    """What is taken out of every line of some sections, since it differs by nature."""

    name: str
    sections: tuple[str, ...]
    pattern: re.Pattern[str]

    def over(self, section: str, line: str) -> str:
        return self.pattern.sub(f"<{self.name}>", line) if section in self.sections else line


MASKS = (
    Mask(
        "instant",
        IN_ORDER,
        re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?(?: ?(?:UTC|Z|[+-]\d\d:?\d\d))?"),
    ),
    Mask("process", IN_ORDER, re.compile(r"\[\d+\]")),
    Mask(
        "record_mark",
        ("rows of ledger.sweep_mark", "xmin and xmax in ledger.sweep_mark"),
        re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"),
    ),
)
LATENCY = ("_bucket", "_sum", "_wait_seconds_count")
"""Ends of the names of figures that hold how long something took, or whether there was anything to wait for."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A section in which two plays differ: lines that only the one left, and only the other."""

    section: str
    only_first: tuple[str, ...]
    only_second: tuple[str, ...]

    def __str__(self) -> str:
        told = [f"{self.section} differs"]
        told += [f"  - {line}" for line in self.only_first]
        told += [f"  + {line}" for line in self.only_second]
        return "\n".join(told)


def differences(first: Evidence, second: Evidence) -> list[Difference]:
    """Every section that is not equal, by name."""
    found = []
    for section in sorted({*first, *second}):
        a, b = _masked(section, first.get(section)), _masked(section, second.get(section))
        if a == b:
            continue
        only_a, only_b = Counter(a) - Counter(b), Counter(b) - Counter(a)
        if not only_a and not only_b:
            if section not in IN_ORDER and not section.startswith(ON_DISK):
                continue
            place = next(n for n, (x, y) in enumerate(zip(a, b, strict=True)) if x != y)
            only_a, only_b = Counter(a[place : place + 1]), Counter(b[place : place + 1])
            if section in IN_ORDER:
                section = f"order of the {section}"
        found.append(Difference(section, _shown(only_a), _shown(only_b)))
    return found


def _masked(section: str, lines: Sequence[str] | None) -> list[str]:
    if lines is None:
        return ["<no such section>"]
    masked = []
    for line in lines:
        for mask in MASKS:
            line = mask.over(section, line)
        masked.append(line)
    return masked


def _shown(lines: Counter[str]) -> tuple[str, ...]:
    shown = [line if len(line) <= LONGEST else f"{line[:LONGEST]}…" for line in sorted(lines.elements())]
    return (*shown[:SHOWN], f"and {len(shown) - SHOWN} more") if len(shown) > SHOWN else tuple(shown)


def of_rows(tables: Mapping[str, Iterable[Row]], transactions: Mapping[str, Iterable[str]]) -> Evidence:
    """Rows as evidence: their contents, and how xmin and xmax group them.

    Numbers of transactions differ by nature; their order does not. So each is read as its rank among all that
    stand in any row of any of these tables, in a system column or in a column of `transactions` (table -> columns).
    """
    rows = {table: list(found) for table, found in tables.items()}
    seen = {row.xmin for found in rows.values() for row in found}
    seen |= {row.xmax for found in rows.values() for row in found if row.xmax}
    for table, columns in transactions.items():
        for row in rows[table]:
            seen |= {int(value) for name in columns if (value := row.values[name]) is not None}
    rank = {number: place for place, number in enumerate(sorted(seen))}
    evidence: Evidence = {}
    for table, found in rows.items():
        numbers = frozenset(transactions.get(table, ()))
        contents, grouping = [], []
        for row in found:
            text = ", ".join(
                "null" if value is None else f"transaction {rank[int(value)]}" if name in numbers else value
                for name, value in row.values.items()
            )
            contents.append(text)
            grouping.append(f"xmin {rank[row.xmin]}, xmax {rank[row.xmax] if row.xmax else 'none'}: {text}")
        evidence[f"rows of {table}"] = contents
        evidence[f"xmin and xmax in {table}"] = grouping
    return evidence


def of_metrics(before: str, after: str) -> list[str]:
    """By how much each figure of a Prometheus text has grown; without those of how long something took."""
    old = _figures(before)
    grown = []
    for name, value in _figures(after).items():
        increase = value - old.get(name, 0.0)
        bare = name.partition("{")[0]
        if increase and not bare.endswith(LATENCY):
            grown.append(f"{name} {increase:g}")
    return grown


def _figures(text: str) -> dict[str, float]:
    lines = (line.rpartition(" ") for line in text.splitlines() if line and not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}
