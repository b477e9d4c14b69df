"""The JSON of the wire: what a body may hold, and what an answer looks like.

Requests are pydantic models: strict types, unknown fields refused, `null` read as absent where a field
may be absent. Answers are typed dictionaries: the routes build them, the type checker holds the routes to
them, and the OpenAPI document shows them; nothing is validated again on the way out.

Source: DESIGN section 8.
"""

from __future__ import annotations

import re
from datetime import date
from typing import Annotated, Any, Literal, NotRequired

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, WithJsonSchema
from typing_extensions import TypedDict

from ledger.core.model import Decision, Do, Freshness, Reason, Tier


def _day(value: Any) -> date:
    """A calendar day, `YYYY-MM-DD`; pydantic's own reading takes instants and numbers too."""
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    raise ValueError("This must be a day, as in 2026-08-20.")


Day = Annotated[date, BeforeValidator(_day), WithJsonSchema({"type": "string", "format": "date"})]
Label = Annotated[str, Field(description="The words for a topic: its key, an alias, or a new label.")]
Avoid = Annotated[
    list[str],
    Field(
        max_length=100, description="Names that no answer and no key may hold; the counterparty's, above all."
    ),
]


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


def example(**fields: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [fields]})


# ── Agents ───────────────────────────────────────────────────────────────────────────────────────


class CoinRequest(Body):
    model_config = example(label="notice period", avoid=["Marta"])

    label: Label
    avoid: Avoid = []
    new: bool = Field(False, description="Insist on a key of its own where listed topics are similar.")


class PlanRequest(Body):
    model_config = example(labels=["kids", "notice period"])

    labels: list[Label] = Field(max_length=32)


class CoverageRequest(Body):
    model_config = example(topics=["kids"])

    topics: list[Label] | None = Field(None, max_length=100, description="Absent: all listed topics.")


class RecallRequest(Body):
    model_config = example(topics=["kids", "smoking"], limit=12)

    topics: list[Label] | None = Field(None, max_length=100, description="Absent: all listed topics.")
    limit: int = Field(12, ge=1, le=12)


class ListedTopic(TypedDict):
    key: str
    question: str | None
    aliases: list[str]


class ListedTopics(TypedDict):
    items: list[ListedTopic]
    next: str | None


class CoinedTopic(TypedDict):
    key: str
    question: str | None


class Suggestion(TypedDict):
    """Where a label's topic is not listed."""

    similar: NotRequired[
        Annotated[list[str], Field(description="Listed keys that may be meant, best first.")]
    ]


class PlannedLabel(Suggestion):
    label: str
    key: str | None
    do: Do
    quote: NotRequired[str]
    ask: NotRequired[str]
    question: NotRequired[str]
    as_of: NotRequired[str]


class PlanAnswer(TypedDict):
    items: list[PlannedLabel]
    prompt: str


class CoveredTopic(TypedDict):
    topic: str
    freshness: Literal[Freshness.FRESH, Freshness.RECONFIRM]


class CoverageAnswer(TypedDict):
    covered: list[CoveredTopic]


class FreshEntry(TypedDict):
    topic: str
    freshness: Literal[Freshness.FRESH]
    quote: str
    question: NotRequired[str]
    as_of: Annotated[str, Field(pattern=r"^\d{4}-\d{2}$")]


class StaleEntry(TypedDict):
    topic: str
    freshness: Literal[Freshness.RECONFIRM]
    ask: str


class RecallAnswer(TypedDict):
    entries: list[FreshEntry | StaleEntry]
    prompt: str


# ── The application that carries the chats ───────────────────────────────────────────────────────


class CandidateSpan(Body):
    topic: Label
    span: str = Field(description="The part of the message that answers the topic.")


class CaptureRequest(Body):
    model_config = example(
        message="Sure! I want two kids.",
        said_on="2026-08-20",
        avoid=["Marta"],
        asked="Do you want kids?",
        candidates=[{"topic": "kids", "span": "I want two kids"}],
    )

    message: str = Field(description="What the principal typed, whole. It is judged and forgotten.")
    said_on: Day = Field(description="The day it was typed.")
    avoid: Avoid = []
    asked: str | None = Field(None, description="The text of the application's last turn.")
    lang: str | None = Field(None, max_length=35, description="BCP 47; a hint, not recorded.")
    candidates: list[CandidateSpan] = Field(max_length=32)


