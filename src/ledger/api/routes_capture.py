"""Calls of the application that carries the chats: after a turn, "this is what he typed".

What they answer depends on the request and the listed registry alone, never on what is stored.
"""

from __future__ import annotations

from functools import partial

from fastapi import APIRouter, Request, Response

from ledger.api import models
from ledger.api.auth import call_of, guarded
from ledger.api.limits import Limiter
from ledger.api.openapi import answers
from ledger.api.render import answer, outcome, refusal
from ledger.core.model import Candidate
from ledger.service import captures
from ledger.tokens import Scope

router = APIRouter(route_class=guarded(Scope.CAPTURE))


@router.post("/v1/captures", response_model=models.CaptureAnswer, responses=answers(429))
async def capture(request: Request, body: models.CaptureRequest) -> Response:
    """Judge a message's candidate spans, and keep what passes. `accepted` means "passed the gate"."""
    call = call_of(request)
    coining: Limiter = request.app.state.coining
    judged = await call.ledger.run(
        captures.capture(
            call.context,
            call.principal,
            body.message,
            body.said_on,
            [Candidate(one.topic, one.span) for one in body.candidates],
            body.avoid,
            body.asked,
            body.lang,
            partial(coining.take, call.claims.token),
        )
    )
    captured: models.CaptureAnswer = {"outcomes": [outcome(one) for one in judged]}
    return answer(captured)


@router.post(
    "/v1/reconfirmations", response_model=models.AcceptedReconfirmation | models.RefusedReconfirmation
)
async def reconfirm(request: Request, body: models.ReconfirmationRequest) -> Response:
    """His answer to "is that still so?": moves `as_of`, or takes the entry back."""
    call = call_of(request)
    verdict = await call.ledger.run(
        captures.reconfirm(
            call.context,
            call.principal,
            body.topic,
            body.message,
            body.span,
            body.said_on,
            body.still_true,
            body.avoid,
        )
    )
    return answer({"accepted": True} if verdict.accepted else refusal(verdict))
