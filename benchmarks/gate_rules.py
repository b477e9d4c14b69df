"""What each rule of the gate buys and costs: `python -m benchmarks.gate --rules`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from ledger.core.gate import Gate
from ledger.core.gate.rules import RULES
from ledger.core.model import Verdict

Sets = Mapping[str, tuple[str, float, Callable[[Gate], Iterator[Any]]]]
"""Title, aim in percent, and what is tried, by the name of the set."""

BUYS = {
    "en": ("en-negation", "en-hedge"),
    "far": ("en-far",),
    "es": ("es-negation", "es-hedge"),
    "es far": ("es-far",),
    "asked": ("ask-",),
    "composed": ("paraphrases",),
}
COSTS = {
    "en safe": ("en-safe",),
    "es safe": ("es-safe",),
    "talk": ("switchboard", "irc", "locomo"),
    "services": ("sgd", "restaurants", "nlupp"),
}


def chosen(names: tuple[str, ...], sets: Sets) -> list[str]:
    """The sets of these names, in which "ask-" stands for all whose names begin so."""
    return [name for name in sets if name in names or ("ask-" in names and name.startswith("ask-"))]


class Leaving:
    """A gate without one rule, that judges anew only what this rule refuses."""

    def __init__(self, gate: Gate) -> None:
        self._gate, self._rule = gate, ""
        self._bare_of_it = gate
        self._known: dict[tuple[Any, ...], Verdict] = {}

    def out(self, rule: str) -> Leaving:
        self._rule, self._bare_of_it = rule, self._gate.without(rule)
        return self

    def judge(self, message: str, span: str, **more: Any) -> Verdict:
        key = (message, span, *more.items())
        if key not in self._known:
            self._known[key] = self._gate.judge(message, span, **more)
        verdict = self._known[key]
        return self._bare_of_it.judge(message, span, **more) if verdict.rule == self._rule else verdict


def by_rule(gate: Gate, sets: Sets) -> Iterator[str]:
    """For each rule how many wrong spans it alone refuses, and how many right ones: what it buys, and what it costs."""
    leaving = Leaving(gate)

    def right(rule: str, names: tuple[str, ...]) -> int:
        each = leaving.out(rule) if rule else leaving
        return sum(tried.right for name in chosen(names, sets) for tried in sets[name][2](cast(Gate, each)))

    columns = {**BUYS, **COSTS}
    full = {column: right("", names) for column, names in columns.items()}
    yield f"{'':<12}" + "".join(f"{column:>10}" for column in columns)
    yield f"{'right':<12}" + "".join(f"{full[column]:>10}" for column in columns)
    for rule in RULES:
        moved = {column: right(rule.name, names) - full[column] for column, names in columns.items()}
        yield f"{'- ' + rule.name:<12}" + "".join(f"{moved[column]:>+10}" for column in columns)
