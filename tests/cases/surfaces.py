"""What is asked of the surface as a whole: every way to read, every size of body, the document."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from ledger.api.strict_json import MAX_BYTES

from . import operations, reading
from .collection import OUT_OF_REACH_WITHIN, Step
from .facts import OK, Facts, answered
from .workers import Worker, kept_worker, through
from .world import World


def read_by_another_worker(world: World, step: Step) -> Facts:
    """It is left running, so that whatever it has kept of the first read is there at the second."""
    with through(world, kept_worker(world)):
        return reading.read(world, step)


def read_by_nobody(world: World, step: Step) -> Facts:
    return answered(world.send("anon", "POST", "/v1/recall", {}))


def every_way_to_read(world: World, step: Step) -> Facts:
    actor, quote = step["as"], "I want two kids"
    ways: dict[str, Callable[[], httpx.Response]] = {
        "list": lambda: world.send(actor, "POST", "/v1/coverage", {}),
        "by topic": lambda: world.send(actor, "POST", "/v1/recall", {"topics": ["kids"]}),
        "by id": lambda: world.send(actor, "PUT", f"/v1/me/entries/{entry_id(world)}/withheld"),
        "near-miss/search": lambda: world.send(actor, "POST", "/v1/topics", {"label": "kid"}),
        "prompt block": lambda: world.send(actor, "POST", "/v1/recall", {}),
        "export as agent": lambda: world.send(actor, "GET", "/v1/me/export"),
    }
    assert {*ways, *OUT_OF_REACH_WITHIN["SURF-05", 0]} == set(step["paths"])
    facts: Facts = {"outcome": "ok"}
    for tier in step["tiers"]:
        world.set_tier("P1", tier)
        replies = {way: call() for way, call in ways.items()}
        facts["export as agent"] = replies["export as agent"].status_code
        assert replies["by id"].status_code == 403
        shown = {way: reply.text for way, reply in replies.items()}
        quotes = [one["quote"] for one in replies["by topic"].json()["entries"]]
        seen = {
            "text": any(quote in text for text in shown.values()),
            # what an agent says itself, or reads in the registry, is no sign of an entry
            "topics": any("kids" in text for way, text in shown.items() if way != "near-miss/search"),
        }
        facts[tier] = {"quotes": quotes} if tier == "full" else seen
        assert seen["text"] is (tier == "full")
        assert not any("three please" in text for text in shown.values())
    # Nobody can be named: not in a body, and an agent is given no token for another.
    facts["replies"] = {}
    for name in step["principals"][1:]:
        named = world.send(actor, "POST", "/v1/recall", {"principal": name})
        asked = world.issue(name, "agent", actor=actor)
        assert named.status_code == 422
        facts[name] = asked.status_code
        facts["replies"][name] = (named.text, asked.text)
    return facts


def entry_id(world: World) -> str:
    (entry,) = world.send("owner:P1", "GET", "/v1/me/entries").json()["items"]
    found: str = entry["id"]
    return found


def a_body(world: World, step: Step) -> Facts:
    """Through a worker of its own, whose memory is watched."""
    worker = kept_worker(world)
    before = world.entries()
    with through(world, worker):
        if "message_bytes" in step["gen"]:
            world.send("anon", "GET", "/healthz")  # it has started
            worker.peak_memory()
            at_rest = worker.peak_memory()
            response = sent_whole(world, worker, step)
            return {**answered(response), "rss_growth_mb": worker.peak_memory() - at_rest}
        response = world.send(step["as"], "POST", "/v1/captures", raw=generated(step["gen"]))
    return operations.captured(world, "P1", response, before)


def sent_whole(world: World, worker: Worker, step: Step) -> httpx.Response:
    prepared = world.prepared(step["as"], "POST", "/v1/captures", raw=b"")
    opening, filling = b'{"message":"', b"x" * 65_536

    def blocks() -> Iterator[bytes]:
        yield opening
        for _ in range(step["gen"]["message_bytes"] // len(filling)):
            yield filling
        yield b'"}'

    if not step["gen"].get("chunked"):
        length = len(opening) + step["gen"]["message_bytes"] + 2
        prepared["headers"].append(("Content-Length", str(length)))
    return world.noted(worker.client.request(**prepared | {"content": blocks()}))


def generated(gen: dict[str, Any]) -> bytes:
    if "nested_arrays" in gen:
        deep = "[" * gen["nested_arrays"] + "]" * gen["nested_arrays"]
        return f'{{"message":{deep},"said_on":"2026-08-20","candidates":[]}}'.encode()
    words = "I want two kids. "

    def body(message: str) -> bytes:
        span = message[: gen["span_chars"]] if "span_chars" in gen else words.strip()
        told = {"message": message, "said_on": "2026-08-20", "candidates": [{"topic": "kids", "span": span}]}
        return json.dumps(told).encode()

    # L is the longest message that a body has room for.
    room = MAX_BYTES - len(body("")) - gen.get("span_chars", 0)
    more = {"L": 0, "L+1": 1}[gen["message_chars"]]
    filled = (words + "I row. " * room)[: room + more]
    made = body(filled)
    assert len(made) == MAX_BYTES + more
    return made


def openapi(world: World, step: Step) -> Facts:
    texts = set()
    for _ in range(step["times"]):
        texts.add(world.send("anon", "GET", "/openapi.json").text)
        world.close()
        world.open()
    document = json.loads(texts.pop())
    operations_ = [one for methods in document["paths"].values() for one in methods.values()]
    bodies = [inner for one in operations_ for inner in objects(document, one.get("requestBody", {}))]
    errors = [
        inner
        for one in operations_
        for status, response in one["responses"].items()
        if status >= "400"
        for inner in objects(document, response)
    ]
    names = sorted(document["components"]["schemas"])
    return {
        "outcome": "ok",
        "identical": not texts,
        "operationId": [one["operationId"] for one in operations_],
        "schema name": names,
        "request_bodies": [
            {"additionalProperties": value} for value in {one.get("additionalProperties") for one in bodies}
        ],
        "error fields": {field for one in errors for field in one.get("properties", ())},
    }


def objects(document: Any, schema: Any) -> Iterator[dict[str, Any]]:
    """Every object of a schema, through its references."""
    if isinstance(schema, list):
        for inner in schema:
            yield from objects(document, inner)
    elif isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        if "$ref" in schema:
            yield from objects(document, document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
        for name, inner in schema.items():
            if name != "examples":
                yield from objects(document, inner)


def every_response_was_held_against_it(world: World, step: Step) -> Facts:
    """`World` holds each against the document as it comes; here one of each kind, well and badly."""
    world.list_topic("kids", "Do you want kids?")
    said = {
        "op": "write",
        "principal": "P1",
        "topic": "kids",
        "said_at": "2026-08-20T00:00:00Z",
        "as": "agent:A1",
    }
    said |= {"message": "I want two kids", "span": "I want two kids"}
    before = len(world.statuses)
    asked = {"principal": "P1", "topics": ["kids"], "as": "agent:A1"}
    operations.write(world, said)
    reading.read(world, asked)
    operations.set_tier(world, {"tier": "full", "as": "owner:P1"})
    reading.read(world, asked)
    operations.export(world, said | {"as": "owner:P1"})
    operations.propose(world, said | {"label": "a/b"})
    operations.get_window(world, {"as": "operator", "topic": "kids"})
    world.send("operator", "POST", "/v1/operator/sweep", {})
    operations.http(world, {"as": "agent:A1", "method": "POST", "path": "<write>", "body_text": "{"})
    operations.delete(world, {"as": "owner:P1", "topic": "kids"})
    operations.erase(world, {"as": "owner:P1"})
    world.send("anon", "POST", "/v1/recall", {})
    world.send("agent:A1", "GET", "/v1/me/entries")
    assert {200, 204, 400, 401, 403, 422} <= set(world.statuses[before:])
    return OK
