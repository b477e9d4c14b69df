"""What lies on the disk beside the database: who may use the data directory and the keys, and what was left open there.

Looked at: the folders themselves and those above them (whoever may write in one may put another in its place), and the files of the
data directory and of the folder that the program started in, by what is in them.

Source: DESIGN sections 4 and 9; SEI CERT FIO15-C (operations in a secure directory).
"""

from __future__ import annotations

import os
import shlex
import stat
from collections.abc import Iterator
from pathlib import Path

from ledger.db.inspection import Finding
from ledger.settings import PREFIX

_SECRET = ("PEPPER", "DATABASE_URL")
_DUMPS = (b"PGDMP", b"-- PostgreSQL database ")
_PACKED = (".sql.gz", ".dump.gz", ".sql.zst", ".sql.xz", ".sql.bz2")
_HEAD = 512  # bytes of a file in which a dump says that it is one


def findings(data_dir: Path, started_in: Path) -> Iterator[Finding]:
    """`data_dir` is that of an open deployment, so that it and its keys are there."""
    keys = data_dir / "keys"
    for path in [keys, *sorted(keys.iterdir())]:
        yield _closed(str(path.relative_to(data_dir)), path)
    yield _of_writers([data_dir.resolve(), *data_dir.resolve().parents])
    folders = dict.fromkeys((data_dir.resolve(), started_in.resolve()))
    files = [file for folder in folders for file in _files(folder)]
    for file in files:
        if file.name.startswith(".env") and _holds_a_secret(file):
            yield _closed(file.name if file.parent == started_in.resolve() else str(file), file)
    open_ = [file for file in files if _mode(file) & 0o077 and _is_a_dump(file)]
    yield Finding(
        "dumps of a database that others may read",
        not open_,
        ", ".join(map(str, open_)) or "none",
        "they hold what was deleted since, too: keep them closed, short, and apart from the keys",
        commands=tuple(f"chmod go-rwx {shlex.quote(str(file))}" for file in open_),
    )


def _closed(name: str, path: Path) -> Finding:
    mode = _mode(path)
    closed = not mode & 0o077
    return Finding(
        f"who may use {name}",
        closed,
        f"{'its owner alone' if closed else 'others too'} ({mode:04o})",
        "close it; and if others may have read it, change what is in it",
        commands=() if closed else (f"chmod go-rwx {shlex.quote(str(path))}",),
    )


def _of_writers(folders: list[Path]) -> Finding:
    """In a sticky folder, such as /tmp, nobody may move what is another's; the data directory itself is not shared even so."""
    open_ = [
        folder
        for at, folder in enumerate(folders)
        if _mode(folder) & 0o022 and not (at and _mode(folder) & stat.S_ISVTX)
    ]
    return Finding(
        "who may write in the data directory and the folders above it",
        not open_,
        ", ".join(f"{folder} ({_mode(folder):04o})" for folder in open_) or "their owners alone",
        "whoever may write there may put other keys, or another database, in the place of these",
        commands=tuple(f"chmod go-w {shlex.quote(str(folder))}" for folder in open_),
    )


def _mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def _files(folder: Path) -> Iterator[Path]:
    """What may be read there and is a file; and the contents of a dump that was made as a folder."""
    try:
        inside = sorted(os.scandir(folder), key=lambda one: one.name)
    except OSError:
        return  # it may be entered and not listed
    for one in inside:
        path = Path(one.path)
        if one.is_file(follow_symlinks=False):
            yield path
        elif one.is_dir(follow_symlinks=False) and os.access(path, os.X_OK) and (path / "toc.dat").is_file():
            yield path / "toc.dat"


def _holds_a_secret(file: Path) -> bool:
    text = _read(file, -1).decode("utf-8", "replace")
    return any(PREFIX + name in text for name in _SECRET)


def _is_a_dump(file: Path) -> bool:
    head = _read(file, _HEAD)
    return file.name.endswith(_PACKED) or any(mark in head for mark in _DUMPS)


def _read(file: Path, most: int) -> bytes:
    try:
        with file.open("rb") as opened:
            return opened.read(most)
    except OSError:
        return b""
