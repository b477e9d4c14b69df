"""The host's own credentials: what a backend asks for tokens with, for months, until somebody revokes it.

One is signed like every token, and registered in the database besides. Nothing is kept of its use, and its id stands
neither in the tokens that are issued to it nor in a log.

Source: DESIGN section 9; schema/08_operator.sql.
"""

from __future__ import annotations

import uuid
from uuid import UUID

from ledger.db import credentials as db
from ledger.db.credentials import Credential
from ledger.db.operation import UseCase
from ledger.errors import Unauthenticated

__all__ = ["Credential", "check", "listing", "register", "revoke"]

_DAY_S = 86_400


def register(ttl_s: int) -> UseCase[UUID]:
    """A new one, good for so many seconds; gives its id, drawn at random. The database keeps days alone."""
    id = uuid.uuid4()
    yield db.put(id, -(-ttl_s // _DAY_S))
    return id


def check(id: UUID) -> UseCase[None]:
    """Asks the database, each time. Raises Unauthenticated for one that was revoked, is over, or was never registered here."""
    if not (yield db.stands(id)):
        raise Unauthenticated(
            "This credential was revoked, or is not known here. Make a new one with: answer-ledger token --scope issuer"
        )


def listing() -> UseCase[list[Credential]]:
    """Every one that is not over, the oldest first."""
    found: list[Credential] = yield db.listing()
    return found


def revoke(id: UUID) -> UseCase[None]:
    """It opens nothing from now on; to revoke it twice is to revoke it. Raises NotFound.

    The tokens that it asked for go on until they end, an hour at most.
    """
    yield db.revoke(id)
