"""The OpenAPI 3.1 document: what the framework derives from the routes, and what it can't know.

That is: the bearer token and its scope, and that every error is a problem document.

Source: OpenAPI 3.1.0; RFC 9457.
"""

from __future__ import annotations

from collections.abc import Sequence
from http import HTTPStatus
from importlib.metadata import version
from typing import Any

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import TypeAdapter

from ledger.api import models, problems
from ledger.tokens import Scope

DESCRIPTION = """What a person already answered, in his own words, and nothing that says in which conversation.

Every call but the health checks wants `Authorization: Bearer <token>`; the scope it needs stands beside it.
Unknown fields, query parameters and bodies that a call does not take are refused. Errors are problem
documents (RFC 9457) and repeat nothing of what was sent."""

_ALWAYS = (401, 403, 422, 500, 503)
_OF_A_BODY = (400, 413, 415)


def answers(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The problem documents that a route may answer with, for its `responses`."""
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {problems.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
        }
        for status in statuses
    }


def guard(route: APIRoute, scopes: Sequence[Scope]) -> None:
    """Note on a route which scopes may call it, and the problems that every such route may answer with."""
    expected = _ALWAYS + (_OF_A_BODY if route.body_field is not None else ())
    route.responses = dict(
        sorted({**answers(*expected), **route.responses}.items(), key=lambda one: str(one[0]))
    )
    route.openapi_extra = {
        "security": [{"token": [scope.value]} for scope in scopes],
        **(route.openapi_extra or {}),
    }
    route.tags = [scope.value for scope in scopes]


def document(app: FastAPI) -> dict[str, Any]:
    """The document of this application; made once, and the same for the same code."""
    if not app.openapi_schema:
        for route in app.routes:
            if isinstance(route, APIRoute):
                route.operation_id = route.name
        made = get_openapi(
            title="Answer ledger",
            version=version("answer-ledger"),
            openapi_version="3.1.0",
            description=DESCRIPTION,
            routes=app.routes,
        )
        components = made.setdefault("components", {})
        problem = TypeAdapter(models.Problem).json_schema(ref_template="#/components/schemas/{model}")
        components["schemas"] |= {**problem.pop("$defs", {}), "Problem": problem}
        components["schemas"] = dict(sorted(components["schemas"].items()))
        components["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"}}
        app.openapi_schema = made
    return app.openapi_schema
