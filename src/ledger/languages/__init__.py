"""The language data that comes with the ledger, one TOML file a language. All lists were written by this project.

docs/guides/add-a-language.md tells how to add one.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

from ledger.core.language import Language, Languages, read


@cache
def load() -> Languages:
    """All languages there is data for, in order of their codes. Raises SetupError where a file is not as it should be."""
    found: list[Language] = []
    for entry in files(__name__).iterdir():
        if entry.name.endswith(".toml"):
            found.append(read(tomllib.loads(entry.read_text("utf-8")), entry.name))
    return Languages(tuple(sorted(found, key=lambda language: language.code)))
