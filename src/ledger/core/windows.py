"""Staleness: when an answer is fresh, when it is a question, when it is gone.

Everything is counted in whole days, in UTC. No clock is read here: `today` is handed in, so that a
changed window, or another day, applies to every entry at once.

Source: design, guarantee G5.
"""

from __future__ import annotations

from datetime import date, timedelta

from ledger.core.model import Freshness, Topic, Window
from ledger.errors import InvalidRequest, Problem

LONGEST = 3650  # days; ten years, past which "dropped" would mean nothing


def age(as_of: date, today: date) -> int:
    """Whole days from `as_of` to `today`; negative where somebody's tomorrow has already begun."""
    return (today - as_of).days


def freshness(as_of: date, today: date, window: Window) -> Freshness:
    """fresh: age <= reconfirm_after; dropped: age >= drop_after; a question in between."""
    days = age(as_of, today)
    if days >= window.drop_after:
        return Freshness.DROPPED
    if days > window.reconfirm_after:
        return Freshness.RECONFIRM
    return Freshness.FRESH


def fresh_until(as_of: date, window: Window) -> date:
    """The last day on which the answer is fresh."""
    return as_of + timedelta(days=window.reconfirm_after)


def kept_until(as_of: date, window: Window) -> date:
    """The last day on which the answer is served at all; the sweep after it deletes it."""
    return as_of + timedelta(days=window.drop_after - 1)


def window_of(topic: Topic, default: Window) -> Window:
    """The topic's own window, or `default` where it has none."""
    if topic.reconfirm_after is None or topic.drop_after is None:
        return default
    return Window(topic.reconfirm_after, topic.drop_after)


def shorter(old: Window, new: Window) -> bool:
    """Whether the new one drops answers, or makes them a question, that the old one does not."""
    return new.reconfirm_after < old.reconfirm_after or new.drop_after < old.drop_after


def checked(reconfirm_after: int | None, drop_after: int | None) -> Window | None:
    """A window that holds: 1 <= reconfirm_after < drop_after <= 3650. Both None is the default, as None.

    Raises InvalidRequest, whose problems say which of the two is wrong.
    """
    if reconfirm_after is None and drop_after is None:
        return None
    if reconfirm_after is None or drop_after is None:
        missing = "reconfirm_after" if reconfirm_after is None else "drop_after"
        raise InvalidRequest(
            "A window is two numbers of days, or none: send both, or null for both to follow the defaults.",
            [Problem(missing, "is null while the other is not")],
        )
    problems = []
    if reconfirm_after < 1:
        problems.append(Problem("reconfirm_after", "must be at least 1 day"))
    if drop_after > LONGEST:
        problems.append(Problem("drop_after", f"must be at most {LONGEST} days"))
    if reconfirm_after >= drop_after:
        problems.append(Problem("drop_after", "must be later than reconfirm_after"))
    if problems:
        raise InvalidRequest(
            f"A window must hold 1 <= reconfirm_after < drop_after <= {LONGEST}, in whole days.", problems
        )
    return Window(reconfirm_after, drop_after)
