"""The hard cases: what they say, and how the contract settles it. README.md beside this file says how to read them.

A case has words of its own; its steps are played through the real surfaces (`operations`), and what
each must come to is compared with what it came to (`expectations`). Where a case and the contract differ,
the contract stands: `SETTLED` names every such step, with the reason.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

CASES = Path(__file__).with_name("cases.json")

Step = dict[str, Any]
Place = tuple[str, int]  # the id of a case, and the number of a step in it


@dataclass(frozen=True)
class Case:
    id: str
    given: dict[str, Any]
    steps: tuple[Step, ...]
    results: tuple[dict[str, Any], ...]
    checks: tuple[str, ...]
    never_in_dump: tuple[str, ...]
    never_in_responses: tuple[str, ...]

    def topics(self) -> list[str]:
        """Every topic of the state before; those are listed and open."""
        entries = [*self.given.get("entries", ())]
        for entries_of_a_set in self.given.get("entry_sets", {}).values():
            entries += entries_of_a_set
        named = [*self.given.get("topics", ()), *(entry["topic"] for entry in entries)]
        return sorted({*named, *self.given.get("aliases", {}).values()})

    def expected(self, number: int) -> dict[str, Any]:
        place = self.id, number
        return self.results[number] | SETTLED.get(place, {}) | CHECKED.get(place, {})


def load() -> list[Case]:
    return [_case(**one) for one in json.loads(CASES.read_text("utf-8"))]


def _case(
    *, id: str, split: str, mechanism: str, given: Any, when: Any, expect: dict[str, Any], ref: Any = None
) -> Case:
    assert split == "hand", id
    assert expect.keys() <= {"results", "checks", "never_in_dump", "never_in_responses"}, id
    assert len(when) == len(expect["results"]), id
    return Case(
        id,
        given,
        tuple(when),
        tuple(expect["results"]),
        # One that begins with "or" is another right outcome of the steps; the contract asks for the steps.
        tuple(check for check in expect.get("checks", ()) if not check.startswith("or: ")),
        tuple(expect.get("never_in_dump", ())),
        tuple(expect.get("never_in_responses", ())),
    )


SETTLED: dict[Place, dict[str, Any]] = {
    # A coined key is unlisted: nobody else hears of it, and nothing is near it.
    ("ORI-02", 1): {"status": "new", "key": "herpis", "suggestions": None},
    ("ORI-02", 2): {"status": "new", "key": "herpis", "suggestions": None},
    # Without a row he is undecided: agents see the keys of open topics, and no answer.
    ("TIER-01", 13): {"outcome": "ok", "tier": "topics", "topics": ["kids"]},
    # Replies carry no tier.
    ("TIER-07", 0): {"only_fields": ["freshness", "topic"]},
    # A plural of a listed label is that label.
    ("REG-01", 3): {"also_ok": [{"outcome": "ok", "status": "existing", "key": "kids"}]},
    # Whole days count, in UTC: 120 days and a second are 120 days, and at 540 days it is dropped.
    ("STALE-01", 3): {"quotes": ["I smoke outdoors"], "reconfirm": []},
    ("STALE-01", 5): {"reconfirm": [], "topics": []},
    ("STALE-02", 5): {"quotes": ["I smoke outdoors"], "reconfirm": []},
    ("STALE-02", 8): {"quotes": ["two cats here"], "reconfirm": []},
    ("STALE-02", 14): {"quotes": ["two cats here"], "reconfirm": []},
    ("STALE-08", 1): {"reconfirm": ["hometown"], "topics": ["hometown"]},
    ("STALE-08", 4): {"reconfirm": ["hometown"]},
    # The audit counts by day: granted, revoked, deleted.
    ("DEL-05", 6): {"min_rows": 3},
    # No call takes somebody's name: who it is about stands in the token.
    ("DEL-08", 3): {"http": [422]},
    # There is no CORS: the method is not known, and no header lets a page of another origin read anything.
    ("SURF-06", 3): {"outcome": "rejected", "http": [405]},
    # A long span is refused by the gate, like any other that does not pass.
    ("SURF-07", 5): {"also_ok": [{"outcome": "rejected", "http": [200], "reason": "too_long"}]},
}

CHECKED: dict[Place, dict[str, Any]] = {
    ("GATE-29", 0): {"nearest": "que dehors"},
    ("GATE-29", 4): {"nearest": "but fish"},
    ("GATE-31", 0): {"nearest": "Cats are not welcome with me."},
}
"""What a check of a case asks of single steps: a suggestion, if there is one, holds these words."""

ASKED = {("DEL-05", 1), ("DEL-05", 2)}
"""Bare answers come with the text of the turn before, which asks the topic's question."""

OUT_OF_REACH: dict[Place, str] = {
    # MCP: a session that outlives a revocation; lines that are no JSON-RPC; foreign hosts and origins.
    ("TIER-03", 2): "/mcp",
    ("TIER-03", 5): "/mcp",
    ("SURF-03", 0): "/mcp",
    ("SURF-06", 0): "/mcp",
    ("SURF-06", 1): "/mcp",
    ("SURF-06", 2): "/mcp",
    # The principal's page: links that are opened by a prefetch, forms of another origin, saving consent.
    ("SURF-10", 0): "/me",
    ("SURF-10", 1): "/me",
    ("SURF-10", 2): "/me",
    ("SURF-10", 4): "/me",
    ("SURF-10", 5): "/me",
    ("SURF-10", 7): "/me",
    ("SURF-10", 8): "/me",  # reads what the page has saved
    # His page and the operators' show nothing as markup.
    ("SURF-11", 2): "/me",
    ("SURF-11", 3): "/operator",
}
"""Steps of surfaces that are not served today, with their paths."""

OUT_OF_REACH_WITHIN = {("SURF-05", 0): ("MCP read tool", "MCP resource", "MCP prompt")}
"""Of a step that asks for every way to read, those ways that are not served today."""
