"""The JSON of the wire, as far as operators send and get it; the rest is in `ledger.api.models`.

Source: DESIGN section 8.
"""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from ledger.api.models import Body, Day, Label, example
from ledger.core.model import Handling

Days = Annotated[int, Field(description="Whole days.")]


class TopicCreate(Body):
    model_config = example(label="parking", question="Where do you park?")

    label: Label
    question: str | None = Field(None, max_length=300)
    handling: Literal["open", "sealed", "confirm", "forbidden"] | None = None
    authority: str | None = Field(None, max_length=120)
    reconfirm_after: Days | None = None
    drop_after: Days | None = None


class TopicChange(Body):
    model_config = example(question="Do you want kids?", listed=True)

    question: str | None = Field(None, max_length=300)
    handling: Literal["open", "sealed", "confirm", "forbidden"] | None = None
    authority: str | None = Field(None, max_length=120)
    reconfirm_after: Days | None = None
    drop_after: Days | None = None
    listed: bool | None = None
    preview: str | None = Field(None, description="What the dry run of this step returned.")


class MergeRequest(Body):
    model_config = example(into="kids")

    into: Label
    preview: str | None = Field(None, description="What the dry run of this step returned.")


class WindowChange(Body):
    model_config = example(reconfirm_after=120, drop_after=540)

    reconfirm_after: Days | None = None
    drop_after: Days | None = None
    preview: str | None = Field(None, description="What the dry run of this step returned.")


class HoldRequest(Body):
    model_config = example(principal="person-4711")

    principal: str = Field(description="Their outside id.")


class SweepRequest(Body):
    model_config = example(dry_run=True)

    dry_run: bool = False


class OperatorTopic(TypedDict):
    key: str
    question: str | None
    handling: Handling
    authority: str | None
    reconfirm_after: int | None
    drop_after: int | None
    listed: bool
    proposed: bool
    aliases: list[str]
    etag: str


class OperatorTopics(TypedDict):
    items: list[OperatorTopic]
    next: str | None


Figure = Annotated[
    int | str,
    Field(description="By the weekly snapshot, rounded to 5, at the most; 'fewer than 5' is an answer."),
]


class PreviewAnswer(TypedDict):
    preview: str | None
    destroys: list[str]
    drawn_on: Annotated[Day | None, Field(description="The day of the snapshot; null: none was drawn yet.")]
    principals: Figure
    dropped: NotRequired[Figure]
    asked_again: NotRequired[Figure]


class DefaultWindow(TypedDict):
    reconfirm_after: int
    drop_after: int


class Swept(TypedDict):
    swept_on: Day


class SweepPreview(TypedDict):
    drawn_on: Annotated[Day | None, Field(description="The day of the snapshot; null: none was drawn yet.")]
    entries: Figure
