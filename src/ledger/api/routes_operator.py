"""Calls of operators: the registry, the windows, legal holds, the sweep. No way to an entry."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import BaseModel, ConfigDict

from ledger.api import models
from ledger.api.auth import call_of, guarded
from ledger.api.openapi import answers
from ledger.api.render import NO_CONTENT, answer, changed, done, operator_topic
from ledger.service import operators, sweeps
from ledger.tokens import Scope

router = APIRouter(route_class=guarded(Scope.OPERATOR))

IfMatch = Annotated[str | None, Header(alias="If-Match", description="The ETag of the topic as it was seen.")]


class Step(BaseModel):
    model_config = ConfigDict(extra="forbid")

    dry_run: bool = False


@router.get("/v1/operator/topics", response_model=models.OperatorTopics)
async def list_registry(request: Request) -> Response:
    """The whole registry, by key; the sweep's proposals are marked."""
    call = call_of(request)
    found = await call.ledger.run(operators.topics(call.context))
    listed: models.OperatorTopics = {"items": [operator_topic(one) for one in found]}
    return answer(listed)


@router.patch(
    "/v1/operator/topics/{key}",
    response_model=models.OperatorTopic | models.PreviewAnswer,
    responses=answers(404, 409, 412),
)
async def change_topic(
    request: Request,
    key: str,
    body: models.TopicChange,
    step: Annotated[Step, Query()],
    if_match: IfMatch = None,
) -> Response:
    """Set fields of a topic. A step that destroys needs If-Match, and the `preview` of its dry run."""
    call = call_of(request)
    fields: dict[str, Any] = body.model_dump(exclude_unset=True, exclude={"preview"})
    result = await call.ledger.run(
        operators.change(call.context, key, fields, if_match, body.preview, dry_run=step.dry_run)
    )
    return changed(result)


@router.post(
    "/v1/operator/topics/{key}/merge",
    response_model=models.OperatorTopic | models.PreviewAnswer,
    responses=answers(404, 409, 412),
)
async def merge_topic(
    request: Request,
    key: str,
    body: models.MergeRequest,
    step: Annotated[Step, Query()],
    if_match: IfMatch = None,
) -> Response:
    """Merge a topic into another. It destroys: If-Match and the `preview` of its dry run are needed."""
    call = call_of(request)
    result = await call.ledger.run(
        operators.merge(call.context, key, body.into, if_match, body.preview, dry_run=step.dry_run)
    )
    return changed(result)


@router.put("/v1/operator/topics/{key}/aliases/{alias}", status_code=NO_CONTENT, responses=answers(404, 409))
async def put_alias(request: Request, key: str, alias: str) -> Response:
    """Another label for a topic; moves an alias of another one."""
    call = call_of(request)
    await call.ledger.run(operators.put_alias(call.context, key, alias))
    return done()


@router.delete(
    "/v1/operator/topics/{key}/aliases/{alias}", status_code=NO_CONTENT, responses=answers(404, 409)
)
async def delete_alias(request: Request, key: str, alias: str) -> Response:
    """The label leads to that topic no longer."""
    call = call_of(request)
    await call.ledger.run(operators.delete_alias(call.context, key, alias))
    return done()


@router.get("/v1/operator/windows", response_model=models.DefaultWindow)
async def read_windows(request: Request) -> Response:
    """The window of topics that have none of their own."""
    call = call_of(request)
    window = await call.ledger.run(operators.default_window(call.context))
    return answer({"reconfirm_after": window.reconfirm_after, "drop_after": window.drop_after})


@router.patch("/v1/operator/windows", response_model=models.DefaultWindow)
async def change_windows(request: Request, body: models.WindowChange) -> Response:
    """Change it; what is not given stays. Holds for every entry at once."""
    call = call_of(request)
    window = await call.ledger.run(
        operators.set_default_window(call.context, body.reconfirm_after, body.drop_after)
    )
    return answer({"reconfirm_after": window.reconfirm_after, "drop_after": window.drop_after})


@router.put("/v1/operator/legal-holds", status_code=NO_CONTENT)
async def place_hold(request: Request, body: models.HoldRequest) -> Response:
    """Nothing of his is swept, deleted or replaced from now on."""
    call = call_of(request)
    principal = call.context.identity.principal(body.principal)
    await call.ledger.run(operators.place_hold(call.context, principal))
    return done()


@router.delete("/v1/operator/legal-holds", status_code=NO_CONTENT, responses=answers(404))
async def lift_hold(request: Request, body: models.HoldRequest) -> Response:
    """Lift a hold, and complete an erasure that waited for it."""
    call = call_of(request)
    principal = call.context.identity.principal(body.principal)
    await call.ledger.run(operators.lift_hold(call.context, principal))
    return done()


@router.post("/v1/operator/sweep", response_model=dict[str, int])
async def sweep(request: Request, body: models.SweepRequest | None = None) -> Response:
    """Delete what is past its window and stamp anew what was written; dry, only count it."""
    call = call_of(request)
    dry = body is not None and body.dry_run
    return answer(await call.ledger.run(sweeps.due() if dry else sweeps.sweep()))
