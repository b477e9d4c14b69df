"""Brings a database that came back from a backup up to what was taken away since.

Holds and what hides and deletes are applied by the keys that the database has, then merges, then the same once more under
the keys that they led to, then restrictions: so what was deleted before a merge goes under the old key alone, and what was
deleted after it goes too. On a sound database nothing is done.

Source: DESIGN section 4; docs/operations/restore.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from ledger.core.record import HANDLINGS, NOBODY, Taken, What, lacking
from ledger.db import operator as operators
from ledger.db import record as db
from ledger.db.connections import Connections
from ledger.db.reconciling import Applied, Reconciler
from ledger.errors import LedgerError, SetupError
from ledger.record.keeping import Record, by_principal
from ledger.record.marks import Marks
from ledger.service.deployment import Deployment

_TRIES = 3


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What was done: `rows` that the database had lost, of so many `principals`, and of the `registry`. `revoked`: grants that
    became refusals, for want of a record."""

    rows: int = 0
    principals: int = 0
    registry: int = 0
    revoked: int | None = None


def reconcile(deployment: Deployment, *, without_record: bool = False, old: str | None = None) -> Reconciled:
    """Applies what the record holds, and what stands in an `old` database (its installer's URL); then agents are served again.

    `without_record`: it is lost. Every grant becomes a refusal, whoever has not decided shows no topic, and a new record is
    begun. Raises SetupError where there is no record to go by, and Unavailable.
    """
    if deployment.installer is None:
        raise SetupError("reconcile works as the installer: give --database or LEDGER_DATABASE_URL.")
    connections = Connections(deployment.logins, deployment.settings)
    try:
        with Reconciler(deployment.installer) as reconciler:
            if without_record:
                return _without(deployment.context.record, connections, reconciler)
            return _Work(deployment.context.record, connections, reconciler).done(deployment, old)
    finally:
        connections.close()


def _without(record: Record | None, connections: Connections, reconciler: Reconciler) -> Reconciled:
    connections.execute(db.set_ahead(True))  # till it is done, also where this is ended in the middle
    revoked = reconciler.give_up()
    connections.execute(operators.setting_change({}, {"undecided_tier": "none"}))
    if record is None:
        connections.execute(db.set_ahead(False))
    else:
        connections.run(record.begin_anew())
        connections.run(record.compare(whole=True))
    return Reconciled(revoked=revoked)


class _Work:
    def __init__(self, record: Record | None, connections: Connections, reconciler: Reconciler) -> None:
        self._record = record
        self._connections = connections
        self._reconciler = reconciler

    def done(self, deployment: Deployment, old: str | None) -> Reconciled:
        more: list[Taken] = []
        marks = Marks(deployment.context.identity)
        if old is not None:
            with Reconciler(old) as source:
                more = [*marks.taken(source.standing()), *marks.of_keys(source.registry())]
        elif self._record is None:
            raise SetupError(
                "No record is kept of this ledger (LEDGER_TAKEN_DIR, LEDGER_TAKEN_URL). Name the database that this one was "
                "restored from with --from, or do without: --without-record."
            )
        total = Reconciled()
        for _ in range(_TRIES):
            lost = self._lost(marks, more)
            if not lost:
                return total
            people = {whose for whose, _ in by_principal(lost)} - {NOBODY}
            registry = [row for row in lost if row.whose == NOBODY]
            self._apply(marks, lost, people, registry, more)
            total = Reconciled(
                total.rows + len(lost), total.principals + len(people), total.registry + len(registry)
            )
        if self._lost(marks, more):
            raise LedgerError(
                "Something that was taken away could not be applied. Nobody is served it; ask us."
            )
        return total

    def _lost(self, marks: Marks, more: list[Taken]) -> list[Taken]:
        lost: list[Taken] = []
        if self._record is not None:
            compared = self._connections.run(self._record.compare(whole=True))
            if compared.missing:
                raise SetupError(
                    f"The record is gone from {self._record.store.place}. Put it back there, or do without: "
                    "answer-ledger reconcile --without-record"
                )
            lost += compared.lost
        for whose, rows in by_principal(more):
            lost += [row for row in lacking(rows, self._standing(marks, whose)) if row not in lost]
        return lost

    def _standing(self, marks: Marks, whose: UUID) -> list[Taken]:
        if whose == NOBODY:
            registry: db.Registry = self._connections.execute(db.registry())
            return list(marks.of_keys(registry))
        standing: list[db.Standing] = self._connections.execute(db.standing(whose))
        return list(marks.taken(standing))

    def _apply(
        self, marks: Marks, lost: list[Taken], people: set[UUID], registry: list[Taken], more: list[Taken]
    ) -> None:
        self._of_people(marks, lost, people, more)
        led = [row for row in registry if row.what in (What.LED, What.MERGED)]
        if led:
            names = {marks.mark(key): key for key in self._reconciler.names()}
            stays = {(row.mark, row.principal) for row in led if row.what is What.MERGED}
            for mark, into in sorted({(row.mark, row.principal) for row in led}):
                self._reconciler.merge(
                    names.get(mark, db.in_place(mark)),
                    names.get(into, db.in_place(into)),
                    (mark, into) in stays,
                )
            self._of_people(marks, lost, people, more)
        restrictions = [row for row in registry if row not in led]
        if restrictions:
            names = {marks.mark(key): key for key in self._reconciler.names()}
            order = [*HANDLINGS, What.UNLISTED]
            for row in sorted(restrictions, key=lambda row: (order.index(row.what), row.mark)):
                self._reconciler.restrict(names.get(row.mark, db.in_place(row.mark)), row.what)

    def _of_people(self, marks: Marks, lost: list[Taken], people: set[UUID], more: list[Taken]) -> None:
        keys: list[str] | None = None
        gone = set(lost)
        for whose in sorted(people):
            rows = [row for row in more if row.principal == whose]
            if self._record is not None:
                rows += self._record.store.rows(UUID(int=whose.int - 1), whose)
            topics = {marks.mark(key, of=whose): key for key in self._reconciler.topics(whose)}
            if any(row.what is What.WITHHELD and row.mark not in topics for row in rows):
                keys = self._reconciler.names() if keys is None else keys
                topics |= {marks.mark(key, of=whose): key for key in keys if not key.startswith("_")}
            self._reconciler.apply(
                whose,
                (
                    Applied(row, topics.get(row.mark), row in gone)
                    for row in rows
                    if row.what is not What.BEGUN
                ),
            )
