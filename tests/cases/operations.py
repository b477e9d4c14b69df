"""The operations of the cases, each played through the surface that it is meant for.

An operation gives the facts of what it came to; `expectations` says how they are compared.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import httpx

from ledger.core import prompt
from ledger.core.model import Freshness

from . import wire
from .collection import ASKED, Step
from .world import NOTICE, World

Facts = dict[str, Any]
NOBODY = "P404"
OK: Facts = {"outcome": "ok"}


def came_to(response: httpx.Response) -> str:
    if response.status_code >= 500:
        return "error"
    return "rejected" if response.status_code >= 400 else "ok"


def answered(response: httpx.Response) -> Facts:
    """What every response tells."""
    return {
        "outcome": came_to(response),
        "http": response.status_code,
        "body": response.text,
        "headers": response.headers,
    }


# ── Writing ──────────────────────────────────────────────────────────────────────────────────────


def write(world: World, step: Step) -> Facts:
    """A turn, as the application of that agent offers it."""
    if (refused := refused_person(world, step)) is not None:
        return refused
    question = f"What about {step['topic']}?" if (world.case.id, len(world.results)) in ASKED else None
    before = world.entries()
    body = wire.capture(step, question)
    started = time.perf_counter()
    response = world.send(step["as"], "POST", "/v1/captures", body, of=step["principal"])
    seconds = time.perf_counter() - started
    return {**captured(world, step["principal"], response, before), "seconds": seconds}


def offered(world: World, step: Step) -> httpx.Response:
    """The same, while nobody looks into the database."""
    return world.send(step["as"], "POST", "/v1/captures", wire.capture(step, None), of=step["principal"])


def refused_person(world: World, step: Step) -> Facts | None:
    """Who it is about stands in the token: a person who can't be one gets none."""
    issued = world.issue(step["principal"], "capture")
    return None if issued.status_code == 200 else {**answered(issued), "stored_text": None}


def captured(world: World, name: str, response: httpx.Response, before: Any) -> Facts:
    facts = answered(response)
    facts["stored_text"] = None if world.entries() == before else "something was stored"
    if response.status_code == 200:
        (outcome,) = response.json()["outcomes"]
        facts["outcome"] = "accepted" if outcome["accepted"] else "rejected"
        if outcome["accepted"]:
            stored = world.entries().get((world.principal(name), outcome["topic"]))
            facts["stored_topic"] = outcome["topic"]
            facts["stored_text"] = stored[0] if stored else None
    return facts


# ── Reading ──────────────────────────────────────────────────────────────────────────────────────


def read(world: World, step: Step) -> Facts:
    """Everything that an agent can get to know: recall and coverage, of all and by name, and the plan."""
    name, actor = step["principal"], step["as"]
    labels = step.get("topics") or known_labels(world)
    of_all = recalled(world, actor, name, None)
    by_name = recalled(world, actor, name, labels)
    topics_of_all = covered(world, actor, name, None)
    topics = covered(world, actor, name, labels)
    shown = world.bodies[-4:]
    if "topics" not in step:
        # An unlisted topic shows to a caller that names it; nothing else does.
        assert set(of_all) <= set(by_name) and set(topics_of_all) <= set(topics)
    planned(world, actor, name, labels, by_name, topics)
    if not by_name and not topics:
        # Byte for byte what is said of somebody whom nobody has heard of.
        recalled(world, actor, NOBODY, None), recalled(world, actor, NOBODY, labels)
        covered(world, actor, NOBODY, None), covered(world, actor, NOBODY, labels)
        assert world.bodies[-4:] == shown

    fresh = {one["topic"]: one["quote"] for one in by_name.values() if one["freshness"] == "fresh"}
    asks = [topic for topic, one in by_name.items() if one["freshness"] == "reconfirm"]
    world.current_rows += [
        world.rows("select count(*) from ledger.entry where principal = %s", world.principal(name))[0][0]
    ]
    return {
        "outcome": "ok",
        "locked": not by_name and not topics,
        "tier": "full" if by_name else "topics" if topics else "none",
        "quotes": list(fresh.values()),
        "by_topic": fresh,
        "reconfirm": asks,
        "topics": topics,
        "only_fields": sorted({field for one in by_name.values() for field in one} | {"topic", "freshness"}),
        "principal": name,
    }


def known_labels(world: World) -> list[str]:
    """What an agent of this case may have in mind: the topics before it, and those named in it so far."""
    named = [step["topic"] for step in written(list(world.case.steps)) if "topic" in step]
    return sorted({*world.case.topics(), *named})[:32]


def written(steps: list[Step]) -> list[Step]:
    inner = [one for step in steps for one in [*step.get("ops", ()), *filter(None, [step.get("with")])]]
    return [*steps, *(written(inner) if inner else ())]


