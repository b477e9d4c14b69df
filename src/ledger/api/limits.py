"""How often a token may coin: a token bucket, in the memory of a worker.

Counted are calls that coin and the unlisted labels of accepted answers, never whether a key was new or an answer
kept: a token that is slowed down has learned nothing but what it sent.

By token, and not by principal: of two agents of one person, one must not be able to tell by being
slowed down that the other is there. A bucket has the name of a token as the process knows it, a keyed hash, and is
forgotten when it is full again: a full one is as good as none.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from ledger.errors import TooManyRequests

_ROUNDING = 1e-6  # seconds; sums of fractions are off by less


class Limiter:
    """`burst` calls at once, then `per_second`. Of at most `size` names; of more, the bucket that is full soonest goes."""

    def __init__(
        self, burst: int, per_second: float, *, size: int = 4096, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._fills_in = burst / per_second
        self._a_call = 1 / per_second
        self._size = size
        self._clock = clock
        self._full_at: dict[bytes, float] = {}  # all that there is to know of a bucket

    def take(self, name: bytes, n: int = 1) -> None:
        """Count n, at most `burst`. Raises TooManyRequests with the whole seconds until there is room for all."""
        now = self._clock()
        self._full_at = {one: full_at for one, full_at in self._full_at.items() if full_at > now}
        full_at = self._full_at.get(name, now) + n * self._a_call
        wait = full_at - now - self._fills_in
        if wait > _ROUNDING:
            raise TooManyRequests(
                "This token makes this call too often; wait as `Retry-After` says.",
                math.ceil(wait - _ROUNDING),
            )
        self._full_at[name] = full_at
        if len(self._full_at) > self._size:
            del self._full_at[min(self._full_at, key=self._full_at.__getitem__)]
