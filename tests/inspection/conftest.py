from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ledger.db import inspection

Mended = Callable[[str], str]


@pytest.fixture
def mended(database: Any) -> Mended:
    """Finds one thing to leak, by how it begins, runs the lines that stand below it as they are, finds nothing to leak any more, and
    gives what was seen."""

    def look(about: str) -> str:
        leaks = [one for one in inspection.findings(database.conninfo) if not one.well]
        assert [one.about for one in leaks if not one.about.startswith(about)] == []
        (one,) = leaks
        assert one.todo and one.commands
        for command in one.commands:
            for statement in (
                command.split("; ")
                if command.startswith(("alter system", "alter subscription"))
                else [command]
            ):
                database.installer.execute(statement)
        assert [one.about for one in inspection.findings(database.conninfo) if not one.well] == []
        return one.seen

    return look
