"""Figures of the weekly snapshot: all that operators get of how many answers there are.

A figure is a number of principals, rounded to 5, or says that it is below 5. The age of an answer is known to the
week, so what a step would do is counted at its most: a week of which one day is past a window is past it.

Source: DESIGN section 7.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date

from ledger.core.model import Window

FEWEST = 5  # principals
FEWER = f"fewer than {FEWEST}"
OR_MORE = f"at least {FEWEST}"  # of a proposal: that many have it, and no more is known
UNKNOWN = "unknown"

Figure = int | str


@dataclass(frozen=True, slots=True)
class Week:
    """Answers that came in one week: the window of their topic (None: the default), and how many principals."""

    window: Window | None
    age: int  # whole days today, of the youngest
    n: int  # a multiple of 5

    @property
    def oldest(self) -> int:
        return self.age + 6


@dataclass(frozen=True, slots=True)
class Figures:
    """The snapshot of a topic, or of all, as it was drawn; None: it never was."""

    drawn_on: date | None
    weeks: tuple[Week, ...]

    def _count(self, which: Callable[[Week], bool]) -> Figure:
        total = sum(week.n for week in self.weeks if which(week))
        return total if total >= FEWEST else FEWER

    @property
    def all(self) -> Figure:
        return self._count(lambda _: True)

    def of_the_default(self) -> Figures:
        """Those of topics that have no window of their own."""
        return Figures(self.drawn_on, tuple(week for week in self.weeks if week.window is None))

    def due(self, default: Window) -> Figure:
        """What a sweep of today may delete, at the most."""
        return self._count(lambda week: week.oldest >= (week.window or default).drop_after)

    def dropped(self, old: Window, new: Window) -> Figure:
        """What is kept under the old window and may be gone under the new one."""
        return self._count(lambda week: _dropped(week, old, new))

    def asked_again(self, old: Window, new: Window) -> Figure:
        """What is fresh under the old window and may be a question under the new one."""
        return self._count(
            lambda week: (
                not _dropped(week, old, new)
                and week.age <= old.reconfirm_after
                and week.oldest > new.reconfirm_after
            )
        )


def _dropped(week: Week, old: Window, new: Window) -> bool:
    return week.age < old.drop_after and week.oldest >= new.drop_after
