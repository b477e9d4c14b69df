"""The word lists of the registry's rules, from the data files beside this module."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from typing import Any

import yaml

from ledger.core.registry.forms import Lists


def data(name: str) -> str:
    """The text of a file that ships with the ledger."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def near_lists() -> Lists:
    """The words that tell topic labels apart."""
    lists: dict[str, Any] = yaml.safe_load(data("near_miss.yaml"))

    def listed(name: str) -> frozenset[str]:
        return frozenset(lists[name].split())

    return Lists(
        negators=listed("negators"),
        negators_at_the_end=listed("negators_at_the_end"),
        numbers=listed("numbers"),
        prefixes=tuple(lists["prefixes"].split()),
        suffixes=tuple(lists["suffixes"].split()),
        opposites=_opposites(lists["opposites"]),
        fillers=listed("fillers"),
        joiners=listed("joiners"),
        directions=listed("directions"),
        irregular_plurals=dict(line.split() for line in lists["irregular_plurals"].splitlines()),
        no_plurals=listed("no_plurals"),
        real_words=frozenset(
            line for line in data("real_words.txt").splitlines() if not line.startswith("#")
        ),
        look_alikes={
            ord(other): letters[0]
            for line in data("look_alikes.txt").splitlines()
            if not line.startswith("#")
            for letters in [line.split()]
            for other in letters[1:]
        },
    )


@cache
def special_categories() -> Mapping[str, frozenset[str]]:
    """Special categories of personal data -> the words that touch them."""
    lists: dict[str, str] = yaml.safe_load(data("special_categories.yaml"))
    return {category: frozenset(words.split()) for category, words in lists.items()}


def _opposites(lines: list[str]) -> dict[str, frozenset[str]]:
    told: dict[str, set[str]] = {}
    for line in lines:
        sides = [side.split() for side in line.split("|")]
        for side in sides:
            for word in side:
                told.setdefault(word, set()).update(w for other in sides if other is not side for w in other)
    return {word: frozenset(others - {word}) for word, others in told.items()}
