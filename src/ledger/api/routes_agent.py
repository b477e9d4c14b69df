"""Calls of agents: before a turn, "is this covered, and may I know the answer?"

Replies carry no tier; of a revoked principal they are, byte for byte, those of an unknown one.
"""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request, Response

from ledger.api import models
from ledger.api.auth import call_of, guarded
from ledger.api.limits import Limiter
from ledger.api.openapi import answers
from ledger.api.pages import Page
from ledger.api.render import answer, entry, planned
from ledger.service import agents
from ledger.tokens import Scope

COIN_BURST = 240
COINS_A_SECOND = 4

router = APIRouter(route_class=guarded(Scope.AGENT))
listing = APIRouter(route_class=guarded(Scope.AGENT, Scope.CAPTURE, Scope.OPERATOR))


@listing.get("/v1/topics", response_model=models.ListedTopics)
async def list_topics(request: Request, page: Annotated[Page, Query()]) -> Response:
    """Listed topics, by key."""
    call = call_of(request)
    found = await call.ledger.run(agents.topics(call.context, page.after, page.asked))
    shown, after = page.cut(found)
    listed: models.ListedTopics = {
        "items": [{"key": one.key, "question": one.question, "aliases": list(one.aliases)} for one in shown],
        "next": after,
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
