"""Locks of files (flock): the kernel drops them with the last process that holds them, however it ends."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# fcntl is imported where it is used: on a system without it, importing this package must not fail.


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
    """A descriptor that holds `path` alone, or None if somebody else holds it.

    Not released but closed, the lock stays with the processes that inherited the descriptor.
    """
    import fcntl

    handle = _open(path)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
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
    """Gives the lock up, for a forked child that inherited the descriptor too."""
    import fcntl

    fcntl.flock(handle, fcntl.LOCK_UN)
    os.close(handle)


def _open(path: Path) -> int:
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
