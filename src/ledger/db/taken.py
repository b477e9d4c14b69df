"""The record in a small PostgreSQL database of another cluster: for several machines, and for managed servers.

Rows of a principal are written in one transaction, under an advisory lock that is held from before the ledger's own
database is changed until after. It is another server's lock, so it is the same for all machines.

Source: schema/record.sql.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import partial
from threading import Semaphore
from typing import Any
from uuid import UUID

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ledger.core.record import BARRIERS, NOBODY, OF_THE_REGISTRY, Taken, What, united
from ledger.core.store import Head
from ledger.db.migrations import schema_folder
from ledger.errors import SetupError, Unavailable
from ledger.processes import PerProcess

_MOST = 8  # locks of a process at one time, each a connection; whoever finds none free comes back
_REGISTRY = sorted(what.value for what in OF_THE_REGISTRY)
_DOWN = "The record (LEDGER_TAKEN_URL) can't be reached right now. Try again."


class DatabaseLock:
    """A principal's lock, as long as a connection of its own is open."""

    def __init__(self, connection: psycopg.Connection[Any], free: Semaphore) -> None:
        self.connection = connection
        self._free = free
        self._process: int | None = os.getpid()

    def release(self) -> None:
        process, self._process = self._process, None
        if process == os.getpid():  # a forked child has no part in it
            self.connection.close()
            self._free.release()

    def __del__(self) -> None:
        self.release()  # of a call that was cancelled before it heard that it has the lock


class DatabaseStore:
    """The record at `url`. Raises SetupError where the login may not make it."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._free = PerProcess(partial(Semaphore, _MOST))
        self._made = False

    @property
    def place(self) -> str:
        parts = conninfo_to_dict(self._url)
        return f"the database {parts.get('dbname', '')} at {parts.get('host', 'localhost')}"

    def lock(self, principal: UUID) -> DatabaseLock | None:
        free = self._free.get()
        if not free.acquire(blocking=False):
            return None
        try:
            with _reached():
                lock = DatabaseLock(self._connect(), free)
        except BaseException:
            free.release()
            raise
        try:
            with _reached():
                row = lock.connection.execute(
                    "select pg_try_advisory_lock(uuid_hash_extended(%s, 0))", (principal,)
                ).fetchone()
        except BaseException:
            lock.release()
            raise
        if row == (True,):
            return lock
        lock.release()
        return None

    def head(self) -> Head | None:
        with self._transaction() as connection:
            row = connection.execute("select proof, mark from ledger_record.head").fetchone()
        return None if row is None else Head(*row)

    def begin(self, head: Head) -> None:
        with self._transaction() as connection:
            connection.execute("delete from ledger_record.taken")
            connection.execute("delete from ledger_record.head")
            connection.execute(
                "insert into ledger_record.head (proof, mark) values (%s, %s)", (head.proof, head.mark)
            )

    def fresh(self) -> list[Taken]:
        return self._select("fresh")

    def rows(self, after: UUID, upto: UUID | None) -> list[Taken]:
        return self._select(
            "principal > %s and (%s::uuid is null or principal <= %s) and not what = any (%s)",
            after, upto, upto, _REGISTRY,
        )  # fmt: skip

    def registry(self) -> list[Taken]:
        return self._select("principal = %s or what = any (%s)", NOBODY, _REGISTRY)

    def unite(self, rows: Iterable[Taken], done: UUID | None = None) -> None:
        with self._transaction() as connection:
            connection.execute(
                "select pg_logical_emit_message(true, 'ledger', '')"
            )  # the commit waits for the disk
            if done is not None:
                connection.execute(
                    "delete from ledger_record.taken where principal = %s and what = %s",
                    (done, What.BEGUN.value),
                )
            for row in sorted(united(rows).values(), key=lambda row: row.key):
                connection.execute(
                    "insert into ledger_record.taken as t (principal, what, mark, day, fresh) values (%s, %s, %s, %s, true)"
                    " on conflict (principal, what, mark) do update set day = excluded.day, fresh = true"
                    " where t.day < excluded.day or t.day is null and excluded.day is not null",
                    (row.principal, row.what.value, row.mark, row.day),
                )

    def take_out(self, principal: UUID, goes: Callable[[Taken], bool]) -> None:
        rows = self.registry() if principal == NOBODY else self.rows(UUID(int=principal.int - 1), principal)
        with self._transaction() as connection:
            for row in filter(goes, rows):
                connection.execute(
                    "delete from ledger_record.taken where principal = %s and what = %s and mark = %s",
                    (row.principal, row.what.value, row.mark),
                )
            connection.execute(
                "insert into ledger_record.taken (principal, what, mark, fresh) values (%s, %s, %s, true)"
                " on conflict do nothing",
                (principal, What.BEGUN.value, NOBODY),
            )

    def renew(self, mark: UUID, oldest: date) -> None:
        with self._transaction() as connection:
            connection.execute("lock table ledger_record.taken in exclusive mode")
            connection.execute(
                "with gone as (delete from ledger_record.taken returning principal, what, mark, day)"
                " insert into ledger_record.taken (principal, what, mark, day, fresh)"
                " select principal, what, mark, day, false from gone"
                "  where (not what = any (%s) or day > %s)"
                "  order by principal, what, mark",
                (sorted(what.value for what in BARRIERS), oldest),
            )
            connection.execute("update ledger_record.head set mark = %s", (mark,))
        with _reached(), self._connect() as connection:
            connection.execute("vacuum (full, freeze) ledger_record.taken")

    def close(self) -> None:
        """Nothing is kept open: what is written here is rare, and a connection costs less than one that has gone bad."""

    def _select(self, condition: str, *parameters: object) -> list[Taken]:
        with self._transaction() as connection:
            found = connection.execute(
                f"select principal, what, mark, day from ledger_record.taken where {condition}"
                " order by principal, what, mark",
                parameters or None,
            ).fetchall()
        return [Taken(principal, What(what), mark, day) for principal, what, mark, day in found]

    @contextmanager
    def _transaction(self) -> Iterator[psycopg.Connection[Any]]:
        with _reached(), self._connect() as connection, connection.transaction():
            yield connection

    def _connect(self) -> psycopg.Connection[Any]:
        if not self._made:
            self._make()
        return psycopg.connect(self._url, autocommit=True, connect_timeout=3)

    def _make(self) -> None:
        try:
            with psycopg.connect(self._url, autocommit=True, connect_timeout=3) as connection:
                there = connection.execute("select to_regclass('ledger_record.head') is not null").fetchone()
                if there != (True,):
                    connection.execute((schema_folder() / "record.sql").read_text("utf-8"))
        except psycopg.errors.InsufficientPrivilege:
            raise SetupError(
                "The login of LEDGER_TAKEN_URL may not make the record. Let it own its database."
            ) from None
        self._made = True


@contextmanager
def _reached() -> Iterator[None]:
    try:
        yield
    except psycopg.Error:
        raise Unavailable(_DOWN) from None
