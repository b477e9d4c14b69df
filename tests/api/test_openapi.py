"""The OpenAPI document: the same each time, strict, and true of the live application."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from fastapi import FastAPI

from ledger.api import models, openapi

from .world import Api

# Every call of the contract, but those of the evidence: method, path, scope.
CALLS = {
    ("get", "/v1/topics", "agent"),
    ("post", "/v1/topics", "agent"),
    ("post", "/v1/plan", "agent"),
    ("post", "/v1/coverage", "agent"),
    ("post", "/v1/recall", "agent"),
    ("post", "/v1/captures", "capture"),
    ("post", "/v1/reconfirmations", "capture"),
    ("get", "/v1/me/entries", "principal"),
    ("put", "/v1/me/entries/{id}", "principal"),
    ("delete", "/v1/me/entries/{id}", "principal"),
    ("post", "/v1/me/entries/{id}/decision", "principal"),
    ("put", "/v1/me/entries/{id}/withheld", "principal"),
    ("delete", "/v1/me/entries/{id}/withheld", "principal"),
    ("get", "/v1/me/withheld", "principal"),
    ("post", "/v1/me/withheld", "principal"),
    ("delete", "/v1/me/withheld/{id}", "principal"),
    ("get", "/v1/me/consent", "principal"),
    ("put", "/v1/me/consent", "principal"),
    ("get", "/v1/me/consent/receipts", "principal"),
    ("put", "/v1/me/objection", "principal"),
    ("delete", "/v1/me/objection", "principal"),
    ("get", "/v1/me/export", "principal"),
    ("delete", "/v1/me", "principal"),
    ("get", "/v1/operator/topics", "operator"),
    ("post", "/v1/operator/topics", "operator"),
    ("patch", "/v1/operator/topics/{key}", "operator"),
    ("put", "/v1/operator/topics/{key}/aliases/{alias}", "operator"),
    ("delete", "/v1/operator/topics/{key}/aliases/{alias}", "operator"),
    ("post", "/v1/operator/topics/{key}/merge", "operator"),
    ("get", "/v1/operator/windows", "operator"),
    ("patch", "/v1/operator/windows", "operator"),
    ("put", "/v1/operator/legal-holds", "operator"),
    ("delete", "/v1/operator/legal-holds", "operator"),
    ("post", "/v1/operator/sweep", "operator"),
    ("post", "/v1/tokens", "issuer"),
    ("get", "/healthz", None),
    ("get", "/readyz", None),
    ("get", "/metrics", None),
}


@pytest.fixture
def document(untouched: Api) -> dict[str, Any]:
    made: dict[str, Any] = untouched.call("GET", "/openapi.json").json()
    return made


def operations(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            yield method, path, operation


def objects(schema: Any) -> Iterator[dict[str, Any]]:
    if isinstance(schema, dict):
        yield schema
        for inner in schema.values():
            yield from objects(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from objects(inner)


def test_it_is_openapi_3_1_and_the_same_each_time(untouched: Api, document: dict[str, Any]) -> None:
    assert document["openapi"].startswith("3.1.")
    texts = {untouched.call("GET", "/openapi.json").content for _ in range(3)}
    texts.add(json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode())
    other = FastAPI()
    other.router.routes.extend(untouched.app.router.routes)
    texts.add(json.dumps(openapi.document(other), ensure_ascii=False, separators=(",", ":")).encode())
    assert len(texts) == 1


def test_it_has_every_call_of_the_contract_with_its_scope(document: dict[str, Any]) -> None:
    found = {
        (method, path, operation["security"][0]["token"][0] if "security" in operation else None)
        for method, path, operation in operations(document)
    }
    assert found >= CALLS


def test_names_are_unique_and_plain(document: dict[str, Any]) -> None:
    ids = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(ids) == len(set(ids))
    assert [name for name in ids if not re.fullmatch(r"[a-z]+(_[a-z]+)*", name)] == []
    assert all(re.fullmatch(r"[A-Z][A-Za-z]+", name) for name in document["components"]["schemas"])


def test_every_call_says_what_it_does(document: dict[str, Any]) -> None:
    assert all(operation.get("description") for _, _, operation in operations(document))


def test_no_body_takes_unknown_fields(document: dict[str, Any]) -> None:
    bodies = [
        operation["requestBody"] for _, _, operation in operations(document) if "requestBody" in operation
    ]
    assert len(bodies) >= 13
    for body in bodies:
        assert body["content"].keys() == {"application/json"}
        for schema in objects(resolved(document, body["content"]["application/json"]["schema"])):
            if schema.get("type") == "object":
                assert schema["additionalProperties"] is False


def resolved(document: dict[str, Any], schema: Any) -> Any:
    if isinstance(schema, list):
        return [resolved(document, inner) for inner in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        return resolved(document, document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
    return {name: resolved(document, inner) for name, inner in schema.items()}


def test_every_body_has_an_example_that_is_valid(document: dict[str, Any]) -> None:
    for _, path, operation in operations(document):
        if "requestBody" in operation:
            schema = resolved(document, operation["requestBody"]["content"]["application/json"]["schema"])
            schema = next((one for one in schema.get("anyOf", ()) if one.get("type") == "object"), schema)
            assert schema["examples"], path
            for example in schema["examples"]:
                jsonschema.validate(example, schema)


def test_every_error_is_a_problem_document(document: dict[str, Any]) -> None:
    for _, path, operation in operations(document):
        assert any(status.startswith("2") for status in operation["responses"])
        for status, response in operation["responses"].items():
            if not status.startswith("2"):
                assert response["content"].keys() == {"application/problem+json"}, (path, status)
    problem = document["components"]["schemas"]["Problem"]
    assert problem["properties"].keys() == {"type", "title", "status", "detail", "problems", "similar"}
    assert not {"HTTPValidationError", "ValidationError"} & document["components"]["schemas"].keys()


def test_no_principal_and_no_topic_of_a_principal_stands_in_a_url(document: dict[str, Any]) -> None:
    for _, path, operation in operations(document):
        if not path.startswith("/v1/operator/"):
            names = {one["name"] for one in operation.get("parameters", ()) if one["in"] != "header"}
            assert names <= {"id", "cursor", "limit"}, path


def test_what_is_documented_is_what_is_served(api: Api) -> None:
    """Each call, well and badly: the status is documented, and the body is of its schema."""
    document = api.call("GET", "/openapi.json").json()
    seen: set[tuple[str, str, int]] = set()
    for method, path, operation in operations(document):
        schema = (
            operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
        )
        example = example_of(resolved(document, schema))
        ((scope,), *_) = [rule["token"] for rule in operation.get("security", ())] or ((None,),)
        who = f"{method} {path}"  # each call finds a person who has told something
        api.capture("kids", "I want two kids", who=who)
        api.capture("smoking", "I smoke outdoors", "2026-03-09", who=who)
        api.decide("granted", who=who)
        url = path.replace("{id}", api.entries(who)[0]["id"])
        url = url.replace("{key}", "kids").replace("{alias}", "children")
        for body, as_, raw in (
            (example, scope, None),
            ({"zebra": 1}, scope, None),
            (example, None, None),
            (None, scope, b"{"),
        ):
            response = api.call(method, url, body, as_=as_, who=who, raw=raw)
            described = operation["responses"].get(str(response.status_code))
            if as_ is None and scope is None and body is None:
                assert response.status_code == 200
            assert described, (method, path, response.status_code)
            seen.add((method, path, response.status_code))
            media_type = response.headers.get("content-type", "").partition(";")[0]
            if response.content:
                assert media_type in described["content"], (method, path, response.status_code)
            if media_type.endswith("json"):
                schema_of_answer = resolved(document, described["content"][media_type]["schema"])
                jsonschema.validate(response.json(), schema_of_answer)
    assert {(method, path) for method, path, status in seen if status in (200, 204)} >= {
        (method, path) for method, path, _ in CALLS if not path.endswith(("merge", "decision"))
    }


def example_of(schema: dict[str, Any]) -> Any:
    for one in (schema, *schema.get("anyOf", ())):
        if "examples" in one:
            return one["examples"][0]
    return None


def test_answers_have_their_words_and_no_more(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert schemas["FreshEntry"]["properties"].keys() == models.FreshEntry.__annotations__.keys()
    for name in ("PlanAnswer", "CoverageAnswer", "RecallAnswer", "CaptureAnswer"):
        assert "tier" not in json.dumps(resolved(document, schemas[name]))
