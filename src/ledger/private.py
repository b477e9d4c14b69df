"""Folders and files that nobody but their owner may read.

Source: DESIGN sections 4 and 9 (the keys of an embedded deployment are files with mode 0600).
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ledger.errors import SetupError

_REASONS = {
    errno.EACCES: "may not be read or written by this user",
    errno.EPERM: "may not be read or written by this user",
    errno.EROFS: "lies on a read-only file system",
    errno.ENOSPC: "lies on a full disk",
    errno.EDQUOT: "lies on a disk whose quota is used up",
    errno.ENOTDIR: "is not a folder",
    errno.EEXIST: "is not a folder",
    errno.ENAMETOOLONG: "has too long a name",
    errno.ELOOP: "is a loop of symbolic links",
}


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns an OSError about `path` or what lies in it into a SetupError with a next step."""
    try:
        yield
    except OSError as error:
        reason = _REASONS.get(error.errno or 0, "can't be used")
        raise SetupError(
            f"{path} {reason} ({os.strerror(error.errno or errno.EIO)}). "
            "Mend that, or choose another folder with --data-dir or LEDGER_DATA_DIR."
        ) from error


def data_place(path: Path) -> Path:
    """Where the data directory is, or would be."""
    return path.expanduser().absolute()


def data_folder(path: Path) -> Path:
    """The data directory, made if absent; a folder that was there keeps its modes.

    Made by root it may be entered (not listed) by others, for a server that runs as another user.
    Raises SetupError if it can't be made or is a PostgreSQL data directory itself.
    """
    path = data_place(path)
    with explained(path):
        path.mkdir(mode=0o711 if _is_root() else 0o700, parents=True, exist_ok=True)
        foreign = (path / "PG_VERSION").exists()
    if foreign:
        raise SetupError(
            f"{path} is the data directory of a PostgreSQL server. "
            "Choose another folder, or reach that server with --database."
        )
    return path


def folder(path: Path) -> Path:
    """A folder of ours with mode 0700, made if absent.

    Raises SetupError if it belongs to somebody else or lets others list or write it.
    """
    with explained(path):
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise SetupError(f"{path} is not a folder. Move it away, or choose another --data-dir.")
    _refuse_foreign(path, found)
    if _exposed(found, 0o066):
        raise SetupError(f"{path} is open to other users. Close it with: chmod 700 '{path}'")
    return path


def read(path: Path) -> bytes:
    """The content of a file that only its owner may read.

    Raises SetupError if it belongs to somebody else or others may read or write it.
    """
    with explained(path), path.open("rb") as file:
        found = os.fstat(file.fileno())
        content = file.read()
    _refuse_foreign(path, found)
    if _exposed(found, 0o077):
        raise SetupError(f"{path} is open to other users. Close it with: chmod 600 '{path}'")
    return content


def make_once(path: Path, content: bytes) -> bool:
    """Writes `path` with mode 0600 unless it is there; says whether this call made it.

    It appears whole or not at all, and of two processes that race one makes it.
    """
    with explained(path), _draft(path, content) as draft:
        try:
            # A link, unlike a rename, never replaces what another process made meanwhile.
            os.link(draft, path)
        except FileExistsError:
            return False
        sync(path.parent)
    return True


def replace(path: Path, content: bytes) -> None:
    """Writes `path` with mode 0600 in place of what is there; whole, or not at all."""
    with explained(path), _draft(path, content) as draft:
        draft.replace(path)
        sync(path.parent)


@contextmanager
def _draft(path: Path, content: bytes) -> Iterator[Path]:
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield draft
    finally:
        with suppress(FileNotFoundError):
            draft.unlink()


def sync(path: Path) -> None:
    """Makes what was created or renamed in a folder outlive a loss of power."""
    if os.name != "posix":
        return
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _is_root() -> bool:
    return os.name == "posix" and os.geteuid() == 0


def _refuse_foreign(path: Path, found: os.stat_result) -> None:
    # What root owns is as trustworthy as root; mounted secrets are such files.
    if os.name == "posix" and found.st_uid not in {os.geteuid(), 0}:
        raise SetupError(f"{path} belongs to another user. Start as that user, or choose another --data-dir.")


def _exposed(found: os.stat_result, bits: int) -> bool:
    return os.name == "posix" and bool(stat.S_IMODE(found.st_mode) & bits)
