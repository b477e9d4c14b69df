"""The language data that comes with the ledger, one TOML file a language. All lists were written by this project.

docs/guides/add-a-language.md tells how to add one.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from ledger.core.language import Languages
from ledger.languages.file import parse

__all__ = ["load", "parse"]


@cache
def load() -> Languages:
    """All languages there is data for, in order of their codes. Raises SetupError where a file is not as it should be."""
    found = [
        parse(entry.read_text("utf-8"), entry.name)
        for entry in files(__name__).iterdir()
        if entry.name.endswith(".toml")
    ]
    return Languages(tuple(sorted(found, key=lambda language: language.code)))
