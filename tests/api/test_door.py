"""Who gets in: the token decides, before anything else of a request is looked at."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from opentelemetry import trace

from .world import Api

SCOPES = ("agent", "capture", "principal", "operator", "issuer")


def operations(api: Api) -> list[tuple[str, str, dict[str, Any]]]:
    """Every documented call: method, path with stand-ins, and its description."""
    paths = api.call("GET", "/openapi.json").json()["paths"]
    return [
        (method.upper(), path.replace("{", "").replace("}", ""), operation)
        for path, methods in paths.items()
        for method, operation in methods.items()
    ]


def problem(response: Any) -> str:
    assert response.headers["content-type"] == "application/problem+json"
    return str(response.json()["type"]).removeprefix("urn:answer-ledger:problem:")


def test_without_a_token_nothing_answers_but_health(untouched: Api) -> None:
    for method, path, operation in operations(untouched):
        response = untouched.call(method, path)
        if "security" in operation:
            assert (response.status_code, problem(response)) == (401, "unauthenticated"), path
            assert response.headers["www-authenticate"].startswith("Bearer")
        else:
            assert response.status_code == 200, path
            assert operation["tags"] == ["health"]


def test_every_call_has_its_scopes_and_refuses_the_others(api: Api) -> None:
    for method, path, operation in operations(api):
        if "security" in operation:
            needed = {scope for rule in operation["security"] for scope in rule["token"]}
            assert len(needed) == (3 if (method, path) == ("GET", "/v1/topics") else 1)
            for scope in SCOPES:
                response = api.call(method, path, as_=scope)
                if scope in needed:
                    assert response.status_code not in (401, 403), (path, scope)
                else:
                    assert (response.status_code, problem(response)) == (403, "wrong-scope"), (path, scope)


def test_an_application_may_be_both(api: Api) -> None:
    assert api.call("POST", "/v1/recall", {}, as_="agent capture").status_code == 200
    body = {"message": "I smoke", "said_on": "2026-08-20", "candidates": []}
    assert api.call("POST", "/v1/captures", body, as_="agent capture").status_code == 200
    assert api.call("GET", "/v1/me/entries", as_="agent capture").status_code == 403


@pytest.mark.parametrize(
    "value",
    ["", "Bearer", "Bearer ", "Basic YTpi", "Bearer a.b.c", "Token {}", "{}", "Bearer {} {}", "Bearer,{}"],
)
def test_it_is_a_bearer_token_in_one_header(untouched: Api, value: str) -> None:
    header = ("Authorization", value.replace("{}", untouched.token("agent")))
    assert untouched.call("POST", "/v1/recall", {}, headers=[header]).status_code == 401


def test_two_headers_are_none(untouched: Api) -> None:
    header = ("Authorization", f"Bearer {untouched.token('agent')}")
    assert untouched.call("POST", "/v1/recall", {}, headers=[header]).status_code == 200
    assert untouched.call("POST", "/v1/recall", {}, headers=[header, header]).status_code == 401


def test_the_scheme_is_read_in_any_case(untouched: Api) -> None:
    header = ("authorization", f"bearer {untouched.token('agent')}")
    assert untouched.call("POST", "/v1/recall", {}, headers=[header]).status_code == 200


def test_a_token_elsewhere_does_not_count(untouched: Api) -> None:
    token = untouched.token("agent")
    assert untouched.call("POST", f"/v1/recall?access_token={token}", {}).status_code == 401
    assert untouched.call("POST", "/v1/recall", {}, headers=[("Cookie", f"token={token}")]).status_code == 401
    assert untouched.call("POST", "/v1/recall", {"access_token": token}).status_code == 401


def test_the_token_is_looked_at_before_the_body(untouched: Api) -> None:
    for raw in (b"x" * 100_000, b"{", b"\xff"):
        assert untouched.call("POST", "/v1/captures", raw=raw).status_code == 401
        assert untouched.call("POST", "/v1/captures", raw=raw, as_="agent").status_code == 403


@pytest.mark.parametrize(
    "header",
    [
        ("X-Principal", "kim"),
        ("X_Principal", "kim"),
        ("X-Forwarded-User", "kim"),
        ("X-Forwarded-For", "10.0.0.1"),
        ("X-HTTP-Method-Override", "DELETE"),
        ("Cookie", "principal=kim"),
        ("Accept", "text/html"),
        ("Accept-Encoding", "gzip"),
        ("Range", "bytes=0-1"),
        ("traceparent", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
    ],
)
def test_no_other_header_has_an_effect(api: Api, header: tuple[str, str]) -> None:
    api.decide("granted")
    api.decide("granted", who="kim")
    api.capture("kids", "I want two kids")
    api.capture("kids", "three please", who="kim")
    plain = api.call("POST", "/v1/recall", {}, as_="agent")
    odd = api.call("POST", "/v1/recall", {}, as_="agent", headers=[header, header])
    assert odd.status_code == 200
    assert (odd.content, odd.headers) == (plain.content, plain.headers)
    assert b"two kids" in odd.content
    assert b"three" not in odd.content


def test_no_call_takes_what_it_does_not_know_from_the_url(untouched: Api) -> None:
    for method, path, operation in operations(untouched):
        if "security" in operation:
            ((scope,), *_) = (rule["token"] for rule in operation["security"])
            response = untouched.call(method, f"{path}?zebra=quartz", as_=scope)
            assert response.status_code in (415, 422), path  # 415: those that read a body first
            assert b"zebra" not in response.content


def test_a_call_without_a_body_refuses_one(untouched: Api) -> None:
    for method, path, operation in operations(untouched):
        if "security" in operation and "requestBody" not in operation:
            ((scope,), *_) = (rule["token"] for rule in operation["security"])
            for body in ({}, {"principal": None}, {"principal": "*"}):
                response = untouched.call(method, path, body, as_=scope)
                assert (response.status_code, problem(response)) == (422, "invalid-request"), path


def test_a_call_with_a_body_wants_one(untouched: Api) -> None:
    for method, path, operation in operations(untouched):
        if operation.get("requestBody", {}).get("required"):
            ((scope,), *_) = (rule["token"] for rule in operation["security"])
            assert untouched.call(method, path, as_=scope).status_code == 415, path
            assert untouched.call(method, path, raw=b"null", as_=scope).status_code == 422, path


def test_what_is_not_there_is_not_found_and_not_repeated(untouched: Api) -> None:
    for path in (
        "/zebra",
        "/v1/zebra",
        "/v1/recall/",
        "/v1/me/entries/zebra/quartz",
        "//v1/recall",
        "/v1/../zebra",
    ):
        response = untouched.call("GET", path, as_="agent")
        assert (response.status_code, problem(response)) == (404, "not-found"), path
        assert b"zebra" not in response.content


def test_what_is_not_done_so_says_how_it_is(untouched: Api) -> None:
    for method in ("GET", "PUT", "DELETE", "OPTIONS", "HEAD", "ZEBRA"):
        response = untouched.call(method, "/v1/recall", as_="agent")
        assert response.status_code == 405
        assert response.headers["allow"] == "POST"
        assert b"ZEBRA" not in response.content


def test_no_page_of_another_origin_is_let_in(untouched: Api) -> None:
    asked = [("Origin", "https://evil.example"), ("Access-Control-Request-Method", "POST")]
    for response in (
        untouched.call("OPTIONS", "/v1/recall", headers=asked),
        untouched.call("POST", "/v1/recall", {}, as_="agent", headers=asked[:1]),
    ):
        assert not [name for name in response.headers if name.startswith("access-control")]


def test_every_response_is_kept_by_nobody_and_framed_nowhere(untouched: Api) -> None:
    for response in (
        untouched.call("GET", "/healthz"),
        untouched.call("POST", "/v1/recall", {}, as_="agent"),
        untouched.call("POST", "/v1/recall", {}),
        untouched.call("GET", "/nowhere"),
        untouched.call("GET", "/docs"),
    ):
        assert response.headers["cache-control"] == "no-store"
        assert response.headers["x-content-type-options"] == "nosniff"
        assert response.headers["referrer-policy"] == "no-referrer"
        assert "frame-ancestors 'none'" in response.headers["content-security-policy"]
        assert "set-cookie" not in response.headers


def test_nothing_is_reported_to_a_tracer_that_happens_to_be_configured(
    untouched: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    class Tracers(trace.TracerProvider):
        def get_tracer(self, *args: Any, **options: Any) -> trace.Tracer:
            asked.append("tracer")
            return trace.NoOpTracer()

    monkeypatch.setattr(trace, "get_tracer_provider", Tracers)
    assert untouched.call("GET", "/healthz").status_code == 200
    assert asked == []
    transport = httpx.ASGITransport(FastAPI())  # as the framework would have it
    untouched.runner.run(httpx.AsyncClient(transport=transport, base_url="http://x").get("/"))
    assert asked == ["tracer"]
