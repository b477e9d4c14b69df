"""Is it alive, can it work, how is it doing; for probes, without a token.

Source: DESIGN section 8.
"""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from ledger.api import metrics, models
from ledger.api.openapi import answers
from ledger.api.render import answer
from ledger.service import operators
from ledger.service.ledger import AsyncLedger

router = APIRouter(tags=["health"])

_OK: models.Health = {"status": "ok"}


@router.head("/healthz", include_in_schema=False)
@router.get("/healthz", response_model=models.Health, responses=answers(500))
async def alive() -> Response:
    """This worker answers."""
    return answer(_OK)


@router.head("/readyz", include_in_schema=False)
@router.get("/readyz", response_model=models.Health, responses=answers(500, 503))
async def ready(request: Request) -> Response:
    """This worker reaches its database."""
    ledger: AsyncLedger = request.app.state.ledger
    await ledger.run(operators.default_window(ledger.context))
    return answer(_OK)


@router.get(
    "/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}, **answers(500)}
)
async def figures(request: Request) -> Response:
    """Requests, refusals, waits for the database and the last sweep, of all workers together; whether agents get nothing."""
    record = request.app.state.ledger.context.record
    metrics.BEHIND.set(record is not None and record.is_ahead)
    return Response(metrics.exposition(), media_type=metrics.CONTENT_TYPE)
