"""The page: what was claimed, what was seen, and whether it holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

MOST_DETAILS = 6  # of a line


@dataclass(frozen=True, slots=True)
class Line:
    """One claim and what was seen of it. `well` is None for what is told and not judged: the honest residue.
    `of` names the guarantee (DESIGN section 3) that it is evidence for."""

    about: str
    of: str
    well: bool | None
    seen: str
    details: tuple[str, ...] = ()


def line(about: str, of: str, wrong: Sequence[str], seen: str) -> Line:
    """A claim that holds if nothing is wrong; else what is wrong is told."""
    if not wrong:
        return Line(about, of, True, seen)
    more = (f"and {len(wrong) - MOST_DETAILS} more",) if len(wrong) > MOST_DETAILS else ()
    return Line(about, of, False, f"{len(wrong)} wrong", (*wrong[:MOST_DETAILS], *more))


@dataclass(slots=True)
class Section:
    title: str
    lines: list[Line]


@dataclass(slots=True)
class Page:
    """Everything that was looked at."""

    sections: list[Section] = field(default_factory=list)

    def add(self, title: str, lines: Iterable[Line]) -> None:
        self.sections.append(Section(title, list(lines)))

    @property
    def failures(self) -> list[Line]:
        return [one for section in self.sections for one in section.lines if one.well is False]

    @property
    def well(self) -> bool:
        return not self.failures

    def document(self) -> dict[str, Any]:
        """The page as JSON."""
        return {
            "well": self.well,
            "sections": [
                {
                    "title": section.title,
                    "lines": [
                        {"about": one.about, "guarantee": one.of, "well": one.well, "seen": one.seen, "details": list(one.details)}
                        for one in section.lines
                    ],
                }
                for section in self.sections
            ],
        }  # fmt: skip
