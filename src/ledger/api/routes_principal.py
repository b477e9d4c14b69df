"""Calls of the principals themselves: see what is kept, correct it, decide, take it away, erase it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Header, Request, Response

from ledger.api import models
from ledger.api.auth import call_of, guarded
from ledger.api.openapi import answers
from ledger.api.render import NO_CONTENT, answer, consent, done, own_entry, taken_away
from ledger.core.model import Decision
from ledger.service import principals
from ledger.tokens import Scope

router = APIRouter(route_class=guarded(Scope.PRINCIPAL))

IfMatch = Annotated[
    str | None, Header(alias="If-Match", description="The ETag of the decision as it was seen.")
]


@router.get("/v1/me/entries", response_model=models.OwnEntries)
async def list_entries(request: Request) -> Response:
    """Their entries, and the answers that wait for their yes."""
    call = call_of(request)
    found = await call.ledger.run(principals.entries(call.context, call.principal))
    listed: models.OwnEntries = {"items": [own_entry(one) for one in found]}
    return answer(listed)


@router.put("/v1/me/entries/{id}", status_code=NO_CONTENT, responses=answers(404, 409, 412))
async def correct_entry(request: Request, id: str, body: models.CorrectionRequest) -> Response:
    """Correct an answer in their own words."""
    call = call_of(request)
    await call.ledger.run(principals.correct(call.context, call.principal, id, body.answer))
    return done()


@router.delete("/v1/me/entries/{id}", status_code=NO_CONTENT, responses=answers(404, 409))
async def delete_entry(request: Request, id: str) -> Response:
    """Delete an answer; what was said before, and is captured late, does not bring it back."""
    call = call_of(request)
    await call.ledger.run(principals.delete(call.context, call.principal, id))
    return done()


@router.post("/v1/me/entries/{id}/decision", status_code=NO_CONTENT, responses=answers(404, 409))
async def decide_entry(request: Request, id: str, body: models.DecisionRequest) -> Response:
    """Keep an answer that waits for their yes, or not."""
    call = call_of(request)
    await call.ledger.run(principals.decide(call.context, call.principal, id, body.keep))
    return done()


@router.put("/v1/me/entries/{id}/withheld", status_code=NO_CONTENT, responses=answers(404, 409))
async def withhold_entry(request: Request, id: str) -> Response:
    """Keep a topic back from all agents."""
    call = call_of(request)
    await call.ledger.run(principals.withhold(call.context, call.principal, id, True))
    return done()


@router.delete("/v1/me/entries/{id}/withheld", status_code=NO_CONTENT, responses=answers(404, 409))
async def release_entry(request: Request, id: str) -> Response:
    """Let its topic go again."""
    call = call_of(request)
    await call.ledger.run(principals.withhold(call.context, call.principal, id, False))
    return done()


@router.get("/v1/me/withheld", response_model=models.WithheldTopics)
async def list_withheld(request: Request) -> Response:
    """Every topic that is kept back from all agents, with or without an entry."""
    call = call_of(request)
    found = await call.ledger.run(principals.withheld(call.context, call.principal))
    listed: models.WithheldTopics = {"items": [{"id": one.id, "topic": one.topic} for one in found]}
    return answer(listed)


@router.post("/v1/me/withheld", status_code=NO_CONTENT, responses=answers(409))
async def withhold_topic(request: Request, body: models.WithholdRequest) -> Response:
    """Keep a topic back from all agents, whether or not anything was said on it."""
    call = call_of(request)
    await call.ledger.run(principals.withhold_topic(call.context, call.principal, body.topic))
    return done()


@router.delete("/v1/me/withheld/{id}", status_code=NO_CONTENT, responses=answers(404, 409))
async def release_topic(request: Request, id: str) -> Response:
    """Let a topic go again, with or without an entry."""
    call = call_of(request)
    await call.ledger.run(principals.withhold(call.context, call.principal, id, False))
    return done()


@router.get("/v1/me/consent", response_model=models.ConsentState)
async def read_consent(request: Request) -> Response:
    """The decision that stands, and what agents may read by it."""
    call = call_of(request)
    standing = await call.ledger.run(principals.consent(call.context, call.principal))
    return answer(consent(standing), {"ETag": standing.etag})


@router.put("/v1/me/consent", response_model=models.ConsentState, responses=answers(409, 412))
async def decide_consent(request: Request, body: models.ConsentRequest, if_match: IfMatch = None) -> Response:
    """Grant or revoke. Holds for every read that starts after this answer, on every worker.

    With If-Match only where the decision of that ETag still stands: a page that was left open grants nothing anew.
    """
    call = call_of(request)
    decided = await call.ledger.run(
        principals.decide_consent(
            call.context, call.principal, Decision(body.decision), body.notice, if_match
        )
    )
    return answer(consent(decided), {"ETag": decided.etag})


@router.get("/v1/me/consent/receipts", response_model=models.Receipts)
async def list_receipts(request: Request) -> Response:
    """Every decision, in the fields of ISO/IEC TS 27560."""
    call = call_of(request)
    found = await call.ledger.run(principals.receipts(call.context, call.principal))
    receipts: models.Receipts = {"items": found}
    return answer(receipts)


@router.put("/v1/me/objection", status_code=NO_CONTENT, responses=answers(409))
async def object_to_all(request: Request) -> Response:
    """ "Do not remember me": captures are answered as ever, and nothing is kept."""
    call = call_of(request)
    await call.ledger.run(principals.object_(call.context, call.principal, True))
    return done()


@router.delete("/v1/me/objection", status_code=NO_CONTENT, responses=answers(409))
async def withdraw_objection(request: Request) -> Response:
    """Take "do not remember me" back. What was said up to today is not kept, whenever it is captured."""
    call = call_of(request)
    await call.ledger.run(principals.object_(call.context, call.principal, False))
    return done()


@router.get("/v1/me/export", response_model=models.ExportDocument)
async def export(request: Request) -> Response:
    """Everything kept about them, one JSON document with its schema."""
    call = call_of(request)
    taken = await call.ledger.run(principals.export(call.context, call.principal))
    return answer(taken_away(taken), {"Content-Disposition": 'attachment; filename="answer-ledger.json"'})


@router.delete("/v1/me", response_model=models.ErasureReceipt, responses=answers(409))
async def erase(request: Request) -> Response:
    """Erase everything. The receipt counts and names nothing; under a legal hold it says so."""
    call = call_of(request)
    erased = await call.ledger.run(principals.erase(call.context, call.principal))
    receipt: models.ErasureReceipt = {
        "entries": erased.entries,
        "pending": erased.pending,
        "withheld": erased.withheld,
        "on_hold": erased.on_hold,
    }
    return answer(receipt)
