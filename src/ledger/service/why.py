"""Why an agent sees nothing, or not all, of a topic. For the principals, and for whoever runs the deployment."""

from __future__ import annotations

from uuid import UUID

from ledger.core.model import Decision, Handling
from ledger.core.registry.label import normalise
from ledger.db import principal as db
from ledger.db.operation import Surface, UseCase
from ledger.service.context import Context


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
        reasons.append("objection: they said not to be remembered")
    if state.erase_asked:
        reasons.append("erasure: they asked for it, and a legal hold keeps it waiting")
    if state.decision is Decision.REVOKED:
        reasons.append("revoked: they revoked their consent, or erased everything, which takes a grant back")
    elif state.decision is None:
        reasons.append(f"undecided: without a decision agents have the tier {state.undecided_tier}")
    if state.withheld:
        reasons.append("withheld: they keep this topic back from all agents")
    if state.as_of is None:
        reasons.append(
            "pending: an answer waits for their own yes"
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