def recalled(world: World, actor: str, name: str, labels: list[str] | None) -> dict[str, Facts]:
    response = world.send(actor, "POST", "/v1/recall", wire.narrowed(labels), of=name)
    assert response.status_code == 200
    entries: list[Facts] = response.json()["entries"]
    block = prompt.parse(response.json()["prompt"])
    assert [(one.topic, one.freshness) for one in block] == [
        (one["topic"], one["freshness"]) for one in entries
    ]
    return {one["topic"]: one for one in entries}


def covered(world: World, actor: str, name: str, labels: list[str] | None) -> list[str]:
    response = world.send(actor, "POST", "/v1/coverage", wire.narrowed(labels), of=name)
    assert response.status_code == 200
    return [one["topic"] for one in response.json()["covered"]]


def planned(
    world: World, actor: str, name: str, labels: list[str], entries: dict[str, Facts], topics: list[str]
) -> None:
    """The plan says of each label what recall and coverage say.

    What it repeats of the call and of the registry (label, key, question) is no part of `bodies`.
    """
    response = world.send(actor, "POST", "/v1/plan", {"labels": labels}, of=name)
    assert response.status_code == 200
    world.bodies.pop()
    for item in response.json()["items"]:
        entry = entries.get(item["key"])
        if entry is None:
            assert item["do"] in (("covered", "reconfirm") if item["key"] in topics else ("ask",))
            assert not {"quote", "ask", "as_of"} & item.keys()
        elif entry["freshness"] == "fresh":
            assert (item["do"], item["quote"]) == ("known", entry["quote"])
        else:
            assert (item["do"], item["ask"]) == ("reconfirm", entry["ask"])
        world.bodies += [
            str(value) for field, value in item.items() if field not in ("label", "key", "question")
        ]


def block(world: World, step: Step) -> Facts:
    response = world.send(step["as"], "POST", "/v1/recall", {}, of=step["principal"])
    assert response.status_code == 200
    rendered: str = response.json()["prompt"]
    entries = prompt.parse(rendered)
    lines = rendered.splitlines()
    return {
        "outcome": "ok",
        "prompt": rendered,
        "same": rendered,
        "items": len(entries),
        "quotes": [one.answer for one in entries if one.freshness is Freshness.FRESH],
        "reconfirm": [one.topic for one in entries if one.freshness is Freshness.RECONFIRM],
        "topics": [one.topic for one in entries],
        "delimiters": {
            "open": rendered.count(prompt.OPEN),
            "close": rendered.count(prompt.CLOSE),
            "close_is_last": rendered.endswith(prompt.CLOSE),
        },
        "splitlines_items": sum(line.startswith("{") for line in lines),
        "lines": lines,
    }


# ── The principal ────────────────────────────────────────────────────────────────────────────────


def set_tier(world: World, step: Step) -> Facts:
    body = {"decision": wire.decision(step["tier"]), "notice": NOTICE}
    return answered(world.send(step["as"], "PUT", "/v1/me/consent", body))


def delete(world: World, step: Step) -> Facts:
    items = world.send(step["as"], "GET", "/v1/me/entries").json()["items"]
    (entry,) = [one for one in items if one["topic"] == step["topic"]]
    return answered(world.send(step["as"], "DELETE", f"/v1/me/entries/{entry['id']}"))


def export(world: World, step: Step) -> Facts:
    kind, _, name = step["as"].partition(":")
    # Nobody can ask for another's: the call takes no name, and shows the one of the token.
    somebody_else = kind == "owner" and name != step["principal"]
    query = f"?principal={step['principal']}" if somebody_else else ""
    response = world.send(step["as"], "GET", f"/v1/me/export{query}", of=step["principal"])
    facts = {**answered(response), "same": response.content}
    if response.status_code == 200:
        document = response.json()
        facts["count"] = document["count"]
        facts["entries_len"] = len(document["entries"])
        facts["entries"] = {(one["topic"], one["answer"], one["as_of"]) for one in document["entries"]}
    return facts


def erase(world: World, step: Step) -> Facts:
    return answered(world.send(step["as"], "DELETE", "/v1/me"))


# ── The registry and the windows ─────────────────────────────────────────────────────────────────


def propose(world: World, step: Step) -> Facts:
    body = {"label": step["label"]}
    response = world.send(step["as"], "POST", "/v1/topics", body, of=step.get("principal", "P1"))
    return proposed(world, response)


def proposed(world: World, response: httpx.Response) -> Facts:
    facts = answered(response)
    if response.status_code == 409:
        return facts | {"outcome": "ok", "status": "near_miss", "suggestions": response.json()["similar"]}
    if response.status_code == 200:
        key = response.json()["key"]
        listed = [found for (found,) in world.rows("select key from ledger.topic where listed")]
        facts |= {"key": key, "status": "existing" if key in listed else "new", "suggestions": None}
    return facts


