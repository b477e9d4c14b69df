"""From the rows of the database to those of the record: keyed hashes in the place of every word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from uuid import UUID

from ledger.core.record import NOBODY, Taken, What
from ledger.db.record import Registry, Standing
from ledger.identity import Identity


class Marks:
    """Makes them with the deployment's pepper."""

    def __init__(self, identity: Identity) -> None:
        self._identity = identity

    def mark(self, key: str, of: UUID = NOBODY) -> UUID:
        """The mark of a key, of a principal's or of the registry's; or the one that stands in its place."""
        if key.startswith("_"):
            return UUID(key[1:].replace("_", "-"))
        return self._identity.mark(of, key)

    def proof(self) -> UUID:
        """What a record keeps to tell whose it is."""
        return self._identity.record_proof()

    def taken(self, rows: Iterable[Standing]) -> Iterator[Taken]:
        """Rows of principals."""
        for row in rows:
            mark = self._identity.mark(row.principal, row.topic) if row.topic else row.mark
            yield Taken(row.principal, What(row.what), mark, row.day)

    def of_keys(self, rows: Registry) -> Iterator[Taken]:
        """Rows of the registry."""
        for what, key, into in rows:
            yield Taken(self.mark(into) if into else NOBODY, What(what), self.mark(key))
