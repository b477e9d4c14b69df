"""Locks of files (flock): the kernel drops them with the last process that holds them, however it ends.

A forked child inherits the descriptors, and would hold with its parent what it never asked for: it closes its copies.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# fcntl is imported where it is used: on a system without it, importing this package must not fail.

_ours: set[int] = set()
_changing = threading.RLock()  # a fork waits for it, so that each open descriptor is among ours


def _forget() -> None:
    for handle in _ours:
        os.close(handle)
    _ours.clear()
    _changing.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_changing.acquire, after_in_parent=_changing.release, after_in_child=_forget)


@contextmanager
def exclusive(path: Path) -> Iterator[None]:
    """Holds `path` alone; waits for everybody else."""
    import fcntl

    handle = _open(path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        release(handle)


def shared(path: Path) -> int:
    """A descriptor that holds `path` together with others, until it is released."""
    import fcntl

    handle = _open(path)
    fcntl.flock(handle, fcntl.LOCK_SH)
    return handle


def try_exclusive(path: Path) -> int | None:
    """A descriptor that holds `path` alone, or None if somebody else holds it."""
    import fcntl

    handle = _open(path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        leave(handle)
        return None
    return handle


def is_free(path: Path) -> bool:
    """Whether nobody holds `path`."""
    handle = try_exclusive(path)
    if handle is None:
        return False
    release(handle)
    return True


def release(handle: int) -> None:
    """Gives the lock up, for every process that inherited the descriptor too."""
    import fcntl

    fcntl.flock(handle, fcntl.LOCK_UN)
    leave(handle)


def leave(handle: int) -> None:
    """Leaves the lock to the processes that inherited the descriptor; without any it is free."""
    with _changing:
        _ours.discard(handle)
        os.close(handle)


def _open(path: Path) -> int:
    with _changing:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        _ours.add(handle)
    return handle
