"""Stages for the proof on the tests' server: the release as it is, or broken on purpose."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger.proof.stage import Stage


@pytest.fixture(scope="session")
def stage(wheel_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Stage:
    """The release on the tests' server."""
    return Stage(wheel_server.embedded.admin_conninfo(), "template_ledger", tmp_path_factory.mktemp("proof"))


@pytest.fixture
def broken(wheel_server: Any, tmp_path: Path) -> Iterator[Callable[..., Stage]]:
    """Makes a stage whose database was changed by some SQL, and whose application is built by `build`."""
    made = []

    def make(*statements: str, **more: Any) -> Stage:
        changed = wheel_server.clone()
        made.append(changed)
        # the guard-rail against haste goes first, as an owner may take it away
        changed.installer.execute("alter event trigger ledger_columns_closed disable")
        for statement in statements:
            changed.installer.execute(statement)
        changed.close()
        name = psycopg.conninfo.conninfo_to_dict(changed.conninfo)["dbname"]
        return Stage(wheel_server.embedded.admin_conninfo(), str(name), tmp_path, **more)

    yield make
    for database in made:
        wheel_server.drop(database)
