from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger.service.deployment import Deployment
from ledger.settings import Settings

from .collection import Case
from .scripts import PREPARED
from .world import World, tell_more


@pytest.fixture
def server(wheel_server: Any, tmp_path: Path, case: Case) -> Iterator[Any]:
    """The server of all tests, or one of its own for a case that kills it."""
    if all(step["op"] != "kill_at" for step in case.steps):
        yield wheel_server
        return
    own = type(wheel_server)(tmp_path / "own")
    with psycopg.connect(own.embedded.admin_conninfo(), autocommit=True) as admin:
        admin.execute("alter system reset all")  # what is acknowledged is on disk again
        admin.execute("select pg_reload_conf()")
    yield own
    own.embedded.close()


def _opened(
    case: Case,
    server: Any,
    settings_for: Callable[..., Settings],
    caplog: pytest.LogCaptureFixture,
    environment: pytest.MonkeyPatch,
) -> Iterator[World]:
    database = server.clone()
    tell_more(database)
    pool = case.given.get("pool_size")
    settings = settings_for(database, **({"pool_min": pool, "pool_max": pool} if pool else {}))
    deployment = Deployment.open(settings)
    with caplog.at_level(logging.DEBUG):
        world = World(case, database, deployment, caplog, environment)
        world.set_up()
        for prepare in PREPARED.get(case.id, ()):
            prepare(world)
        yield world
        world.end()
    server.drop(database)


@pytest.fixture
def world(
    case: Case,
    server: Any,
    settings_for: Callable[..., Settings],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[World]:
    """The state before a case, opened."""
    yield from _opened(case, server, settings_for, caplog, monkeypatch)
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def world_of_nothing(
    wheel_server: Any,
    settings_for: Callable[..., Settings],
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[World]:
    case = Case("nothing", {"now": "2026-09-01T12:00:00Z"}, (), (), (), (), ())
    yield from _opened(case, wheel_server, settings_for, caplog, monkeypatch)
