"""A shelf before a pool: the connection that was used last is the next to be used.

The pool opens connections, replaces broken and old ones, and makes callers wait their turn. A trip to it costs as
much as all else that the program adds to a recall, so a connection that nobody waits for stays here for some
uses, and goes back through the pool after them.

Decision 0009.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

import psycopg
from psycopg.pq import TransactionStatus

from ledger.processes import this_process

C = TypeVar("C", bound="psycopg.BaseConnection[Any]")

_USES = 100  # in a row, before the pool has a look at a connection's age


class Shelf(Generic[C]):
    """Idle connections of one pool. Safe between threads: a deque's ends are. `on_wait` gets the seconds of each wait."""

    __slots__ = ("_idle", "_left", "_on_wait", "_process", "_waiting")

    def __init__(self, on_wait: Callable[[float], None] = lambda _: None) -> None:
        self._on_wait = on_wait
        self._process = this_process()
        self._idle: deque[C] = deque()
        self._left: dict[C, int] = {}
        self._waiting: deque[None] = deque()

    def take(self) -> C | None:
        """The connection that was put here last; None: ask the pool, `waiting` meanwhile."""
        try:
            return self._idle.pop()
        except IndexError:
            return None

    @contextmanager
    def waiting(self) -> Iterator[C | None]:
        """While the pool is asked, nobody puts a connection here. Gives one that was put just before."""
        self._waiting.append(None)
        began = time.perf_counter()
        try:
            yield self.take()
        finally:
            self._waiting.pop()
            self._on_wait(time.perf_counter() - began)

    def put(self, connection: C) -> C | None:
        """Takes back a connection, if it is fit and nobody waits for one. Gives the one that is the pool's now."""
        if this_process() != self._process:
            # a task that was forked in the middle of its call, and ends with the last reference to it: the pool
            # would close what its parent still reads from
            return None
        left = self._left.get(connection, _USES)
        if not left or self._waiting or connection.pgconn.transaction_status != TransactionStatus.IDLE:
            self._left.pop(connection, None)
            return connection
        self._left[connection] = left - 1
        self._idle.append(connection)
        if not self._waiting:
            return None
        # somebody began to wait between the two looks: the pool must wake them
        other = self.take()
        if other is not None:
            self._left.pop(other, None)
        return other

    def clear(self) -> list[C]:
        """Everything that lies here, for the pool to close."""
        found = list(self._idle)
        self._idle.clear()
        self._left.clear()
        return found
