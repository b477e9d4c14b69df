"""The listed registry, as this process read it last.

What labels name is found out before anything of a principal is read, from a reading of the listed topics that is a
few seconds old at the most. They are no secret; and where an old reading could do harm, the database holds what
was taken for granted against what there is: exact keys and aliases are looked up there anew, and a capture that
was judged by another registry is judged again.

Source: design, section 5.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from ledger.core.registry.forms import Lists
from ledger.core.registry.named import Registry
from ledger.db import agent as db
from ledger.db.operation import Surface, UseCase

KEPT_S = 5.0
"""How long a reading serves, in seconds; an operator's call in this process ends it at once."""


class Reading:
    """The last reading, of one process. Safe between threads, and between tasks of an event loop."""

    def __init__(
        self, lists: Lists, *, kept_s: float = KEPT_S, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._lists = lists
        self._kept_s = kept_s
        self._clock = clock
        self._last: Registry | None = None
        self._until = _FORGOTTEN
        self._changes = 0

    def forget(self) -> None:
        """The registry was changed, or may have been: the next caller reads it anew."""
        self._changes += 1
        self._until = _FORGOTTEN

    def registry(self, surface: Surface, *, anew: bool = False) -> UseCase[Registry]:
        """The listed topics. Yields an operation of the surface where the last reading is too old, or `anew`."""
        now = self._clock()
        if self._last is not None and not anew and self._until != _FORGOTTEN:
            if now < self._until:
                return self._last
            self._until = now + self._kept_s  # one reads, the others go on with what there is
        changes = self._changes
        topics = yield db.labels_listed(surface)
        former = yield db.labels_former(surface)  # behind the other: what has left the one is in this one
        if self._last is not None and (self._last.topics, self._last.former) == (topics, former):
            read = self._last
        else:
            read = Registry(topics, self._lists, former)
        if changes == self._changes:  # else it may be older than the change
            self._last, self._until = read, now + self._kept_s
        return read


_FORGOTTEN = float("-inf")
