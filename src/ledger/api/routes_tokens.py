"""Tokens for those who act for a principal, asked for by a backend that holds the scope `issuer`."""

from __future__ import annotations

from fastapi import APIRouter, Request, Response

from ledger.api import models
from ledger.api.auth import call_of, guarded
from ledger.api.render import answer
from ledger.core.model import Tier
from ledger.service.context import keys_of
from ledger.tokens import Scope

router = APIRouter(route_class=guarded(Scope.ISSUER))


@router.post("/v1/tokens", response_model=models.IssuedToken)
async def issue_token(request: Request, body: models.TokenRequest) -> Response:
    """A token for one principal, which no two holders can compare. It ends within the `ttl_s` asked for."""
    call = call_of(request)
    issued = call.tokens.issue(
        [Scope(scope) for scope in body.scope],
        principal=call.context.identity.principal(body.principal),
        ttl=body.ttl_s,
        max_tier=None if body.max_tier is None else Tier(body.max_tier),
        topics=None if body.topics is None else keys_of(body.topics),
    )
    made: models.IssuedToken = {"token": issued.token, "expires_in": issued.expires_in}
    return answer(made)
