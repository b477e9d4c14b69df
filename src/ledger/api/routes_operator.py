"""Calls of operators: the registry, the windows, legal holds, the sweep. No way to an entry."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Header, Query, Request, Response
from pydantic import BaseModel, ConfigDict, Field

from ledger.api import models_operator as wire
from ledger.api.auth import call_of, guarded
from ledger.api.openapi import answers
from ledger.api.pages import Page
from ledger.api.render import NO_CONTENT, answer, changed, done, operator_topic, window
from ledger.service import operators
from ledger.tokens import Scope

router = APIRouter(route_class=guarded(Scope.OPERATOR))

IfMatch = Annotated[
    str | None, Header(alias="If-Match", description="The ETag of what the step changes, as it was seen.")
]


class Step(BaseModel):
    model_config = ConfigDict(extra="forbid")

    dry_run: bool = False


class RegistryPage(Page):
    q: str = Field("", max_length=100, description="A part of the key, an alias or the question.")
    only: Literal["listed", "proposed"] | None = None


@router.get("/v1/operator/topics", response_model=wire.OperatorTopics)
async def list_registry(request: Request, page: Annotated[RegistryPage, Query()]) -> Response:
    """Listed topics and the sweep's proposals, by key."""
    call = call_of(request)
    which = operators.Which(page.only or "all")
    found = await call.ledger.run(operators.topics(call.context, page.after, page.asked, page.q, which))
    shown, after = page.cut(found)
    listed: wire.OperatorTopics = {"items": [operator_topic(one) for one in shown], "next": after}
    return answer(listed)


@router.post("/v1/operator/topics", response_model=wire.OperatorTopic, responses=answers(409, 428))
async def create_topic(request: Request, body: wire.TopicCreate) -> Response:
    """Create a listed topic. 409 where the label is one already, or leads to one."""
    call = call_of(request)
    fields = body.model_dump(exclude_none=True, exclude={"label"})
    return changed(await call.ledger.run(operators.create(call.context, body.label, fields)))


@router.patch(
    "/v1/operator/topics/{key}",
    response_model=wire.OperatorTopic | wire.PreviewAnswer,
    responses=answers(404, 412, 428),
)
async def change_topic(
    request: Request,
    key: str,
    body: wire.TopicChange,
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
    response_model=wire.OperatorTopic | wire.PreviewAnswer,
    responses=answers(404, 409, 412, 428),
)
async def merge_topic(
    request: Request,
    key: str,
    body: wire.MergeRequest,
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


@router.get("/v1/operator/windows", response_model=wire.DefaultWindow)
async def read_windows(request: Request) -> Response:
    """The window of topics that have none of their own."""
    call = call_of(request)
    return window(await call.ledger.run(operators.default_window(call.context)))


@router.patch(
    "/v1/operator/windows",
    response_model=wire.DefaultWindow | wire.PreviewAnswer,
    responses=answers(412, 428),
)
async def change_windows(
    request: Request, body: wire.WindowChange, step: Annotated[Step, Query()], if_match: IfMatch = None
) -> Response:
    """Change it; what is not given stays. Holds for every entry at once.

    A shorter one needs If-Match, and the `preview` of its dry run.
    """
    call = call_of(request)
    result = await call.ledger.run(
        operators.set_default_window(
            call.context,
            body.reconfirm_after,
            body.drop_after,
            if_match,
            body.preview,
            dry_run=step.dry_run,
        )
    )
    return window(result)


@router.put("/v1/operator/legal-holds", status_code=NO_CONTENT)
async def place_hold(request: Request, body: wire.HoldRequest) -> Response:
    """Nothing of theirs is swept, deleted or replaced from now on."""
    call = call_of(request)
    principal = call.context.identity.principal(body.principal)
    await call.ledger.run(operators.place_hold(call.context, principal))
    return done()


@router.delete("/v1/operator/legal-holds", status_code=NO_CONTENT, responses=answers(404))
async def lift_hold(request: Request, body: wire.HoldRequest) -> Response:
    """Lift a hold, and complete an erasure that waited for it."""
    call = call_of(request)
    principal = call.context.identity.principal(body.principal)
    await call.ledger.run(operators.lift_hold(call.context, principal))
    return done()


@router.post("/v1/operator/sweep", response_model=wire.Swept | wire.SweepPreview, responses=answers(429))
async def sweep(request: Request, body: wire.SweepRequest | None = None) -> Response:
    """Delete what is past its window and stamp anew what was written: once an hour. Dry, say what the snapshot says."""
    call = call_of(request)
    if body is not None and body.dry_run:
        drawn_on, entries = await call.ledger.run(operators.due(call.context))
        return answer({"drawn_on": drawn_on, "entries": entries})
    return answer({"swept_on": await call.ledger.run(operators.sweep(call.context))})
