"""Calls of agents: before a turn, "is this covered, and may I know the answer?"

Replies carry no tier; of a revoked principal they are, byte for byte, those of an unknown one.
"""

from __future__ import annotations

import base64
import binascii
from typing import Annotated

from fastapi import APIRouter, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from ledger.api import models
from ledger.api.auth import call_of, guarded
from ledger.api.limits import Limiter
from ledger.api.openapi import answers
from ledger.api.render import answer, entry, planned
from ledger.errors import InvalidRequest, Problem
from ledger.service import agents
from ledger.tokens import Scope

COIN_BURST = 240
COINS_A_SECOND = 4

router = APIRouter(route_class=guarded(Scope.AGENT))


class Page(BaseModel):
    model_config = ConfigDict(extra="forbid")

    cursor: str | None = Field(None, description="The `next` of the page before.")
    limit: int = Field(100, ge=1, le=100)


@router.get("/v1/topics", response_model=models.ListedTopics)
async def list_topics(request: Request, page: Annotated[Page, Query()]) -> Response:
    """Listed topics, by key."""
    call = call_of(request)
    after = _key(page.cursor) if page.cursor else ""
    found = await call.ledger.run(agents.topics(call.context, after, page.limit + 1))
    shown = found[: page.limit]
    listed: models.ListedTopics = {
        "items": [{"key": one.key, "question": one.question, "aliases": list(one.aliases)} for one in shown],
        "next": _cursor(shown[-1].key) if len(found) > page.limit else None,
    }
    return answer(listed)


@router.post("/v1/topics", response_model=models.CoinedTopic, responses=answers(409, 429))
async def coin_topic(request: Request, body: models.CoinRequest) -> Response:
    """The key that a label names, coined just now or long ago.

    409 with `similar` where listed topics are near: use one of them, or insist with `new: true`.
    """
    call = call_of(request)
    limiter: Limiter = request.app.state.coining
    limiter.take(call.claims.token)
    topic = await call.ledger.run(agents.coin(call.context, body.label, body.avoid, new=body.new))
    coined: models.CoinedTopic = {"key": topic.key, "question": topic.question}
    return answer(coined)


@router.post("/v1/plan", response_model=models.PlanAnswer)
async def plan(request: Request, body: models.PlanRequest) -> Response:
    """For each label what to do, in order, and the prompt block."""
    call = call_of(request)
    found = await call.ledger.run(agents.plan(call.context, call.reader, body.labels))
    made: models.PlanAnswer = {"items": [planned(item) for item in found.items], "prompt": found.prompt}
    return answer(made)


@router.post("/v1/coverage", response_model=models.CoverageAnswer)
async def coverage(request: Request, body: models.CoverageRequest) -> Response:
    """Which topics are covered, as far as this agent may know."""
    call = call_of(request)
    found = await call.ledger.run(agents.coverage(call.context, call.reader, body.topics))
    return answer({"covered": [{"topic": key, "freshness": freshness} for key, freshness in found]})


@router.post("/v1/recall", response_model=models.RecallAnswer)
async def recall(request: Request, body: models.RecallRequest) -> Response:
    """What he said, as far as this agent may know: at most twelve entries, and the prompt block."""
    call = call_of(request)
    found = await call.ledger.run(agents.recall(call.context, call.reader, body.topics, body.limit))
    recalled: models.RecallAnswer = {
        "entries": [entry(one) for one in found.entries],
        "prompt": found.prompt,
    }
    return answer(recalled)


def _cursor(key: str) -> str:
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")


def _key(cursor: str) -> str:
    try:
        return base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True).decode()
    except (binascii.Error, ValueError):
        raise InvalidRequest(
            "See `problems` for what to change.", [Problem("cursor", "This is no `next` of a page.")]
        ) from None
