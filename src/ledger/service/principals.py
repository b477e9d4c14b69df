"""Use cases of the principals themselves: see what is kept, correct it, decide, take it away, erase it."""

from __future__ import annotations

from dataclasses import dataclass
from uuid import UUID

from ledger.core.model import Consent, Decision, OwnEntry, Withheld
from ledger.core.record import What
from ledger.core.registry.label import normalise
from ledger.db import principal as db
from ledger.db.operation import Surface, UseCase
from ledger.db.principal import Erased
from ledger.errors import InvalidRequest, LedgerError, NotFound, PreconditionFailed, Problem
from ledger.service import taking
from ledger.service.context import Context

_NO_ENTRY = "There is no entry with this id, or no longer. List the entries to see what is there."


def entries(context: Context, principal: UUID) -> UseCase[list[OwnEntry]]:
    """Their entries and what waits for their yes, by topic. Dropped ones are served nowhere."""
    held: list[db.Held] = yield db.entries(principal)
    return [_own(context, principal, one) for one in held]


def correct(context: Context, principal: UUID, entry_id: str, answer: str) -> UseCase[None]:
    """Puts an answer in their own words; what was captured up to today does not undo it.

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
    mark = context.identity.mark(principal, entry.topic)
    correction = db.correct(principal, entry.topic, verdict.answer, asked, mark)
    yield from taking.take(context, principal, correction)


def delete(context: Context, principal: UUID, entry_id: str) -> UseCase[None]:
    """Deletes an entry, and what waits beside it, and verifies it by a re-read. Raises NotFound, LegalHold."""
    entry = yield from _find(context, principal, entry_id)
    deletion = db.delete(principal, entry.topic, context.identity.mark(principal, entry.topic))
    yield from taking.take(context, principal, deletion)
    if any(one.topic == entry.topic for one in (yield db.entries(principal, with_dropped=True))):
        raise LedgerError("The deletion could not be verified: the entry is still there. Ask again.")


def decide(context: Context, principal: UUID, entry_id: str, keep: bool) -> UseCase[None]:
    """Their yes or no to an answer that waits. Raises NotFound, LegalHold."""
    entry = yield from _find(context, principal, entry_id, pending=True)
    decision = db.decide(principal, entry.topic, keep, context.identity.mark(principal, entry.topic))
    yield from taking.take(context, principal, decision)


def withheld(context: Context, principal: UUID) -> UseCase[list[Withheld]]:
    """Every topic that is kept back from all agents, with or without an entry, by key."""
    topics: list[str] = yield db.withheld(principal)
    return [Withheld(context.identity.entry_id(principal, topic), topic) for topic in topics]


def withhold_topic(context: Context, principal: UUID, label: str) -> UseCase[None]:
    """Keeps the topic that a label stands for back from all agents, whatever was or will be said on it.

    So are the label's own key, and those to which it led before operators moved it: what was said there under the label
    stays hidden wherever it leads next. Nothing tells whether the label was ever coined.
    Raises BadLabel, LegalHold where an erasure waits.
    """
    key = normalise(label, context.avoid)
    registry = yield from context.listed.registry(Surface.AGENT)  # the label names what it names for agents
    for one in dict.fromkeys((registry.named(key).label, key, *registry.moved(key))):
        yield from taking.take(context, principal, db.withhold(principal, one, True))


def withhold(context: Context, principal: UUID, entry_id: str, keep_back: bool) -> UseCase[None]:
    """Keeps the topic of an entry back from all agents; or lets a topic go again, with or without an entry.

    Raises NotFound, and LegalHold for a bare answer that a hold keeps.
    """
    topics: list[str] = [one.topic for one in (yield db.entries(principal))]
    if not keep_back:
        topics += yield db.withheld(principal)
    for topic in topics:
        if context.identity.entry_id(principal, topic) == entry_id:
            withholding = db.withhold(principal, topic, keep_back)
            if keep_back:
                yield from taking.take(context, principal, withholding)
            else:
                yield from taking.release(context, principal, topic, withholding)
            return
    raise NotFound(
        "There is no entry and no withheld topic with this id, or no longer. List them to see what is there."
    )


def consent(context: Context, principal: UUID) -> UseCase[Consent]:
    """The decision that stands, and the tier that agents have by it."""
    found: Consent = yield db.consent(principal)
    return found


def decide_consent(
    context: Context, principal: UUID, decision: Decision, notice: str, if_match: str | None = None
) -> UseCase[Consent]:
    """Grants or revokes. Holds for every read that starts after this returns, on every worker.

    `if_match`: the ETag of the decision that the person saw, as in the header If-Match; None decides whatever
    stands. Raises InvalidRequest for a notice that is none of the deployment's, and PreconditionFailed, with
    nothing changed, where another decision stands by now.
    """
    _check_notice(context, notice)
    expected: Consent | None = None
    if if_match is not None and if_match.strip() != "*":
        expected = yield db.consent(principal)
        if expected.etag not in (one.strip() for one in if_match.split(",")):
            raise PreconditionFailed("Another decision stands by now. Read it again, then decide.")
    decided = db.decide_consent(principal, decision, notice, expected)
    if decision is Decision.GRANTED:
        yield from taking.give_back(context, principal, decided, taking.of(What.REVOKED))
    else:
        yield from taking.take(context, principal, decided)
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
    """ "Do not remember me": captures are answered as ever, and nothing is kept. Or takes that back.

    What was said up to the day on which an objection is taken back is not kept, whenever it is captured.
    """
    objection = db.object_(principal, objects, context.identity.mark_all(principal))
    if objects:
        yield from taking.take(context, principal, objection)
    else:
        yield from taking.give_back(context, principal, objection, taking.of(What.OBJECTED))


def erase(context: Context, principal: UUID) -> UseCase[Erased]:
    """Erases everything, and verifies it by a re-read; under a legal hold hides it, and says so.

    Gives counts, and names nothing.
    """
    everything = db.erase(principal, context.identity.mark_all(principal))
    erased: Erased = yield from taking.erase(context, principal, everything, db.erase_rest(principal))
    if (yield db.entries(principal, with_dropped=True)):
        raise LedgerError("The erasure could not be verified: something is still there. Ask again.")
    return erased


def is_known(principal: UUID) -> UseCase[bool]:
    """Whether anything is kept about them: an answer, a decision, a mark of what they took away."""
    held: list[db.Held] = yield db.entries(principal, with_dropped=True)
    kept_back: list[str] = yield db.withheld(principal)
    standing: Consent = yield db.consent(principal)
    rest: db.Rest = yield db.rest(principal)
    return bool(held or kept_back or standing.decision or rest != db.Rest(False, False, False, (), ()))


@dataclass(frozen=True, slots=True)
class Taken:
    """Everything kept about them."""

    entries: tuple[OwnEntry, ...]  # dropped ones too, marked by their freshness
    withheld: tuple[Withheld, ...]
    consent: Consent
    receipts: tuple[dict[str, object], ...]
    rest: db.Rest


def export(context: Context, principal: UUID) -> UseCase[Taken]:
    """Everything kept about them. Two exports of one state are equal."""
    held: list[db.Held] = yield db.entries(principal, with_dropped=True)
    kept_back = yield from withheld(context, principal)
    standing: Consent = yield db.consent(principal)
    decided = yield from receipts(context, principal)
    rest: db.Rest = yield db.rest(principal)
    own = tuple(_own(context, principal, one) for one in held)
    return Taken(own, tuple(kept_back), standing, tuple(decided), rest)


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
    # whatever else stands here would be kept beside the day of the decision, such as its hour or its thread
    if notice not in context.notices:
        raise InvalidRequest(
            "Consent refers to a notice that the person was shown.",
            [
                Problem(
                    "notice", "must be a version of the notice that this deployment has as a file, such as v1"
                )
            ],
        )


def _receipt(
    context: Context, principal: UUID, decision: Decision, day: str, notice: str
) -> dict[str, object]:
    granted = decision is Decision.GRANTED
    return {
        "schema_version": "ISO/IEC TS 27560:2023",
        "record_id": context.identity.receipt_id(principal, decision, day, notice),
        "pii_principal_id": context.identity.receipt_subject(principal),
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
