"""Who calls, and what he may: the token decides, before anything else of a request is looked at.

`guarded(Scope.AGENT)` is a kind of route. In this order it refuses: no valid bearer token (401), a token
of another scope (403), a credential of the host's that was revoked or is not known (401), query parameters or a body that the call does not take (422), and a body that is
not strict JSON (415, 413, 400). Only then the framework's own route runs, on the parsed body.

Besides `Authorization` and the headers of the body no header has any effect (`If-Match` apart, where a
route names it).

Source: RFC 6750 section 2.1 (bearer tokens in the header, and nowhere else).
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from fastapi import Request, Response
from fastapi.routing import APIRoute

from ledger.api import openapi, strict_json
from ledger.db.agent import Reader
from ledger.errors import InvalidRequest, Unauthenticated, WrongScope
from ledger.service import credentials
from ledger.service.context import Context
from ledger.service.ledger import AsyncLedger
from ledger.tokens import Claims, Scope, Tokens

Handler = Callable[[Request], Coroutine[Any, Any, Response]]


@dataclass(frozen=True, slots=True)
class Call:
    """What a guarded route works with: the ledger, and what the token says."""

    ledger: AsyncLedger
    tokens: Tokens
    claims: Claims

    @property
    def context(self) -> Context:
        return self.ledger.context

    @property
    def principal(self) -> UUID:
        """Of a route for the scopes of a principal."""
        if self.claims.principal is None:
            raise AssertionError("a token of this scope always names a principal")
        return self.claims.principal

    @property
    def reader(self) -> Reader:
        return Reader(self.principal, self.claims.max_tier, self.claims.topics)


def call_of(request: Request) -> Call:
    state = request.app.state
    return Call(state.ledger, state.tokens, request.scope["ledger.claims"])


async def authenticate(request: Request) -> Claims:
    """Raises Unauthenticated, WrongScope where the token has no scope of ours, Unavailable."""
    given = request.headers.getlist("authorization")
    scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    if scheme.lower() != "bearer":
        raise Unauthenticated("Send one header `Authorization: Bearer <token>`.")
    tokens: Tokens = request.app.state.tokens
    return await tokens.verify(token.strip(" "))


def guarded(*scopes: Scope) -> type[APIRoute]:
    """The kind of route that tokens of any of these scopes may call."""

    class Guarded(APIRoute):
        def __init__(self, path: str, endpoint: Callable[..., Any], **options: Any) -> None:
            super().__init__(path, endpoint, **options)
            openapi.guard(self, scopes)

        def get_route_handler(self) -> Handler:
            handle = super().get_route_handler()
            takes_query = bool(self.dependant.query_params)
            body = self.body_field

            async def guard(request: Request) -> Response:
                claims = await authenticate(request)
                if claims.scopes.isdisjoint(scopes):
                    named = " or ".join(f"`{scope}`" for scope in scopes)
                    raise WrongScope(f"This call needs a token with the scope {named}.")
                request.scope["ledger.claims"] = claims
                if claims.credential is not None:
                    await request.app.state.ledger.run(credentials.check(claims.credential))
                if request.scope["query_string"] and not takes_query:
                    raise InvalidRequest("This call takes no query parameters.")
                if len(request.query_params.multi_items()) != len(request.query_params):
                    raise InvalidRequest("A query parameter stands twice.")  # the last would win, silently
                has_body = (
                    request.headers.get("content-length", "0") != "0"
                    or "transfer-encoding" in request.headers
                )
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
