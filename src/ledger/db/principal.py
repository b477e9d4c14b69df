"""What the principals themselves see and do. Source: schema/07_principal.sql."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import date
from uuid import UUID

from ledger.core.model import Consent, Decision, Freshness, Handling, Tier
from ledger.db.operation import Operation, Surface


@dataclass(frozen=True, slots=True)
class Held:
    """A row of theirs: an entry, or an answer that waits for their yes."""

    topic: str
    answer: str
    as_of: date
    freshness: Freshness
    fresh_until: date
    kept_until: date
    withheld: bool
    pending: bool
    question: str | None


@dataclass(frozen=True, slots=True)
class Rest:
    """Everything kept about them but the entries, what they withhold, and the decisions."""

    objection: bool
    legal_hold: bool
    erase_asked: bool
    barriers: tuple[date, ...]
    audit: tuple[tuple[date, str, int], ...]  # day, action, how often


@dataclass(frozen=True, slots=True)
class Erased:
    entries: int
    pending: int
    withheld: int
    on_hold: bool


@dataclass(frozen=True, slots=True)
class State:
    """Everything that decides whether an agent sees their answer on one topic."""

    key: str
    known: bool
    listed: bool
    handling: Handling
    as_of: date | None
    freshness: Freshness | None
    pending: bool
    withheld: bool
    decision: Decision | None
    objection: bool
    legal_hold: bool
    erase_asked: bool
    undecided_tier: Tier
    visible_from: str
    today: date


def entries(principal: UUID, *, with_dropped: bool = False) -> Operation[list[Held]]:
    return Operation(
        Surface.PRINCIPAL,
        "select * from ledger.own_entries(%s, %s)",
        (principal, with_dropped),
        lambda rows: [Held(t, a, d, Freshness(f), fu, ku, w, p, q) for t, a, d, f, fu, ku, w, p, q in rows],
    )


def correct(principal: UUID, topic: str, answer: str, asked: str | None, mark: UUID) -> Operation[None]:
    """`asked`: the question that a bare answer leans on; None where it stands alone."""
    return _act("select ledger.own_correct(%s, %s, %s, %s, %s)", principal, topic, answer, asked or "", mark)


def delete(principal: UUID, topic: str, mark: UUID) -> Operation[None]:
    return _act("select ledger.own_delete(%s, %s, %s)", principal, topic, mark)


def decide(principal: UUID, topic: str, keep: bool, mark: UUID) -> Operation[None]:
    return _act("select ledger.own_decide(%s, %s, %s, %s)", principal, topic, keep, mark)


def withheld(principal: UUID) -> Operation[list[str]]:
    """The topics that are withheld, with or without an answer."""
    return Operation(
        Surface.PRINCIPAL,
        "select * from ledger.own_withheld(%s)",
        (principal,),
        lambda rows: [topic for (topic,) in rows],
    )


def withhold(principal: UUID, label: str, keep_back: bool) -> Operation[None]:
    """Withholds the topic that a label stands for; or lets go the one of just that key."""
    return _act("select ledger.own_withhold(%s, %s, %s)", principal, label, keep_back)


def consent(principal: UUID) -> Operation[Consent]:
    return Operation(
        Surface.PRINCIPAL,
        "select * from ledger.own_consent(%s)",
        (principal,),
        lambda rows: Consent(
            Decision(rows[0][0]) if rows[0][0] else None, rows[0][1], rows[0][2], Tier(rows[0][3])
        ),
    )


def decide_consent(
    principal: UUID, decision: Decision, notice: str, expected: Consent | None
) -> Operation[None]:
    """Grants or revokes, where the decision that stands is still the one that is expected; None: whatever stands.

    Raises PreconditionFailed.
    """
    document = {} if expected is None else expected.document
    return _act(
        "select ledger.own_decide_consent(%s, %s, %s, %s::jsonb)",
        principal,
        decision.value,
        notice,
        json.dumps(document),
    )


def receipts(principal: UUID) -> Operation[list[tuple[Decision, date, str]]]:
    """Every decision, newest day first: decision, day, notice."""
    return Operation(
        Surface.PRINCIPAL,
        "select * from ledger.own_receipts(%s)",
        (principal,),
        lambda rows: [(Decision(decision), day, notice) for decision, day, notice in rows],
    )


def object_(principal: UUID, objects: bool, mark_all: UUID) -> Operation[None]:
    return _act("select ledger.own_object(%s, %s, %s)", principal, objects, mark_all)


def rest(principal: UUID) -> Operation[Rest]:
    return Operation(
        Surface.PRINCIPAL, "select * from ledger.own_rest(%s)", (principal,), lambda rows: _rest(*rows[0])
    )


def erase(principal: UUID, mark_all: UUID) -> Operation[Erased]:
    return Operation(
        Surface.PRINCIPAL,
        "select * from ledger.own_erase(%s, %s)",
        (principal, mark_all),
        lambda rows: Erased(*rows[0]),
        once=True,
    )


def erase_rest(principal: UUID) -> Operation[None]:
    """What an erasure of today still has to let go of, if there was one and no hold keeps it waiting."""
    return _act("select ledger.erase_rest(%s)", principal)


def state(principal: UUID, label: str) -> Operation[State]:
    return Operation(
        Surface.PRINCIPAL,
        "select * from ledger.own_state(%s, %s)",
        (principal, label),
        lambda rows: _state(*rows[0]),
    )


def today() -> Operation[date]:
    return Operation(Surface.PRINCIPAL, "select ledger.today()", (), lambda rows: rows[0][0])


def _rest(
    objection: bool, legal_hold: bool, erase_asked: bool, barriers: list[date], days: list[date], actions: list[str], counts: list[int],
) -> Rest:  # fmt: skip
    audit = tuple(zip(days, actions, counts, strict=True))
    return Rest(objection, legal_hold, erase_asked, tuple(barriers), audit)


def _act(sql: str, *parameters: object) -> Operation[None]:
    return Operation(Surface.PRINCIPAL, sql, parameters, lambda _: None, once=True)


def _state(
    key: str, known: bool, listed: bool, handling: str, as_of: date | None, freshness: str | None, pending: bool,
    withheld: bool, decision: str | None, objection: bool, legal_hold: bool, erase_asked: bool,
    undecided_tier: str, visible_from: str, today: date,
) -> State:  # fmt: skip
    return State(
        key, known, listed, Handling(handling), as_of, Freshness(freshness) if freshness else None, pending,
        withheld, Decision(decision) if decision else None, objection, legal_hold, erase_asked,
        Tier(undecided_tier), visible_from, today,
    )  # fmt: skip
