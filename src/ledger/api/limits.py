"""How often a token may coin: a token bucket, in the memory of a worker.

Counted are calls that coin and the unlisted labels of accepted answers, never whether a key was new or an answer
kept: a token that is slowed down has learned nothing but what it sent.

By token, and not by principal: of two agents of one person, one must not be able to tell by being
slowed down that the other is there.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable

from ledger.errors import TooManyRequests


class Limiter:
    """`burst` calls at once, then `per_second`. Of at most `size` names; the longest unused is forgotten."""

    def __init__(
        self, burst: int, per_second: float, *, size: int = 4096, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst = burst
        self._per_second = per_second
        self._size = size
        self._clock = clock
        self._buckets: OrderedDict[bytes, tuple[float, float]] = OrderedDict()  # calls left, when counted

    def take(self, name: bytes, n: int = 1) -> None:
        """Count n, at most `burst`. Raises TooManyRequests with the whole seconds until there is room for all."""
        now = self._clock()
        left, counted = self._buckets.get(name, (float(self._burst), now))
        left = min(self._burst, left + (now - counted) * self._per_second)
        if left < n:
            wait = math.ceil((n - left) / self._per_second)
            raise TooManyRequests("This token makes this call too often; wait as `Retry-After` says.", wait)
        self._buckets[name] = (left - n, now)
        self._buckets.move_to_end(name)
        if len(self._buckets) > self._size:
            self._buckets.popitem(last=False)
