"""Every error as a problem document: one mapping, and nothing of what was sent in any of them."""

from __future__ import annotations

import json
import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ledger import errors
from ledger.api import problems
from ledger.core.language import BadLanguage
from ledger.errors import LedgerError, Problem


def below(kind: type[LedgerError]) -> Iterator[type[LedgerError]]:
    yield kind
    for child in kind.__subclasses__():
        yield from below(child)


TREE = [kind for kind in below(LedgerError) if kind.__module__.startswith("ledger.")]


def made(kind: type[LedgerError]) -> LedgerError:
    extra: dict[type[LedgerError], tuple[Any, ...]] = {
        errors.SimilarTopics: (["kids"],),
        errors.TooManyRequests: (7,),
        BadLanguage: ((), "is not there"),
    }
    return kind("Do this next.", *extra.get(kind, ()))


@pytest.mark.parametrize("kind", TREE, ids=lambda kind: kind.__name__)
def test_every_error_is_a_document_with_a_stable_type(kind: type[LedgerError]) -> None:
    response = problems.response(made(kind))
    document = json.loads(response.body)
    assert response.media_type == "application/problem+json"
    assert document["type"] == f"urn:answer-ledger:problem:{kind.slug}"
    assert document["status"] == response.status_code == problems.status_of(kind)
    assert document["title"] == kind.title
    assert document["detail"]


EXPECTED = {
    "malformed-json": 400,
    "malformed-request": 400,
    "unauthenticated": 401,
    "wrong-scope": 403,
    "not-found": 404,
    "method-not-allowed": 405,
    "request-timeout": 408,
    "conflict": 409,
    "similar-topics": 409,
    "legal-hold": 409,
    "precondition-failed": 412,
    "preview-needed": 428,
    "body-too-large": 413,
    "unsupported-media-type": 415,
    "invalid-request": 422,
    "bad-label": 422,
    "too-many-requests": 429,
    "headers-too-large": 431,
    "internal-error": 500,
    "unavailable": 503,
}


def test_the_statuses_are_these() -> None:
    ours = {kind for kind in TREE if not issubclass(kind, errors.SetupError)}
    assert {kind.slug: problems.status_of(kind) for kind in ours} == EXPECTED


def test_they_are_documented() -> None:
    page = (Path(__file__).parents[2] / "docs/reference/errors.md").read_text()
    rows = {
        tuple(cell.strip(" `") for cell in line.split("|")[1:3])
        for line in page.splitlines()
        if line.startswith("| `")
    }
    assert rows == {(slug, str(status)) for slug, status in EXPECTED.items()}


def test_an_error_of_ours_says_nothing_about_itself_to_a_caller() -> None:
    document = json.loads(problems.response(LedgerError("SQLSTATE 12345")).body)
    assert "12345" not in json.dumps(document)


def test_waiting_is_told_in_seconds() -> None:
    assert problems.response(errors.TooManyRequests("Wait.", 7)).headers["retry-after"] == "7"
    assert problems.response(errors.Unavailable("Down.")).headers["retry-after"] == "2"


def test_a_bearer_token_is_asked_for() -> None:
    assert problems.response(errors.Unauthenticated("No.")).headers["www-authenticate"].startswith("Bearer ")
    assert "insufficient_scope" in problems.response(errors.WrongScope("No.")).headers["www-authenticate"]


def test_similar_topics_are_named() -> None:
    document = json.loads(problems.response(errors.SimilarTopics("Choose.", ["kids", "pets"])).body)
    assert document["similar"] == ["kids", "pets"]


def test_places_are_named() -> None:
    error = errors.InvalidRequest("Look.", [Problem("said_on", "This is required.")])
    document = json.loads(problems.response(error).body)
    assert document["problems"] == [{"at": "said_on", "message": "This is required."}]


# ── What the schema of a body refuses ────────────────────────────────────────────────────────────

SECRET = "zebra-quartz-17"


def _refuse(_value: Any) -> Any:
    raise ValueError("This must be a day.")


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    span: str = Field(min_length=2, max_length=4)


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)
    text: str = ""
    number: Annotated[int, Field(ge=1, le=12)] = 1
    truth: bool = True
    choice: Literal["a", "b"] = "a"
    items: list[Inner] = Field([], min_length=1, max_length=2)
    day: Annotated[str, BeforeValidator(_refuse)] = ""
    unforeseen: float = 0.5


@pytest.mark.parametrize(
    ("body", "at", "message"),
    [
        ({SECRET: SECRET}, "body", "There is a field here that this call does not know."),
        (
            {"items": [{"span": "abc", SECRET: 1}]},
            "items.0",
            "There is a field here that this call does not know.",
        ),
        ({"items": [{"span": "abc"}, {}]}, "items.1.span", "This is required."),
        ({"items": [{"span": SECRET}]}, "items.0.span", "This must have at most 4 characters."),
        ({"items": [{"span": ""}]}, "items.0.span", "This must have at least 2 characters."),
        ({"items": []}, "items", "This must have at least 1 items."),
        ({"items": [{"span": "abc"}] * 3}, "items", "This must have at most 2 items."),
        ({"items": SECRET}, "items", "This must be a list."),
        ({"items": [SECRET]}, "items.0", "This must be a JSON object."),
        ({"text": 7}, "text", "This must be a string."),
        ({"number": SECRET}, "number", "This must be a whole number."),
        ({"number": 1.5}, "number", "This must be a whole number."),
        ({"number": True}, "number", "This must be a whole number."),
        ({"number": 0}, "number", "This must be at least 1."),
        ({"number": 13}, "number", "This must be at most 12."),
        ({"truth": "true"}, "truth", "This must be true or false."),
        ({"choice": SECRET}, "choice", "This must be 'a' or 'b'."),
        ({"day": SECRET}, "day", "This must be a day."),
        ({"unforeseen": SECRET}, "unforeseen", "This does not have the right form."),
        (SECRET, "body", "This must be a JSON object."),
        ([SECRET], "body", "This must be a JSON object."),
    ],
)
def test_our_words_at_our_names(body: Any, at: str, message: str) -> None:
    with pytest.raises(ValidationError) as found:
        Body.model_validate(body)
    located = [{**one, "loc": ("body", *one["loc"])} for one in found.value.errors()]
    response = problems.response(problems.invalid(located))
    assert json.loads(response.body)["problems"] == [{"at": at, "message": message}]
    assert SECRET.encode() not in response.body


def test_the_log_gets_the_kind_and_the_place_of_what_was_not_foreseen(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with caplog.at_level(logging.ERROR):
        try:
            int(SECRET)
        except ValueError as error:
            problems.report(error)
    (record,) = caplog.records
    assert record.getMessage().startswith("unexpected ValueError at api.test_problems:")
    assert record.exc_info is None
    assert SECRET not in caplog.text