def alias(world: World, step: Step) -> Facts:
    path = f"/v1/operator/topics/{step['of']}/aliases/{step['alias']}"
    facts = answered(world.send(step["as"], "PUT", path))
    if facts["outcome"] == "ok":
        facts["resolves_to"] = world.send("agent:A1", "POST", "/v1/topics", {"label": step["alias"]}).json()[
            "key"
        ]
    return facts


def set_window(world: World, step: Step) -> Facts:
    saved = {"${w}": world.results[-1].get("saved")} if world.results else {}
    body = saved[step["body"]] if isinstance(step["body"], str) else wire.window(step["body"])
    return answered(world.set_window(step["as"], step["topic"], body))


def get_window(world: World, step: Step) -> Facts:
    """The window that holds for a topic: its own, or the default."""
    response = world.send(step["as"], "GET", "/v1/operator/topics")
    (topic,) = [one for one in response.json()["items"] if one["key"] == step["topic"]]
    default = world.send(step["as"], "GET", "/v1/operator/windows").json()
    own = {name: topic[name] for name in ("reconfirm_after", "drop_after")}
    holds = [default[name] if own[name] is None else own[name] for name in own]
    return {**answered(response), "window": holds, "saved": own}


# ── The clock, the state, the whole ──────────────────────────────────────────────────────────────


def now(world: World, step: Step) -> Facts:
    world.now(step["at"])
    return OK


def load(world: World, step: Step) -> Facts:
    world.database.installer.execute("delete from ledger.entry")
    world.put(world.case.given["entry_sets"][step["set"]])
    return OK


def sweep(world: World, step: Step) -> Facts:
    """The sweep that the application runs by itself: an operator may ask for one an hour."""
    world.sweep()
    return OK


def dump(world: World, step: Step) -> Facts:
    """Everything that a person with the database and the logs can read."""
    names = [
        {"registry": "topic", "aliases": "topic_alias"}.get(name, name) for name in step.get("tables", ())
    ]
    tables = world.tables(names)
    assert not names or tables.keys() == set(names)
    told = [f"{table}: {row}" for table, rows in tables.items() for row in rows]
    if not names:
        told += [world.statistics(), world.logs()]
    world.dumps.append("\n".join(told))
    if any("data directory" in kind for kind in step.get("include", ())):
        found = [word for word in world.case.never_in_dump for file in world.files() if word.encode() in file]
        assert not found, "a file of the server still has it"
    return {"outcome": "ok", "min_rows": sum(map(len, tables.values()))}


def http(world: World, step: Step) -> Facts:
    """A raw call: the route that our API gives that function, and the body in our fields."""
    before = world.entries()
    call = wire.call(step)
    sent = [*step.get("headers", {}).items(), *map(tuple, step.get("headers_list", ()))]
    response = world.send(step["as"], call.method, call.path, raw=call.body, headers=sent)
    facts = answered(response)
    if call.path == "/v1/captures":
        return facts | captured(world, "P1", response, before)
    if call.path == "/v1/recall" and response.status_code == 200:
        facts["quotes"] = [one["quote"] for one in response.json()["entries"]]
    return facts


def par(world: World, step: Step) -> Facts:
    """At once, so many times."""
    ops = step["ops"] * step.get("times", 1)
    responses = world.together([call_of(world, op) for op in ops])
    if all(op["op"] == "propose" for op in ops):
        return {"outcome": "ok", "each": [proposed(world, response) for response in responses]}
    own = {who: answer for (who, _), (answer, _) in world.entries().items()}
    never_cross = all(
        [one["quote"] for one in response.json()["entries"]] == [own[world.principal(op["principal"])]]
        for op, response in zip(ops, responses, strict=True)
    )
    return {"outcome": "ok", "never_cross": never_cross}


def call_of(world: World, op: Step) -> dict[str, Any]:
    of = op.get("principal", "P1")
    if op["op"] == "propose":
        return world.prepared(op["as"], "POST", "/v1/topics", {"label": op["label"]}, of=of)
    assert op["op"] == "read"
    return world.prepared(op["as"], "POST", "/v1/recall", {}, of=of)


def loop(world: World, step: Step) -> Facts:
    """Again and again; `${i}` counts."""
    came = []
    for i in range(step["times"]):
        for op in step["ops"]:
            one = json.loads(json.dumps(op).replace("${i}", str(i)))
            came.append(OPERATIONS[one["op"]](world, one))
    facts: Facts = {"outcome": "ok", "some_http": {one.get("http") for one in came}}
    if all("never_cross" in one for one in came):
        facts["never_cross"] = all(one["never_cross"] for one in came)
    return facts


OPERATIONS: dict[str, Callable[[World, Step], Facts]] = {
    "write": write,
    "read": read,
    "block": block,
    "set_tier": set_tier,
    "delete": delete,
    "export": export,
    "erase": erase,
    "propose": propose,
    "alias": alias,
    "set_window": set_window,
    "get_window": get_window,
    "now": now,
    "load": load,
    "sweep": sweep,
    "dump": dump,
    "http": http,
    "par": par,
    "loop": loop,
}
