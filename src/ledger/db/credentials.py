"""The credentials that a host's backends ask for tokens with. Source: schema/08_operator.sql."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from ledger.db.operation import Operation, Surface


@dataclass(frozen=True, slots=True)
class Credential:
    """`expires_on`: the last day (UTC) on which it may be good."""

    id: UUID
    issued_on: date
    expires_on: date
    revoked: bool


def put(id: UUID, days: int) -> Operation[None]:
    """Registers one for today and so many more days."""
    return _act("select ledger.credential_put(%s, %s)", id, days)


def stands(id: UUID) -> Operation[bool]:
    """Whether it is registered, not revoked, and not over."""
    return Operation(
        Surface.OPERATOR, "select ledger.credential_stands(%s)", (id,), lambda rows: bool(rows[0][0])
    )


def listing() -> Operation[list[Credential]]:
    """Those that are not over, the oldest first."""
    return Operation(
        Surface.OPERATOR,
        "select id, issued_on, expires_on, revoked from ledger.credentials()",
        (),
        lambda rows: [Credential(*row) for row in rows],
    )


def revoke(id: UUID) -> Operation[None]:
    """From now on it opens nothing. Raises NotFound."""
    return _act("select ledger.credential_revoke(%s)", id)


def _act(sql: str, *parameters: Any) -> Operation[None]:
    return Operation(Surface.OPERATOR, sql, parameters, lambda _: None, once=True)
