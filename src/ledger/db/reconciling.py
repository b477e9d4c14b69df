"""What `reconcile` does to a database that lost something, as its installer. Source: schema/09_record.sql."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

import psycopg

from ledger.core.record import NOBODY, Taken
from ledger.db.failures import translate
from ledger.db.record import Registry, Standing

_NO_CUT = "LG009"
_PAGE = 1000


@dataclass(frozen=True, slots=True)
class Applied:
    """A row of the record. `topic`: the key that its mark is of; None where the database has none such. `lost`: it does
    not stand in the database."""

    row: Taken
    topic: str | None
    lost: bool


class Reconciler:
    """A connection of the installer's. A context manager. Raises errors of the ledger's tree alone."""

    def __init__(self, installer: str) -> None:
        try:
            self._connection: psycopg.Connection[Any] = psycopg.connect(installer, autocommit=True)
        except psycopg.Error as error:
            raise translate(error) from None

    def names(self) -> list[str]:
        """Every name that a mark may be of."""
        return [key for (key,) in self._run("select * from ledger.record_keys()")]

    def topics(self, principal: UUID) -> list[str]:
        """The topics of all that somebody said."""
        return [topic for (topic,) in self._run("select * from ledger.record_topics(%s)", principal)]

    def apply(self, principal: UUID, rows: Iterable[Applied]) -> None:
        """Holds, hides and deletes what the record says of a principal, in one transaction."""
        document = [
            {
                "what": one.row.what.value,
                "mark": str(one.row.mark),
                "day": None if one.row.day is None else one.row.day.isoformat(),
                "topic": one.topic,
                "lost": one.lost,
            }
            for one in rows
        ]
        self._run("select ledger.record_apply(%s, %s::jsonb)", principal, json.dumps(document))

    def merge(self, key: str, into: str, stays: bool) -> None:
        self._run("select ledger.record_merge(%s, %s, %s)", key, into, stays)

    def restrict(self, key: str, what: str) -> None:
        self._run("select ledger.record_restrict(%s, %s)", key, what)

    def give_up(self) -> int:
        """Turns every grant into a refusal; gives how many there were."""
        ((n,),) = self._run("select ledger.record_is_lost()")
        return int(n)

    def standing(self) -> list[Standing]:
        """What stands of everybody."""
        found: list[Standing] = []
        after = NOBODY
        while rows := self._run(
            "select principal, what, topic, mark, day from ledger.record_page(%s, %s)", after, _PAGE
        ):
            page = [Standing(*row) for row in rows]
            found += page
            after = max(row.principal for row in page)
        return found

    def registry(self) -> Registry:
        return [
            (w, k, i) for w, k, i in self._run("select what, key, into_key from ledger.record_registry()")
        ]

    def _run(self, sql: str, *parameters: object) -> Sequence[tuple[Any, ...]]:
        try:
            try:
                return self._connection.execute(sql, parameters).fetchall()
            except psycopg.DatabaseError as error:
                if error.sqlstate != _NO_CUT:
                    raise
                self._connection.execute("select ledger.cut()")
                return self._connection.execute(sql, parameters).fetchall()
        except psycopg.Error as error:
            raise translate(error) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()