class ReconfirmationRequest(Body):
    model_config = example(
        topic="smoking", message="No, I quit.", span="No, I quit.", said_on="2026-08-20", still_true=False
    )

    topic: Label
    message: str
    span: str
    said_on: Day
    still_true: bool
    avoid: Avoid = []


class AcceptedSpan(Suggestion):
    topic: str
    accepted: Literal[True]
    answer: str


class RefusedSpan(Suggestion):
    topic: str
    accepted: Literal[False]
    reason: Reason
    detail: str
    nearest: NotRequired[str]


class CaptureAnswer(TypedDict):
    outcomes: list[AcceptedSpan | RefusedSpan]


class AcceptedReconfirmation(TypedDict):
    accepted: Literal[True]


class RefusedReconfirmation(TypedDict):
    accepted: Literal[False]
    reason: Reason
    detail: str
    nearest: NotRequired[str]


# ── The principal ────────────────────────────────────────────────────────────────────────────────


class CorrectionRequest(Body):
    model_config = example(answer="I want one child")

    answer: str


class DecisionRequest(Body):
    model_config = example(keep=True)

    keep: bool


class WithholdRequest(Body):
    model_config = example(topic="notice period")

    topic: Label


class ConsentRequest(Body):
    model_config = example(decision="granted", notice="v1")

    decision: Literal["granted", "revoked"]
    notice: str = Field(description="The version of the notice that they were shown.")


class OwnEntryItem(TypedDict):
    id: str
    topic: str
    answer: str
    question: NotRequired[str]
    as_of: Day
    freshness: Freshness
    fresh_until: Day
    kept_until: Day
    withheld: bool
    pending: bool


class OwnEntries(TypedDict):
    items: list[OwnEntryItem]


class WithheldTopic(TypedDict):
    id: str
    topic: str


class WithheldTopics(TypedDict):
    items: list[WithheldTopic]


class ConsentState(TypedDict):
    decision: Decision | None
    decided_on: Day | None
    notice: str | None
    tier: Tier


class Receipts(TypedDict):
    items: list[dict[str, Any]]


class AuditLine(TypedDict):
    on_day: Day
    action: str
    n: int


class ExportDocument(TypedDict):
    """Everything kept about one principal."""

    count: int
    entries: list[OwnEntryItem]
    consent: ConsentState
    receipts: list[dict[str, Any]]
    withheld: list[str]
    objection: bool
    legal_hold: bool
    erase_asked: bool
    barriers: list[Day]
    audit: list[AuditLine]
    schema: dict[str, Any]


class ErasureReceipt(TypedDict):
    entries: int
    pending: int
    withheld: int
    on_hold: bool


# ── Issuers ────────────────────────────────────────────────────────────────────────────────────────


_AGENT_ALONE = "Only where the scope is agent alone. Absent: not narrowed."


class TokenRequest(Body):
    model_config = example(principal="person-4711", scope=["agent"], ttl_s=600, max_tier="topics")

    principal: str = Field(description="Their outside id.")
    scope: list[Literal["agent", "capture", "principal"]] = Field(min_length=1, max_length=2)
    ttl_s: int = Field(600, ge=1, le=3600)
    max_tier: Literal["none", "topics", "full"] | None = Field(None, description=_AGENT_ALONE)
    topics: list[Label] | None = Field(None, max_length=100, description=_AGENT_ALONE)


class IssuedToken(TypedDict):
    token: str
    expires_in: int


# ── Errors and health ────────────────────────────────────────────────────────────────────────────


class ProblemPlace(TypedDict):
    at: str
    message: str


class Problem(TypedDict):
    """RFC 9457. Nothing in it repeats what was sent."""

    type: str
    title: str
    status: int
    detail: str
    problems: NotRequired[list[ProblemPlace]]
    similar: NotRequired[list[str]]


class Health(TypedDict):
    status: Literal["ok"]
