"""What a body may be: refused with a clear error, nothing kept of it, nothing of it repeated."""

from __future__ import annotations

import json
import logging
from typing import Any

import pytest

from ledger.api.strict_json import MAX_BYTES

from .world import Api

SECRET = "zebra-quartz-17"
GOOD: dict[str, Any] = {
    "message": "I want two kids",
    "said_on": "2026-08-20",
    "candidates": [{"topic": "kids", "span": "I want two kids"}],
}


def capture(api: Api, body: Any = None, **sent: Any) -> Any:
    return api.call("POST", "/v1/captures", body, as_="capture", **sent)


def nothing_was_kept(api: Api) -> bool:
    return not api.entries() and SECRET not in str(api.database.rows("select * from ledger.topic"))


@pytest.mark.parametrize(
    "content_type",
    ["", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json; charset=latin-1",
     "application/problem+json", "json", "application/json, text/plain"],
)  # fmt: skip
def test_it_is_json_and_says_so(untouched: Api, content_type: str) -> None:
    response = capture(untouched, GOOD, headers=[("Content-Type", content_type)])
    assert response.status_code == 415
    assert response.json()["type"].endswith(":unsupported-media-type")
    assert nothing_was_kept(untouched)


@pytest.mark.parametrize(
    "content_type",
    ["application/json", "Application/JSON; charset=UTF-8", 'application/json;charset="utf-8"'],
)
def test_in_any_spelling(api: Api, content_type: str) -> None:
    assert capture(api, GOOD, headers=[("Content-Type", content_type)]).status_code == 200


def test_it_is_not_compressed(untouched: Api) -> None:
    assert capture(untouched, GOOD, headers=[("Content-Encoding", "gzip")]).status_code == 415


@pytest.mark.parametrize(
    "raw",
    [
        b'{"message":"zebra-quartz-17", oops',
        b'{"message":"\xff zebra-quartz-17"}',
        b'{"message":"zebra-quartz-17","message":"x"}',
        b'{"message":"ok\\u0000 zebra-quartz-17"}',
        b'{"message":"hi \\ud83d zebra-quartz-17"}',
        b'{"message":"zebra-quartz-17","said_on":NaN}',
        b"[" * 20_000,
        b"",
    ],
)
def test_malformed_json_is_400(untouched: Api, raw: bytes) -> None:
    response = capture(untouched, raw=raw)
    assert (response.status_code, response.json()["type"]) == (
        400,
        "urn:answer-ledger:problem:malformed-json",
    )
    assert SECRET not in response.text
    assert nothing_was_kept(untouched)


def test_it_has_at_most_64_kib(api: Api) -> None:
    def padded(length: int) -> bytes:
        body = b'{"message":"I want two kids","said_on":"2026-08-20","candidates":[]}'
        return body + b" " * (length - len(body))

    assert capture(api, raw=padded(MAX_BYTES)).status_code == 200
    response = capture(api, raw=padded(MAX_BYTES + 1))
    assert (response.status_code, response.json()["type"]) == (
        413,
        "urn:answer-ledger:problem:body-too-large",
    )


