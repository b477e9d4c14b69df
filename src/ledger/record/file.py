"""A record in one file: for a ledger whose processes run on one machine.

A line a row, in key order; a head before them. It is written whole beside the old one, synced and renamed, with mode
0600, and its times are set to midnight (UTC), so that no instant of a taking is in the file system. A second file is
there to be locked.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime
from pathlib import Path
from uuid import UUID

from ledger import private
from ledger.core.record import NOBODY, Taken, What, united
from ledger.core.store import Head
from ledger.embedded import locks
from ledger.errors import SetupError, Unavailable

NAME, LOCK = "taken", "lock"
_FORM = "answer-ledger record 1"
_DAMAGED = "is damaged. Put it back from a copy, or do without: answer-ledger reconcile --without-record"


class FileLock:
    """The lock of the whole file, since it is written whole. A forked child has no part in it."""

    def __init__(self, handle: int) -> None:
        self._process = os.getpid()
        self._handle: int | None = handle

    def release(self) -> None:
        handle, self._handle = self._handle, None
        if handle is not None and self._process == os.getpid():
            locks.release(handle)

    def __del__(self) -> None:
        self.release()  # of a call that was cancelled before it heard that it has the lock


class FileStore:
    """The record in `folder`, which is made when it is first needed. Raises SetupError where others may read it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = folder / NAME

    @property
    def place(self) -> str:
        return str(self._file)

    def lock(self, principal: UUID) -> FileLock | None:
        self._make_folder()
        with self._reached():
            handle = locks.try_exclusive(self._folder / LOCK)
        return None if handle is None else FileLock(handle)

    def head(self) -> Head | None:
        found = self._read()
        return None if found is None else found[0]

    def begin(self, head: Head) -> None:
        self._make_folder()
        self._write(head, [])

    def fresh(self) -> list[Taken]:
        return [row for row, is_fresh in self._rows() if is_fresh]

    def rows(self, after: UUID, upto: UUID | None) -> list[Taken]:
        return [
            row
            for row, _ in self._rows()
            if row.whose != NOBODY and row.principal > after and (upto is None or row.principal <= upto)
        ]

    def registry(self) -> list[Taken]:
        return [row for row, _ in self._rows() if row.whose == NOBODY]

    def unite(self, rows: Iterable[Taken], done: UUID | None = None) -> None:
        head, old = self._there()
        there = {row.key: (row, fresh) for row, fresh in old if (row.whose, row.what) != (done, What.BEGUN)}
        for row in united(rows).values():
            if not row.stands_in(there.get(row.key, (None, False))[0]):
                there[row.key] = row, True
        self._write(head, there.values())

    def take_out(self, principal: UUID, goes: Callable[[Taken], bool]) -> None:
        head, old = self._there()
        kept = [(row, fresh) for row, fresh in old if row.whose != principal or not goes(row)]
        begun = Taken(principal, What.BEGUN)
        self._write(head, [one for one in kept if one[0].key != begun.key] + [(begun, True)])

    def renew(self, mark: UUID, oldest: date) -> None:
        head, old = self._there()
        self._write(Head(head.proof, mark), ((row, False) for row, _ in old if not row.is_over(oldest)))

    def close(self) -> None:
        pass

    @contextmanager
    def _reached(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise Unavailable(
                f"The record in {self._folder} can't be written ({error.strerror}). Mend that, and try again."
            ) from None

    def _make_folder(self) -> None:
        with private.explained(self._folder):
            self._folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        private.folder(self._folder)

    def _rows(self) -> list[tuple[Taken, bool]]:
        found = self._read()
        return [] if found is None else found[1]

    def _there(self) -> tuple[Head, list[tuple[Taken, bool]]]:
        found = self._read()
        if found is None:
            raise SetupError(f"The record {self._file} is gone. Put it back from a copy.")
        return found

    def _read(self) -> tuple[Head, list[tuple[Taken, bool]]] | None:
        if not self._file.exists():
            return None
        try:
            form, head, *lines = private.read(self._file).decode("ascii").splitlines()
            if form != _FORM:
                raise ValueError
            proof, mark = head.split()
            return Head(UUID(proof), UUID(mark)), [_row(line) for line in lines]
        except ValueError:
            raise SetupError(f"The record {self._file} {_DAMAGED}") from None

    def _write(self, head: Head, rows: Iterable[tuple[Taken, bool]]) -> None:
        lines = [_FORM, f"{head.proof} {head.mark}"]
        lines += [_line(row, fresh) for row, fresh in sorted(rows, key=lambda one: one[0].key)]
        draft = self._folder / f".{NAME}"
        with self._reached():
            with suppress(FileNotFoundError):
                draft.unlink()  # of one who was killed while writing
            with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
                file.write("\n".join([*lines, ""]).encode("ascii"))
                file.flush()
                os.fsync(file.fileno())
            now = datetime.now(UTC)
            midnight = now.replace(hour=0, minute=0, second=0, microsecond=0).timestamp()
            os.utime(draft, (midnight, midnight))
            draft.replace(self._file)
            private.sync(self._folder)


def _line(row: Taken, fresh: bool) -> str:
    day = "-" if row.day is None else row.day.isoformat()
    return f"{row.principal} {row.what} {row.mark} {day} {'+' if fresh else '='}"


def _row(line: str) -> tuple[Taken, bool]:
    principal, what, mark, day, fresh = line.split(" ")
    taken = Taken(UUID(principal), What(what), UUID(mark), None if day == "-" else date.fromisoformat(day))
    return taken, fresh == "+"
