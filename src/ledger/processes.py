"""What each process has for itself, however it came about: a child that was forked starts anew.

The id of the process is looked at, and no hook of a fork relied on alone: servers that are written in C may fork
without telling Python. Nor is the id relied on alone: in a namespace of its own a child may have its parent's.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")

_forks = 0


def this_process() -> tuple[int, int]:
    """What tells this process from its parents: its id, and how many forks of Python lie between it and the first."""
    return os.getpid(), _forks


def _forked() -> None:
    global _forks
    _forks += 1


os.register_at_fork(after_in_child=_forked)


class PerProcess(Generic[T]):
    """A value that a process makes when it first asks for it, the same for all its threads.

    What a child inherited from its parent stays where it is, neither used nor closed: sockets in it are the
    parent's too, its threads are not there, and a lock may have been held at the moment of the fork.
    """

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], T]) -> None:
        self._make = make
        self._made: dict[tuple[int, int], T] = {}

    def get(self) -> T:
        process = this_process()
        made = self._made.get(process)
        # no lock, which a fork could leave held: of two threads the second gets what the first put here
        return self._made.setdefault(process, self._make()) if made is None else made
