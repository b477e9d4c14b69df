"""The walk over the routes: they come from the application, and so does what each of them takes."""

from __future__ import annotations

from typing import Annotated

import pytest
from fastapi import Depends, FastAPI, Header, Query, Response
from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.routing import Route

from ledger.api.app import ROUTERS
from ledger.proof.marked import Request, unmarked
from ledger.proof.routes import ANY, reached, routes_of


class Span(BaseModel):
    topic: str
    words: str | None = None


class Body(BaseModel):
    spans: list[Span]
    day: str = ""


class Page(BaseModel):
    cursor: str = ""


def agent(agent: str = Header("", alias="X-Agent")) -> str:
    return agent


async def call(
    key: str,
    body: Body,
    page: Annotated[Page, Query()],
    who: Annotated[str, Depends(agent)],
    dry: bool = False,
) -> Response:
    return Response()


PARTS = {
    "path key", "query cursor", "query dry", "header X-Agent", "body spans.topic", "body spans.words", "body day",
}  # fmt: skip


@pytest.fixture
def app() -> FastAPI:
    made = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)
    made.add_api_route("/v1/{key}", call, methods=["POST"])
    made.mount("/pages", Starlette(routes=[Route("/{name}", lambda request: Response())]))
    made.mount("/tools", lambda scope, receive, send: None)
    return made


def test_every_route_is_found_with_what_it_takes(app):
    assert [(str(one), set(one.parts)) for one in routes_of(app)] == [
        ("POST /v1/{key}", PARTS),
        ("GET /pages/{name}", {"path name"}),
        (f"{ANY} /tools/{{rest:path}}", {"path rest"}),
    ]


def test_no_route_of_the_product_is_passed_over():
    """Beside those of the routers there is the framework's own document."""
    app = FastAPI(docs_url=None, redoc_url=None)
    for router in ROUTERS:
        app.router.routes.extend(router.routes)
    declared = {(m, route.path) for router in ROUTERS for route in router.routes for m in route.methods}
    assert {(one.method, one.path) for one in routes_of(app)} == {*declared, ("GET", "/openapi.json")}


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("POST", "/v1/kids", "POST /v1/{key}"),
        ("GET", "/v1/kids", None),
        ("PUT", "/tools/a/b", f"{ANY} /tools/{{rest:path}}"),
    ],
)
def test_a_request_is_led_to_its_route(app, method, path, found):
    route = reached(routes_of(app), method, path)
    assert (route and str(route)) == found


def test_a_mark_is_wanted_in_each_part(app):
    (route,) = [one for one in routes_of(app) if one.method == "POST"]
    assert list(unmarked([route], [], "qz")) == ["POST /v1/{key} has no marked request"]
    assert list(unmarked([route], [Request("POST", "/v1/kids", None, 422, {"day": "none"})], "qz")) == [
        "POST /v1/{key} has no marked request"
    ]
    some = Request("POST", "/v1/qz?cursor=qz", None, 422, {"spans": [{"topic": "kids", "words": "a qz"}]})
    assert set(unmarked([route], [some], "qz")) == {
        f"POST /v1/{{key}} has no mark in its {part}" for part in ("query dry", "header X-Agent", "body spans.topic", "body day")
    }  # fmt: skip
    rest = Request(
        "POST", "/v1/kids?dry=qz", None, 422, {"spans": [{"topic": "qz"}], "day": "qz"}, {"X-Agent": "qz"}
    )
    assert list(unmarked([route], [some, rest], "qz")) == []
