"""Who calls, and what he may: the token decides, before anything else of a request is looked at.

`guarded("agent")` is a kind of route. In this order it refuses: no valid bearer token (401), a token of
another scope (403), query parameters or a body that the call does not take (422), and a body that is not
strict JSON (415, 413, 400). Only then the framework's own route runs, on the parsed body.

The header `Authorization` is read, and besides it those of the body; no other header has any effect.

Source: RFC 6750 section 2.1 (bearer tokens in the header, and nowhere else).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import Any

from fastapi import Request, Response
from fastapi.routing import APIRoute

from ledger.api import strict_json
from ledger.errors import InvalidRequest, Unauthenticated, WrongScope
from ledger.tokens import Claims, Scope, Tokens

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


def caller(request: Request) -> Claims:
    """What the token of this request says; of a guarded route only."""
    claims: Claims = request.scope["ledger.claims"]
    return claims


async def authenticate(request: Request) -> Claims:
    """Raises Unauthenticated, WrongScope where the token has no scope of ours, Unavailable."""
    given = request.headers.getlist("authorization")
    if len(given) != 1:
        raise Unauthenticated("Send one header `Authorization: Bearer <token>`.")
    scheme, _, token = given[0].partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthenticated("Send the token as `Authorization: Bearer <token>`.")
    tokens: Tokens = request.app.state.tokens
    return await tokens.verify(token.strip(" "))


def guarded(scope: Scope) -> type[APIRoute]:
    """The kind of route that tokens of this scope may call."""

    class Guarded(APIRoute):
        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()
            takes_query = bool(self.dependant.query_params)
            body = self.body_field

            async def guard(request: Request) -> Response:
                claims = await authenticate(request)
                if scope not in claims.scopes:
                    raise WrongScope(f"This call needs a token with the scope `{scope}`.")
                request.scope["ledger.claims"] = claims
                if request.scope["query_string"] and not takes_query:
                    raise InvalidRequest("This call takes no query parameters.")
                has_body = "content-length" in request.headers or "transfer-encoding" in request.headers
                if body is not None and (has_body or body.field_info.is_required()):
                    request = _Parsed(request, await strict_json.read(request))
                elif has_body and await strict_json.read_bytes(request):
                    raise InvalidRequest("This call takes no body.")
                return await handle(request)

            return guard

    return Guarded


class _Parsed(Request):
    """A request whose body has been read: the framework is to use that, and not parse it again."""

    def __init__(self, request: Request, value: Any) -> None:
        super().__init__(request.scope, request.receive)
        self._value = value

    async def body(self) -> bytes:
        return b"parsed"

    async def json(self) -> Any:
        return self._value
