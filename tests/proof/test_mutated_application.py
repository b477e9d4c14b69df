"""The proof fails when the promise is broken: each of these breaks the application in one place, and `prove` must see it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fastapi import FastAPI, Request, Response
from starlette.types import Scope

from ledger.api import routes_agent
from ledger.api.app import create_app
from ledger.api.auth import Call, call_of
from ledger.proof.prove import Section, prove
from ledger.service.deployment import Deployment

from .breaking import behind, failed, small


def test_an_access_log_with_topics(broken):
    def log(scope: Scope, sent: bytes, status: int, answered: bytes) -> bytes:
        if scope["path"] == "/v1/captures" and status == 200:
            topics = [one["topic"] for one in json.loads(sent)["candidates"]]
            logging.getLogger("ledger.access").info("captured %s", ", ".join(topics))
        return answered

    page = prove(broken(build=behind(log)), small(Section.HISTORIES))
    assert "our log" in failed(page, "leaves the same behind")


def test_an_error_that_echoes(broken):
    def echo(scope: Scope, sent: bytes, status: int, answered: bytes) -> bytes:
        return (
            answered if status != 422 else json.dumps({**json.loads(answered), "input": str(sent)}).encode()
        )

    page = prove(broken(build=behind(echo)), small(Section.ECHOES))
    assert "in a 422" in failed(page, "no reply, no log line")


def test_a_capture_that_says_unchanged(broken):
    seen: set[bytes] = set()

    def unchanged(scope: Scope, sent: bytes, status: int, answered: bytes) -> bytes:
        """As if it knew what was stored: a span that was kept before is told apart."""
        if scope["path"] != "/v1/captures" or status != 200:
            return answered
        document = json.loads(answered)
        for outcome in document["outcomes"]:
            if outcome["accepted"] and json.dumps(outcome).encode() in seen:
                outcome["unchanged"] = True
            else:
                seen.add(json.dumps(outcome).encode())
        return json.dumps(document).encode()

    page = prove(broken(build=behind(unchanged)), small(Section.ORACLE))
    assert "/v1/captures" in failed(page, "answered alike")


def test_a_tier_in_an_agents_reply(broken):
    def tier(scope: Scope, sent: bytes, status: int, answered: bytes) -> bytes:
        if scope["path"] != "/v1/recall" or status != 200:
            return answered
        document = json.loads(answered)
        return json.dumps({**document, "tier": "full" if document["entries"] else "none"}).encode()

    page = prove(broken(build=behind(tier)), small(Section.ORACLE))
    assert "tier" in failed(page, "no tier")


def test_a_limit_of_coining_that_a_principals_agents_share(broken, monkeypatch):
    """One of them would be slowed down by the other, and know by it that there is another."""

    def of_all_agents(request: Request) -> Call:
        call = call_of(request)
        return replace(call, claims=replace(call.claims, token=call.principal.bytes))

    monkeypatch.setattr(routes_agent, "call_of", of_all_agents)
    page = prove(broken(), small(Section.ORACLE))
    assert "/v1/topics is answered 429 beside a busy agent" in failed(page, "used up its calls")


# ── Routes ───────────────────────────────────────────────────────────────────────────────────────


def added(path: str, endpoint: Callable[..., Any]) -> Callable[..., Any]:
    """An application with one route more."""

    def build(deployment: Deployment) -> FastAPI:
        app = create_app(deployment)
        app.add_api_route(path, endpoint)
        return app

    return build


def test_a_route_without_a_marked_request(broken):
    async def nothing() -> Response:
        return Response()

    page = prove(broken(build=added("/v1/rumours", nothing)), small(Section.ECHOES))
    assert "GET /v1/rumours has no marked request" in failed(page, "every route")


def test_a_part_of_a_route_without_a_mark(broken):
    async def alive(origin: str = "") -> Response:
        return Response()

    def build(deployment: Deployment) -> FastAPI:
        app = create_app(deployment)
        app.router.routes = [route for route in app.router.routes if getattr(route, "path", "") != "/healthz"]
        app.add_api_route("/healthz", alive)
        return app

    page = prove(broken(build=build), small(Section.ECHOES))
    assert "GET /healthz has no mark in its query origin" in failed(page, "every route")


def test_a_route_that_tells_a_stranger_what_was_sent(broken):
    async def rumour(rumour: str) -> Response:
        return Response(rumour)

    page = prove(broken(build=added("/v1/rumours/{rumour}", rumour)), small(Section.ECHOES))
    assert "a stranger's GET /v1/rumours/{rumour} repeats" in failed(page, "no reply, no log line")
