"""The operations of the cases, each played through the surface that it is meant for.

An operation gives the facts of what it came to; `expectations` says how they are compared. Reading, and the operations of
one kind of case, have a module each.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

import httpx

from . import restores, signed, wire, workers
from .collection import ASKED, Step
from .facts import OK, Facts, answered
from .reading import block, read
from .world import NOTICE, World, day

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


def prepared(world: World, step: Step) -> dict[str, Any]:
    """The same, to be sent later."""
    return world.prepared(step["as"], "POST", "/v1/captures", wire.capture(step, None), of=step["principal"])


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
        facts["nearest"] = outcome.get("nearest")
        if outcome["accepted"]:
            stored = world.entries().get((world.principal(name), outcome["topic"]))
            facts["stored_topic"] = outcome["topic"]
            facts["stored_text"] = stored[0] if stored else None
    return facts


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
    call = wire.call(step, world.today)
    sent = [*step.get("headers", {}).items(), *map(tuple, step.get("headers_list", ()))]
    response = world.send(step["as"], call.method, call.path, raw=call.body, headers=sent)
    facts = answered(response)
    if call.path == "/v1/captures":
        return facts | captured(world, "P1", response, before)
    if response.status_code == 200:
        match call.path, response.json():
            case "/v1/reconfirmations", verdict:
                facts["outcome"] = "accepted" if verdict["accepted"] else "rejected"
            case "/v1/recall", recalled:
                facts["quotes"] = [one["quote"] for one in recalled["entries"]]
            case "/v1/me/entries", listed:
                facts["entries_len"] = len(listed["items"])
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


def loop_ids(world: World, step: Step) -> Facts:
    """The same for each outside id, as they come; `${i}` counts. Then everybody's agent and own export are asked."""
    ids: list[str] = step["ids"]
    said = []
    for i, name in enumerate(ids):
        world.set_tier(name, "full")
        for op in step["ops"]:
            one = json.loads(json.dumps(op).replace("${i}", str(i))) | {"principal": name}
            assert write(world, one)["stored_text"] == one["span"]
            said.append(one)
    never_cross = len({world.principal(name) for name in ids}) == len(ids) and all(
        read(world, {"principal": one["principal"], "as": one["as"]})["quotes"] == [one["span"]]
        and export(world, {"principal": one["principal"], "as": f"owner:{one['principal']}"})["entries"]
        == {(one["topic"], one["span"], day(one["said_at"]))}
        for one in said
    )
    return {"outcome": "ok", "never_cross": never_cross}


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
    "loop_ids": loop_ids,
    "token": signed.token,
    "start": workers.start,
    "backup": restores.backup,
    "restore_and_start": restores.restore_and_start,
}
