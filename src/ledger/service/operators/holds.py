"""Legal holds. Their replies are the same for everybody, held or not, known or not."""

from __future__ import annotations

from uuid import UUID

from ledger.core.record import What
from ledger.db import operator as db
from ledger.db.operation import UseCase
from ledger.service import taking
from ledger.service.context import Context


def place_hold(context: Context, principal: UUID) -> UseCase[None]:
    """Nothing of theirs is swept, deleted or replaced from now on."""
    yield from taking.take(context, principal, db.hold_place(principal))


def lift_hold(context: Context, principal: UUID) -> UseCase[None]:
    """Lifts a hold, and completes an erasure that waited for it."""
    lift = db.hold_lift(principal, context.identity.mark_all(principal))
    held = taking.of(What.HELD, What.ERASE_ASKED)
    yield from taking.erase(context, principal, lift, db.erase_rest(principal), held)
