"""Stages for the proof, on a server that nothing else runs on: the release as it is, or broken on purpose."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger.proof.stage import Stage

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def stage() -> Iterator[Stage]:
    """The release. A server of its own, since what runs in one database is seen in how far another's sweep goes."""
    with Stage.alone() as made:
        yield made


@pytest.fixture
def broken(stage: Stage, tmp_path: Path) -> Iterator[Callable[..., Stage]]:
    """Makes a stage whose database was changed by some SQL, and whose application is built by `build`."""
    made = []

    def make(*statements: str, **more: Any) -> Stage:
        name = f"broken_{next(_numbers)}"
        with psycopg.connect(stage.admin("postgres"), autocommit=True) as admin:
            admin.execute(f"create database {name} template {stage.template}")
        made.append(name)
        with psycopg.connect(stage.admin(name), autocommit=True) as installer:
            # the guard-rail against haste goes first, as an owner may take it away
            installer.execute("alter event trigger ledger_columns_closed disable")
            for statement in statements:
                installer.execute(statement)
        return Stage(stage.conninfo, name, tmp_path, stage.passwords, **more)

    yield make
    with psycopg.connect(stage.admin("postgres"), autocommit=True) as admin:
        for name in made:
            admin.execute(f"drop database {name} with (force)")
