"""What use cases do with the record: take something away, give it back, and compare it with the database.

    taking        the database, then the record, then the caller hears of it
    giving back   the record, then the database

So the record is contained in the database at every moment, also where a process ends between the two. What a principal
has in both is changed under one lock, which the record keeps, since it is the same for all processes and machines.

Source: DESIGN section 4, "The record"; decision 0014.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from itertools import groupby
from typing import Any, TypeVar
from uuid import UUID

from ledger.core.record import NOBODY, Taken, lacking
from ledger.core.store import Head, Lock, Store
from ledger.db import record as db
from ledger.db.operation import Operation, Pause, UseCase, Work
from ledger.errors import SetupError, Unavailable
from ledger.identity import Identity
from ledger.record.marks import Marks

T = TypeVar("T")

Goes = Callable[[Taken], bool]
"""Which rows of a principal are about to be given back."""

PAGE = 1000  # principals that are compared at once

_WAIT_S, _PAUSE_S = 5.0, 0.005  # for another who changes the same principal


@dataclass(frozen=True, slots=True)
class Step:
    """An operation that takes something away; and what it gives back, if anything."""

    operation: Operation[Any]
    goes: Goes | None = None


@dataclass(frozen=True, slots=True)
class Compared:
    """How the record stands to the database. `lost`: rows that the database has no more. `missing`: there was a record,
    and it is gone."""

    lost: tuple[Taken, ...] = ()
    missing: bool = False

    @property
    def ahead(self) -> bool:
        return self.missing or bool(self.lost)


class Record:
    """The record of one deployment."""

    def __init__(self, store: Store, identity: Identity) -> None:
        self.store = store
        self.is_ahead = False  # when this process compared it last
        self.marks = Marks(identity)

    # ── Taking, and giving back ──────────────────────────────────────────────────────────────────

    def of(self, principal: UUID, *steps: Step) -> UseCase[list[Any]]:
        """Does the steps for a principal, each in the database and in the record; gives what each read.

        Raises what an operation raises, and Unavailable where the record can't be reached: what takes away is done in the
        database all the same, and is to be sent again.
        """
        return (yield from self._kept(principal, partial(self._standing, principal), steps))

    def of_the_registry(
        self, step: Step, withheld: Sequence[str] = (), goes: Mapping[UUID, Goes] | None = None
    ) -> UseCase[Any]:
        """The same for a step of an operator; `withheld` are the topics that it may have withheld for many, and `goes` what it
        may give back to principals."""
        goes = goes or {}
        for principal, rows in goes.items():
            yield from self.put_down(principal, rows, stands=False)
        try:
            (found,) = yield from self._kept(NOBODY, self._registry, (step,))
        except Exception:
            for principal in goes:
                yield from self.put_down(principal)
            raise
        for principal, rows in goes.items():
            yield from self.put_down(principal, rows)
        for topic in withheld:
            for principal in (yield db.withholding(topic)):
                yield from self.put_down(principal)
        return found

    def _kept(
        self, whose: UUID, standing: Callable[[], UseCase[list[Taken]]], steps: Sequence[Step]
    ) -> UseCase[list[Any]]:
        found = []
        lock: Lock | None = None
        try:
            try:
                lock = yield from self.locked(whose)
            except Unavailable:
                if any(step.goes for step in steps):
                    raise
            for step in steps:
                if step.goes is not None:
                    yield Work(partial(self.store.take_out, whose, step.goes))
                try:
                    found.append((yield step.operation))
                except Exception:
                    # what was about to be given back may stand as before
                    if step.goes is not None:
                        yield from self._put_down(whose, standing)
                    raise
                if lock is None:
                    raise Unavailable(
                        "This is done, and could not be written down apart from the database. Send it again."
                    )
                yield from self._put_down(whose, standing)
        finally:
            if lock is not None:
                lock.release()
        return found

    def _put_down(self, whose: UUID, standing: Callable[[], UseCase[list[Taken]]]) -> UseCase[None]:
        rows = yield from standing()
        yield Work(partial(self.store.unite, rows, whose))

    def put_down(self, principal: UUID, goes: Goes | None = None, *, stands: bool = True) -> UseCase[None]:
        """Puts down what `stands` of a principal, where a step that was not about them alone took something away; before it
        takes out what `goes`."""
        lock = yield from self.locked(principal)
        try:
            if goes is not None:
                yield Work(partial(self.store.take_out, principal, goes))
            if stands:
                yield from self._put_down(principal, partial(self._standing, principal))
        finally:
            lock.release()

    def locked(self, whose: UUID = NOBODY) -> UseCase[Lock]:
        """The lock of a principal's rows, or of the registry's. Raises Unavailable where somebody holds it for long."""
        for _ in range(int(_WAIT_S / _PAUSE_S)):
            lock: Lock | None = yield Work(partial(self.store.lock, whose))
            if lock is not None:
                return lock
            yield Pause(_PAUSE_S)
        raise Unavailable("Somebody else is writing down what was taken away, and takes long. Try again.")

    # ── Comparing ────────────────────────────────────────────────────────────────────────────────

    def compare(self, *, whole: bool = False) -> UseCase[Compared]:
        """Compares the record with the database, and has agents get nothing as long as it is ahead.

        Where the mark of the last sweep is the same in both, what is older than it is the same: then only what was written
        since is looked at, unless the `whole` is asked for. What the database alone has is put down in the record. Makes
        the record of a ledger that has none yet. Raises SetupError for the record of another ledger.
        """
        state: db.State = yield db.state()
        head: Head | None = yield Work(self.store.head)
        proof = self.marks.proof()
        whole = whole or state.ahead  # only a look at everything takes back what was found
        if head is None and state.mark is None:
            head = yield from self._begun()
            whole = True
        if head is None:
            compared = Compared(missing=True)
        elif head.proof != proof:
            raise SetupError(
                f"The record {self.store.place} is that of another ledger. Name the right one in LEDGER_TAKEN_DIR or LEDGER_TAKEN_URL."
            )
        else:
            if whole or head.mark != state.mark:
                whose = yield from self._differing(state.oldest)
            else:
                whose = {row.whose for row in (yield Work(self.store.fresh))}
            lost = []
            for one in sorted(whose):
                lost += yield from self._settled(one, state.oldest)
            compared = Compared(tuple(lost))
            if not compared.ahead and state.mark is None:
                yield db.renew(head.mark)
        self.is_ahead = compared.ahead
        if compared.ahead != state.ahead:
            yield db.set_ahead(compared.ahead)
        return compared

    def begin_anew(self) -> UseCase[None]:
        """Makes an empty record in the place of whatever is there."""
        lock = yield from self.locked(NOBODY)
        try:
            yield Work(partial(self.store.begin, self._new_head()))
        finally:
            lock.release()

    def sweep(self) -> UseCase[bool]:
        """Compares the whole, and renews the mark in both; False where the record is ahead, and nothing is renewed."""
        compared = yield from self.compare(whole=True)
        if compared.ahead:
            return False
        state: db.State = yield db.state()
        mark = UUID(int=secrets.randbits(128))
        lock = yield from self.locked(NOBODY)
        try:
            # the record first: what is not fresh there was in the database before this mark was
            yield Work(partial(self.store.renew, mark, state.oldest))
            yield db.renew(mark)
        finally:
            lock.release()
        return True

    def _begun(self) -> UseCase[Head]:
        lock = yield from self.locked(NOBODY)
        try:
            head: Head | None = yield Work(self.store.head)
            if head is None:
                head = self._new_head()
                yield Work(partial(self.store.begin, head))
            return head
        finally:
            lock.release()

    def _new_head(self) -> Head:
        return Head(self.marks.proof(), UUID(int=secrets.randbits(128)))

    def _differing(self, oldest: date) -> UseCase[set[UUID]]:
        """Whose rows differ between the two: in one look without a lock, so that each is to be looked at again."""
        recorded: list[Taken] = yield Work(self.store.registry)
        standing = yield from self._registry()
        found = {NOBODY} if set(recorded) != set(standing) else set()
        after = NOBODY
        while True:
            page = yield from self._page(after)
            upto = max((row.principal for row in page), default=None)
            rows: list[Taken] = yield Work(partial(self.store.rows, after, upto))
            found |= {row.principal for row in set(rows) ^ set(page) if not row.is_over(oldest)}
            if upto is None:
                return found
            after = upto

    def _settled(self, whose: UUID, oldest: date) -> UseCase[list[Taken]]:
        """What the database lost of a principal, or of the registry; where it lost nothing, the record gets what it has."""
        lock = yield from self.locked(whose)
        try:
            if whose == NOBODY:
                recorded: list[Taken] = yield Work(self.store.registry)
                standing = yield from self._registry()
            else:
                recorded = yield Work(partial(self.store.rows, UUID(int=whose.int - 1), whose))
                standing = yield from self._standing(whose)
            recorded = [row for row in recorded if not row.is_over(oldest)]
            standing = [row for row in standing if not row.is_over(oldest)]
            lost = lacking(recorded, standing)
            if not lost and set(standing) != set(recorded):
                yield Work(partial(self.store.unite, standing, whose))
            return lost
        finally:
            lock.release()

    # ── What stands in the database ──────────────────────────────────────────────────────────────

    def _standing(self, principal: UUID) -> UseCase[list[Taken]]:
        rows: list[db.Standing] = yield db.standing(principal)
        return list(self.marks.taken(rows))

    def _page(self, after: UUID) -> UseCase[list[Taken]]:
        rows: list[db.Standing] = yield db.page(after, PAGE)
        return list(self.marks.taken(rows))

    def _registry(self) -> UseCase[list[Taken]]:
        rows: db.Registry = yield db.registry()
        return list(self.marks.of_keys(rows))


def by_principal(rows: Iterable[Taken]) -> Iterator[tuple[UUID, list[Taken]]]:
    """Rows in the order of their keys, by whose they are."""
    for whose, group in groupby(
        sorted(rows, key=lambda row: (row.whose, row.key)), key=lambda row: row.whose
    ):
        yield whose, list(group)
