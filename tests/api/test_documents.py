"""The pages about the HTTP interface say what is so: every call is listed, every example is sent."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from .world import Api

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLE = re.compile(r"```http\n(\w+) (\S+)\nscope: ([^\n]+)\n\n(.*?)```\n\n```json\n(.*?)```", re.DOTALL)


def test_every_call_is_listed_with_its_scope(untouched: Api) -> None:
    page = (DOCS / "reference/http.md").read_text()
    listed = set(re.findall(r"^\| `(\w+) (/\S+)` \| ([\w, ]+?) \|", page, re.MULTILINE))
    served = {
        (
            method.upper(),
            path,
            ", ".join(rule["token"][0] for rule in operation.get("security", ())) or "none",
        )
        for path, methods in untouched.call("GET", "/openapi.json").json()["paths"].items()
        for method, operation in methods.items()
    }
    assert listed == served


@pytest.mark.parametrize("name", ["agents", "application"])
def test_every_example_of_a_guide_answers_as_it_says(api: Api, name: str) -> None:
    if name == "agents":
        api.capture("kids", "I want two kids")
        api.capture("smoking", "I smoke outdoors", "2026-03-09")
        api.decide("granted")
    page = (DOCS / f"guides/{name}.md").read_text()
    examples = EXAMPLE.findall(page)
    assert len(examples) == page.count("```http")
    for method, path, scope, body, expected in examples:
        response = api.call(method, path, json.loads(body), as_=scope)
        assert response.status_code == 200, response.text
        assert like(response.json(), json.loads(expected)), (path, response.json())


def test_every_example_of_the_principals_guide_answers_as_it_says(api: Api) -> None:
    """A step after the other, on one answer of his. What has no reply there is answered with 204."""
    api.capture("kids", "I want two kids")
    step = re.compile(
        r"```http\n(\w+) (\S+)\nscope: principal\n(?:\n(\{.*?\})\n)?```\n(?:\n```json\n(.*?)```\n)?", re.S
    )
    page = (DOCS / "guides/principal.md").read_text()
    examples = step.findall(page)
    assert len(examples) == page.count("```http") > 8
    entry = api.entries()[0]["id"]
    for method, path, body, expected in examples:
        sent = json.loads(body) if body else None
        response = api.call(method, path.replace("ENTRY", entry), sent, as_="principal")
        if expected:
            assert like(response.json(), json.loads(expected)), (path, response.json())
        else:
            assert response.status_code == (200 if method == "GET" else 204), (path, response.text)


def like(found: Any, told: Any) -> bool:
    """Equal, where "..." stands for anything."""
    if told == "...":
        return True
    if isinstance(told, dict):
        return (
            isinstance(found, dict)
            and found.keys() == told.keys()
            and all(like(found[k], told[k]) for k in told)
        )
    if isinstance(told, list):
        return isinstance(found, list) and len(found) == len(told) and all(map(like, found, told))
    return bool(found == told)
