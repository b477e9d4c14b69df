"""Use cases of the principal himself: see what is kept, correct it, decide, take it away, erase it."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from ledger.core.model import Consent, Decision, Handling, OwnEntry
from ledger.core.registry.label import normalise
from ledger.db import principal as db
from ledger.db.operation import Surface, UseCase
from ledger.db.principal import Erased
from ledger.errors import InvalidRequest, LedgerError, NotFound, Problem
from ledger.service.context import Context

_NO_ENTRY = "There is no entry with this id, or no longer. List the entries to see what is there."
_NOTICE_SIGNS = frozenset(" ._:/+-")
_LONGEST_NOTICE = 64


def entries(context: Context, principal: UUID) -> UseCase[list[OwnEntry]]:
    """His entries and what waits for his yes, by topic. Dropped ones are served nowhere."""
    held: list[db.Held] = yield db.entries(principal)
    return [_own(context, principal, one) for one in held]


def correct(context: Context, principal: UUID, entry_id: str, answer: str) -> UseCase[None]:
    """Puts an answer of his own words; what was captured up to today does not undo it.

    Raises InvalidRequest for words that are not fit to keep, NotFound, LegalHold.
    """
    verdict = context.gate.fit(answer, context.avoid)
    if verdict.answer is None:
        raise InvalidRequest("This answer is not fit to keep.", [Problem("answer", verdict.detail)])
    entry = yield from _find(context, principal, entry_id)
    if entry.question is None and context.gate.is_bare(answer):
        raise InvalidRequest(
            "This answer is not fit to keep.",
            [Problem("answer", "means nothing without a question, and this topic has none: say it in full")],
        )
    asked = entry.question if verdict.bare else None
    yield db.correct(
        principal, entry.topic, verdict.answer, asked, context.identity.mark(principal, entry.topic)
    )


def delete(context: Context, principal: UUID, entry_id: str) -> UseCase[None]:
    """Deletes an entry, and what waits beside it, and verifies it by a re-read. Raises NotFound, LegalHold."""
    entry = yield from _find(context, principal, entry_id)
    yield db.delete(principal, entry.topic, context.identity.mark(principal, entry.topic))
    if any(one.topic == entry.topic for one in (yield db.entries(principal, with_dropped=True))):
        raise LedgerError("The deletion could not be verified: the entry is still there. Ask again.")


def decide(context: Context, principal: UUID, entry_id: str, keep: bool) -> UseCase[None]:
    """His yes or no to an answer that waits. Raises NotFound, LegalHold."""
    entry = yield from _find(context, principal, entry_id, pending=True)
    yield db.decide(principal, entry.topic, keep, context.identity.mark(principal, entry.topic))


def withhold(context: Context, principal: UUID, entry_id: str, keep_back: bool) -> UseCase[None]:
    """Keeps a topic back from all agents, or lets it go again. Raises NotFound."""
    entry = yield from _find(context, principal, entry_id)
    yield db.withhold(principal, entry.topic, keep_back)


def consent(context: Context, principal: UUID) -> UseCase[Consent]:
    """The decision that stands, and the tier that agents have by it."""
    found: Consent = yield db.consent(principal)
    return found


def decide_consent(context: Context, principal: UUID, decision: Decision, notice: str) -> UseCase[Consent]:
    """Grants or revokes. Holds for every read that starts after this returns, on every worker.

    Raises InvalidRequest for a notice that is none of the deployment's.
    """
    _check_notice(context, notice)
    yield db.decide_consent(principal, decision, notice)
    found: Consent = yield db.consent(principal)
    return found


def receipts(context: Context, principal: UUID) -> UseCase[list[dict[str, object]]]:
    """Every decision as a consent record, newest day first.

    Source: ISO/IEC TS 27560:2023, the fields of a consent record and receipt; times are days, since the
    instant of a decision beside a chat log would be a join key.
    """
    decisions: list[tuple[Decision, object, str]] = yield db.receipts(principal)
    return [_receipt(context, principal, decision, str(day), notice) for decision, day, notice in decisions]


def object_(context: Context, principal: UUID, objects: bool) -> UseCase[None]:
    """ "Do not remember me": captures are answered as ever, and nothing is kept. Or takes that back."""
    yield db.object_(principal, objects)


def erase(context: Context, principal: UUID) -> UseCase[Erased]:
    """Erases everything, and verifies it by a re-read; under a legal hold hides it, and says so.

    Gives counts, and names nothing.
    """
    erased: Erased = yield db.erase(principal, context.identity.mark_all(principal))
    if (yield db.entries(principal, with_dropped=True)):
        raise LedgerError("The erasure could not be verified: something is still there. Ask again.")
    return erased


@dataclass(frozen=True, slots=True)
class Taken:
    """Everything kept about him."""

    entries: tuple[OwnEntry, ...]  # dropped ones too, marked by their freshness
    consent: Consent
    receipts: tuple[dict[str, object], ...]
    rest: db.Rest


def export(context: Context, principal: UUID) -> UseCase[Taken]:
    """Everything kept about him. Two exports of one state are equal."""
    held: list[db.Held] = yield db.entries(principal, with_dropped=True)
    standing: Consent = yield db.consent(principal)
    decided = yield from receipts(context, principal)
    rest: db.Rest = yield db.rest(principal)
    return Taken(tuple(_own(context, principal, one) for one in held), standing, tuple(decided), rest)


def why(context: Context, principal: UUID, label: str) -> UseCase[tuple[db.State, list[str]]]:
    """Why an agent sees nothing, or not all, of one topic: every reason there is, in words. Raises BadLabel."""
    registry = yield from context.listed.registry(Surface.AGENT)  # the label names what it names for agents
    state: db.State = yield db.state(principal, registry.named(normalise(label)).label)
    return state, list(_reasons(state))


def _reasons(state: db.State) -> list[str]:
    reasons = []
    if not state.known:
        reasons.append("unknown: no agent has coined this label, and no operator has listed it")
    elif not state.listed:
        reasons.append("unlisted: shows only in tier full, to an agent that names it")
    if state.handling is Handling.FORBIDDEN:
        reasons.append("forbidden: answers on this topic are never stored")
    elif state.listed and state.handling is not Handling.OPEN:
        reasons.append(f"{state.handling}: its very existence needs consent")
    if state.objection:
        reasons.append("objection: he said not to be remembered")
    if state.erase_asked:
        reasons.append("erasure: he asked for it, and a legal hold keeps it waiting")
    if state.decision is Decision.REVOKED:
        reasons.append("revoked: he revoked his consent, or erased everything, which takes a grant back")
    elif state.decision is None:
        reasons.append(f"undecided: without a decision agents have the tier {state.undecided_tier}")
    if state.withheld:
        reasons.append("withheld: he keeps this topic back from all agents")
    if state.as_of is None:
        reasons.append(
            "pending: an answer waits for his own yes"
            if state.pending
            else "nothing kept: there is no answer on it"
        )
    elif state.freshness == "reconfirm":
        reasons.append("stale: past its window, so it is offered as a question")
    elif state.freshness == "dropped":
        reasons.append("dropped: past its window, served nowhere, gone with the next sweep")
    elif state.visible_from == "next_day" and state.as_of >= state.today:
        reasons.append("today's: agents see it from tomorrow on")
    return reasons


def _find(
    context: Context, principal: UUID, entry_id: str, *, pending: bool | None = None
) -> UseCase[db.Held]:
    held: list[db.Held] = yield db.entries(principal)
    for one in held:
        if pending in (None, one.pending) and context.identity.entry_id(principal, one.topic) == entry_id:
            return one
    raise NotFound(_NO_ENTRY)


def _own(context: Context, principal: UUID, one: db.Held) -> OwnEntry:
    return OwnEntry(
        id=context.identity.entry_id(principal, one.topic),
        topic=one.topic,
        answer=one.answer,
        as_of=one.as_of,
        freshness=one.freshness,
        fresh_until=one.fresh_until,
        kept_until=one.kept_until,
        withheld=one.withheld,
        pending=one.pending,
        question=one.question,
    )


def _check_notice(context: Context, notice: str) -> None:
    well_formed = 0 < len(notice) <= _LONGEST_NOTICE and notice == notice.strip()
    if not well_formed or not all(
        sign.isascii() and (sign.isalnum() or sign in _NOTICE_SIGNS) for sign in notice
    ):
        raise InvalidRequest(
            "The notice is named by its version.",
            [Problem("notice", f"must be 1 to {_LONGEST_NOTICE} letters, digits, spaces and . _ : / + -")],
        )
    if context.notices is not None and notice not in context.notices:
        raise InvalidRequest(
            "Consent refers to a notice that he was shown.",
            [Problem("notice", "is none of the notices of this deployment")],
        )


def _receipt(
    context: Context, principal: UUID, decision: Decision, day: str, notice: str
) -> dict[str, object]:
    granted = decision is Decision.GRANTED
    return {
        "schema_version": "ISO/IEC TS 27560:2023",
        "record_id": context.identity.receipt_id(principal, decision, day, notice),
        "pii_principal_id": str(principal),
        "pii_controllers": [context.controller] if context.controller else [],
        "privacy_notice": notice,
        "purposes": [
            {
                "purpose": "answers that you gave once are shown to agents that ask again",
                "lawful_basis": "consent",
                "pii_information": ["your own words on a topic", "the month in which you said them"],
                "recipients": "agents of any counterparty that talks to you through this controller",
                "storage_condition": "deleted when the topic's window ends, or when you delete them",
                "withdrawal_method": "PUT /v1/me/consent with the decision revoked",
            }
        ],
        "events": [
            {
                "event_type": "explicit" if granted else "withdrawn",
                "event_state": "consent given" if granted else "consent withdrawn",
                "event_time": day,
            }
        ],
    }