@pytest.mark.parametrize(
    ("changes", "at"),
    [
        ({"thread_id": SECRET}, "body"),
        ({"counterparty": SECRET}, "body"),
        ({"meta": {"message_id": SECRET}}, "body"),
        ({SECRET: 1}, "body"),
        ({"principal": SECRET}, "body"),
        ({"idempotency_key": SECRET}, "body"),
        ({"candidates": [{"topic": "kids", "span": "I want two kids", SECRET: 1}]}, "candidates.0"),
        ({"candidates": [{"topic": "kids"}]}, "candidates.0.span"),
        ({"candidates": [{"topic": 7, "span": SECRET}]}, "candidates.0.topic"),
        ({"candidates": {"topic": "kids", "span": SECRET}}, "candidates"),
        ({"candidates": [SECRET]}, "candidates.0"),
        ({"candidates": [{"topic": "kids", "span": "x"}] * 33}, "candidates"),
        ({"candidates": None}, "candidates"),
        ({"message": None}, "message"),
        ({"message": [SECRET]}, "message"),
        ({"said_on": SECRET}, "said_on"),
        ({"said_on": "2026-08-20T10:00:00Z"}, "said_on"),
        ({"said_on": "2026-02-30"}, "said_on"),
        ({"said_on": "20260820"}, "said_on"),
        ({"said_on": "２０２６-08-20"}, "said_on"),
        ({"said_on": 20260820}, "said_on"),
        ({"said_on": 0}, "said_on"),
        ({"said_on": True}, "said_on"),
        ({"said_on": None}, "said_on"),
        ({"said_on": "2026-08-20\n"}, "said_on"),
        ({"said_on": "2026-09-03"}, "said_on"),
        ({"avoid": SECRET}, "avoid"),
        ({"avoid": [1]}, "avoid.0"),
        ({"asked": 1}, "asked"),
        ({"lang": 1}, "lang"),
    ],
)  # fmt: skip
def test_a_field_that_is_wrong_is_named_and_its_value_is_not(
    untouched: Api, changes: dict[str, Any], at: str
) -> None:
    response = capture(untouched, {**GOOD, **changes})
    assert response.status_code == 422
    assert [one["at"] for one in response.json()["problems"]] == [at]
    assert SECRET not in response.text
    assert nothing_was_kept(untouched)


def test_a_field_that_is_missing_is_named(untouched: Api) -> None:
    for field in GOOD:
        response = capture(untouched, {name: value for name, value in GOOD.items() if name != field})
        assert response.status_code == 422
        assert response.json()["problems"] == [{"at": field, "message": "This is required."}]


@pytest.mark.parametrize("body", [[], "zebra-quartz-17", 7, True, None, [GOOD]])
def test_a_body_is_an_object(untouched: Api, body: Any) -> None:
    response = capture(untouched, raw=json.dumps(body).encode())
    assert response.status_code == 422
    assert SECRET not in response.text


def test_null_is_absent_where_a_field_may_be_absent(api: Api) -> None:
    assert capture(api, {**GOOD, "asked": None, "lang": None}).json() == capture(api, GOOD).json()


def test_nothing_that_was_refused_is_in_any_log(api: Api, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        for raw in (
            b'{"message":"zebra-quartz-17", oops',
            b'{"zebra-quartz-17":"zebra-quartz-17"}',
            b'"zebra-quartz-17"',
        ):
            capture(api, raw=raw)
        capture(api, {**GOOD, "said_on": SECRET, SECRET: SECRET})
        capture(
            api,
            {
                **GOOD,
                "message": f"I think {SECRET} smokes",
                "candidates": [{"topic": SECRET, "span": SECRET}],
            },
        )
        api.call("POST", "/v1/topics", {"label": f"{SECRET}/"}, as_="agent")
        api.call("GET", f"/v1/{SECRET}", as_="agent")
        api.call("PUT", f"/v1/me/entries/{SECRET}", {"answer": SECRET}, as_="principal")
        api.call("POST", "/v1/recall", {}, headers=[("Authorization", f"Bearer {SECRET}")])
    ours = [
        record.getMessage() for record in caplog.records if record.name != "httpx"
    ]  # the tests' own client
    assert SECRET not in "".join(ours)
    assert SECRET not in api.call("GET", "/metrics").text


def test_a_fault_of_ours_says_nothing_of_the_request(
    api: Api, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(use_case: Any) -> Any:
        raise ValueError(SECRET)

    monkeypatch.setattr(api.app.state.ledger, "run", fail)
    with caplog.at_level(logging.DEBUG):
        response = capture(api, GOOD)
    assert response.status_code == 500
    assert response.json()["type"] == "urn:answer-ledger:problem:internal-error"
    assert response.headers["cache-control"] == "no-store"
    assert "unexpected ValueError at api.test_bodies:" in caplog.text
    assert SECRET not in caplog.text + response.text
