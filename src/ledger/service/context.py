"""What every use case needs besides its own arguments."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from uuid import UUID

from ledger.core.gate import Gate, Names
from ledger.core.registry.handling import Categories
from ledger.core.registry.label import normalise
from ledger.errors import BadLabel, Problem
from ledger.identity import Identity
from ledger.record.keeping import Record
from ledger.service.registry import Reading


@dataclass(frozen=True, slots=True)
class Context:
    """A deployment: who hashes, who judges, which names no answer may hold."""

    identity: Identity
    gate: Gate
    listed: Reading  # the listed registry, kept for seconds
    categories: Categories  # words that touch a special category
    notices: frozenset[str]  # versions of the notice
    avoid: Names = field(default_factory=Names)  # the deployment's; a caller's come on top
    controller: str | None = None  # as receipts name it
    record: Record | None = None  # None: what is taken away is kept in the database alone

    def marks(self, principal: UUID, names: Sequence[str]) -> tuple[UUID, ...]:
        """The marks of a topic's names, in their order, and last that of all topics."""
        return (*(self.identity.mark(principal, name) for name in names), self.identity.mark_all(principal))


def keys_of(labels: Sequence[str], at: str = "topics") -> list[str]:
    """The labels in normal form. Raises BadLabel, whose problems say which of them can't name a topic."""
    keys: list[str] = []
    problems: list[Problem] = []
    for place, label in enumerate(labels):
        try:
            keys.append(normalise(label))
        except BadLabel as error:
            problems.append(Problem(f"{at}.{place}", error.detail))
    if problems:
        raise BadLabel("Some labels can't name a topic; each is listed with its reason.", problems)
    return keys
