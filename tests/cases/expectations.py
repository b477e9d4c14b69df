"""How what a step came to is compared with what it must come to. Every word of an expectation counts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ledger.core.registry.label import normalise

from .facts import Facts
from .world import World, day

ADVISORY = {"reason", "why", "also_ok"}


def differences(world: World, expected: Facts, facts: Facts) -> Facts:
    """What was found in the place of what is expected, word by word; nothing where another right result fits."""
    found = [_differences(world, one, facts) for one in (expected, *expected.get("also_ok", ()))]
    return {} if {} in found else found[0]


def _differences(world: World, expected: Facts, facts: Facts) -> Facts:
    assert expected.keys() - ADVISORY <= COMPARED.keys(), expected.keys() - ADVISORY - COMPARED.keys()
    return {
        word: facts.get(word, facts)
        for word, wanted in expected.items()
        if word not in ADVISORY and not COMPARED[word](world, wanted, facts)
    }


def _equal(word: str) -> Callable[[World, Any, Facts], bool]:
    return lambda _world, wanted, facts: facts[word] == wanted


def _all(word: str) -> Callable[[World, Any, Facts], bool]:
    """The same ones; their order is newest month, then key, which the tests of reading hold."""
    return lambda _world, wanted, facts: sorted(facts[word]) == sorted(wanted)


def _outcome(_world: World, wanted: str, facts: Facts) -> bool:
    if wanted == "locked":
        return bool(facts["locked"])
    # What can't be said of a raw call: 200 and not refused.
    return facts["outcome"] == wanted or (wanted == "ok" and facts["outcome"] == "accepted")


def _topics(world: World, wanted: Any, facts: Facts) -> bool:
    """Of a read, which ones; of the question for every way to read, what is seen in this tier."""
    return (_equal if isinstance(wanted, dict) else _all)("topics")(world, wanted, facts)


def _said_at(world: World, wanted: dict[str, str], facts: Facts) -> bool:
    """As the principal's own export shows it: agents see months."""
    exported = world.send(f"owner:{facts['principal']}", "GET", "/v1/me/export").json()["entries"]
    days = {one["topic"]: one["as_of"] for one in exported}
    return all(days[topic] == day(instant) for topic, instant in wanted.items())


def _entries(_world: World, wanted: list[Facts], facts: Facts) -> bool:
    return bool(facts["entries"] == {(one["topic"], one["text"], day(one["said_at"])) for one in wanted})


def _same_as(world: World, step: int, facts: Facts) -> bool:
    return bool(facts["same"] == world.results[step]["same"])


def _each(_world: World, wanted: Facts, facts: Facts) -> bool:
    return bool(facts["each"]) and all(one[word] == wanted[word] for one in facts["each"] for word in wanted)


def _header_any(_world: World, wanted: list[str], facts: Facts) -> bool:
    pairs = [one.split(": ", 1) for one in wanted]
    return any(value in facts["headers"].get(name, "") for name, value in pairs)


def _header_never(_world: World, wanted: dict[str, list[str]], facts: Facts) -> bool:
    return not any(sign in facts["headers"][name] for name, signs in wanted.items() for sign in signs)


def _lines(_world: World, wanted: list[str], facts: Facts) -> bool:
    return not any(line.lstrip().startswith(tuple(wanted)) for line in facts["lines"])


COMPARED: dict[str, Callable[[World, Any, Facts], bool]] = {
    "outcome": _outcome,
    "http": lambda _world, wanted, facts: facts["http"] in wanted,
    # writing
    "stored_text": _equal("stored_text"),
    "stored_topic": lambda _world, wanted, facts: facts["stored_topic"] == normalise(wanted),
    "nearest": lambda _world, wanted, facts: wanted in (facts["nearest"] or wanted),
    # reading
    "quotes": _all("quotes"),
    "by_topic": _equal("by_topic"),
    "reconfirm": _all("reconfirm"),
    "topics": _topics,
    "tier": _equal("tier"),
    "only_fields": _equal("only_fields"),
    "said_at": _said_at,
    # the block
    "items": _equal("items"),
    "delimiters": _equal("delimiters"),
    "raw_never": lambda _world, wanted, facts: not any(word in facts["prompt"] for word in wanted),
    "splitlines_items": _equal("splitlines_items"),
    "no_line_starts": _lines,
    # the registry and the windows
    "status": _equal("status"),
    "status_not": lambda _world, wanted, facts: facts["status"] not in wanted,
    "key": _equal("key"),
    "suggestions": _equal("suggestions"),
    "resolves_to": _equal("resolves_to"),
    "window": _equal("window"),
    # several at once
    "each": _each,
    "each_read": lambda _world, wanted, facts: all(one == wanted for one in facts["each_read"]),
    "some_http": lambda _world, wanted, facts: set(wanted) <= facts["some_http"],
    "never_cross": _equal("never_cross"),
    "max_xact_seconds": lambda _world, most, facts: facts["max_xact_seconds"] <= most,
    "write_seconds": lambda _world, most, facts: facts["write_seconds"] <= most,
    "rss_growth_mb_max": lambda _world, most, facts: facts["rss_growth_mb"] <= most,
    # the principal's own, and the database
    "entries": _entries,
    "count": _equal("count"),
    "entries_len": _equal("entries_len"),
    "same_as": _same_as,
    "state_unchanged": _equal("state_unchanged"),
    "rows": _equal("rows"),
    "rows_total": _equal("rows_total"),
    "never_rows_of": lambda _world, wanted, facts: not set(wanted) & set(facts["rows_of"]),
    "min_rows": lambda _world, least, facts: facts["min_rows"] >= least,
    # bodies and headers
    "body_has": lambda _world, wanted, facts: all(
        {"said_at": "said_on"}.get(word, word) in facts["body"] for word in wanted
    ),
    "body_never": lambda _world, wanted, facts: not any(word in facts["body"] for word in wanted),
    "header_absent": lambda _world, wanted, facts: not any(name in facts["headers"] for name in wanted),
    "header_any": _header_any,
    "header_never": _header_never,
    # every way to read, tier by tier
    "none": _equal("none"),
    "full": _equal("full"),
    "export as agent": lambda _world, wanted, facts: facts["export as agent"] in wanted["http"],
    "P2": lambda _world, wanted, facts: facts["P2"] in wanted["http"],
    "P2_same_as": lambda _world, other, facts: facts["replies"]["P2"] == facts["replies"][other],
    # the document of the API
    "identical": _equal("identical"),
    "unique": lambda _world, wanted, facts: all(len(set(facts[word])) == len(facts[word]) for word in wanted),
    "schema_name_never": lambda _world, wanted, facts: (
        not any(word in name for word in wanted for name in facts["schema name"])
    ),
    "request_bodies": lambda _world, wanted, facts: facts["request_bodies"] == [wanted],
    "error_schema_never": lambda _world, wanted, facts: not set(wanted) & facts["error fields"],
}
