"""Every error as a problem document: one mapping, one sender.

A problem says what is wrong in our words. It repeats nothing of what was sent: not a value, not the
name of a field that we do not know, not a path. `type` is stable and ends in the slug of the error.

Source: RFC 9457 (problem details), RFC 6750 section 3 (bearer challenges), RFC 9110 section 10.2.3
(Retry-After).
"""

from __future__ import annotations

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from ledger import errors
from ledger.api import metrics
from ledger.errors import LedgerError, Problem

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:answer-ledger:problem:"

log = logging.getLogger("ledger.api")


# What only HTTP can get wrong; `ledger.errors` knows no HTTP.


class MalformedJson(LedgerError):
    slug = "malformed-json"
    title = "The body is not acceptable JSON"


class MalformedRequest(LedgerError):
    slug = "malformed-request"
    title = "This is not a request that can be read"


class MethodNotAllowed(LedgerError):
    slug = "method-not-allowed"
    title = "This resource does not know that method"


class RequestTimeout(LedgerError):
    slug = "request-timeout"
    title = "The request did not come in time"


class HeadersTooLarge(LedgerError):
    slug = "headers-too-large"
    title = "The headers are too large"


class BodyTooLarge(LedgerError):
    slug = "body-too-large"
    title = "The body is too large"


class UnsupportedMediaType(LedgerError):
    slug = "unsupported-media-type"
    title = "The body does not have the right media type"


STATUS: dict[type[LedgerError], int] = {
    MalformedJson: 400,
    MalformedRequest: 400,
    errors.Unauthenticated: 401,
    errors.WrongScope: 403,
    errors.NotFound: 404,
    MethodNotAllowed: 405,
    RequestTimeout: 408,
    errors.Conflict: 409,
    errors.PreconditionFailed: 412,
    BodyTooLarge: 413,
    UnsupportedMediaType: 415,
    errors.InvalidRequest: 422,
    errors.PreviewNeeded: 428,
    errors.TooManyRequests: 429,
    HeadersTooLarge: 431,
    errors.Unavailable: 503,
    LedgerError: 500,
}


def status_of(kind: type[LedgerError]) -> int:
    """The status of an error: its own, or that of the nearest error above it in the tree."""
    return next(STATUS[one] for one in kind.__mro__ if one in STATUS)


def response(error: LedgerError, headers: Mapping[str, str] | None = None) -> Response:
    """The one place where an error becomes a response."""
    metrics.REFUSED_REQUESTS.labels(error.slug).inc()
    status = status_of(type(error))
    document: dict[str, Any] = {
        "type": TYPE_PREFIX + error.slug,
        "title": error.title,
        "status": status,
        # What went wrong with us is for our log, not for a caller.
        "detail": error.detail
        if status != 500
        else "The request was not carried out. It is safe to try again.",
    }
    if isinstance(error, errors.InvalidRequest) and error.problems:
        document["problems"] = [{"at": one.at, "message": one.message} for one in error.problems]
    if isinstance(error, errors.SimilarTopics):
        document["similar"] = list(error.similar)
    return Response(
        json.dumps(document, ensure_ascii=False),
        status,
        {**_headers(error), **(headers or {})},
        MEDIA_TYPE,
    )


def _headers(error: LedgerError) -> dict[str, str]:
    if isinstance(error, errors.TooManyRequests | errors.Unavailable):
        return {"Retry-After": str(error.retry_after)}
    if isinstance(error, errors.Unauthenticated):
        return {"WWW-Authenticate": 'Bearer realm="answer-ledger"'}
    if isinstance(error, errors.WrongScope):
        return {"WWW-Authenticate": 'Bearer realm="answer-ledger", error="insufficient_scope"'}
    return {}


# ── What the schema of a body refuses ────────────────────────────────────────────────────────────

_MESSAGES = {
    "missing": "This is required.",
    "extra_forbidden": "There is a field here that this call does not know.",
    "string_type": "This must be a string.",
    "string_too_short": "This must have at least {min_length} characters.",
    "string_too_long": "This must have at most {max_length} characters.",
    "string_pattern_mismatch": "This does not have the right form.",
    "bool_type": "This must be true or false.",
    "int_type": "This must be a whole number.",
    "int_parsing": "This must be a whole number.",
    "greater_than_equal": "This must be at least {ge}.",
    "less_than_equal": "This must be at most {le}.",
    "list_type": "This must be a list.",
    "too_short": "This must have at least {min_length} items.",
    "too_long": "This must have at most {max_length} items.",
    "literal_error": "This must be {expected}.",
    "model_type": "This must be a JSON object.",
    "model_attributes_type": "This must be a JSON object.",
    "value_error": "{error}",
}


def invalid(found: Iterable[Mapping[str, Any]]) -> errors.InvalidRequest:
    """What pydantic found, in our words: the path by our own names, a sentence, and never the input."""
    return errors.InvalidRequest("See `problems` for what to change.", [_problem(one) for one in found])


def _problem(found: Mapping[str, Any]) -> Problem:
    place: Sequence[str | int] = found["loc"]
    kind: str = found["type"]
    if kind == "extra_forbidden":
        place = place[:-1]  # the last part is the caller's own word
    # The first part says body, query or path; the rest are names of our models, or positions.
    at = ".".join(str(part) for part in place[1:]) or str(place[0])
    message = _MESSAGES.get(kind, "This does not have the right form.")
    return Problem(at, message.format_map(found.get("ctx", {})))


# ── Where they are caught ────────────────────────────────────────────────────────────────────────


def install(app: FastAPI) -> None:
    """Let every error of this application leave as a problem document."""
    app.add_exception_handler(LedgerError, _of_ledger)
    app.add_exception_handler(RequestValidationError, _of_validation)
    app.add_exception_handler(HTTPException, _of_framework)


async def _of_ledger(_request: Request, error: Exception) -> Response:
    assert isinstance(error, LedgerError)  # noqa: S101 - the framework's handlers are typed for any error
    if status_of(type(error)) == 500:
        report(error)
    return response(error)


async def _of_validation(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)  # noqa: S101
    return response(invalid(error.errors()))


async def _of_framework(_request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    if error.status_code == 404:
        return response(
            errors.NotFound("There is no such resource. See /openapi.json for those that there are.")
        )
    if error.status_code == 405:
        return response(MethodNotAllowed("See `Allow` for the methods of this resource."), error.headers)
    return response(MalformedJson("The request can't be read."))


def report(error: BaseException) -> None:
    """Log where an error arose and of what kind it is. Its text may be the caller's, unless it is ours."""
    last = error.__traceback__
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    where = f"{last.tb_frame.f_globals.get('__name__')}:{last.tb_lineno}" if last else "nowhere"
    ours = error.detail if isinstance(error, LedgerError) else ""
    log.error("unexpected %s at %s %s", type(error).__name__, where, ours)
