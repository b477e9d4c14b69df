"""What an agent gets to know: everything that the calls of reading tell, and the rendered block."""

from __future__ import annotations

from ledger.core import prompt
from ledger.core.model import Freshness

from . import wire
from .collection import Step
from .facts import Facts
from .world import World

NOBODY = "P404"


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
