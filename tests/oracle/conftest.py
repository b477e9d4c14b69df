from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from api.world import Api
from twins import START, list_topics

from ledger.service.deployment import Deployment
from ledger.settings import Settings

PEPPER = "dGVzdHMgdGVzdHMgdGVzdHMgdGVzdHMgdGVzdHMgISE="


def _open(server: Any, folder: Path) -> tuple[Any, Deployment, Api]:
    database = server.clone()
    database.day(START)
    database.passwords.keep(folder)
    settings = Settings.load(database_url=database.url, data_dir=folder, pepper=PEPPER, sweep_every_hours=0)
    deployment = Deployment.open(settings)
    list_topics(database)
    return database, deployment, Api(deployment, database)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The keys, of one deployment: a token that one application issued is good at the other."""
    return tmp_path_factory.mktemp("keys")


@pytest.fixture(scope="module")
def twins(wheel_server: Any, folder: Path) -> Iterator[tuple[Api, Api]]:
    """Two applications with the same keys and the same listed registry, each on a database of its own."""
    made = [_open(wheel_server, folder) for _ in range(2)]
    yield made[0][2], made[1][2]
    for database, deployment, api in made:
        api.close()
        deployment.close()
        wheel_server.drop(database)


@pytest.fixture
def another_pair(wheel_server: Any, folder: Path) -> Iterator[tuple[Api, Api]]:
    """Twins of one test alone, which may break what is in their databases."""
    made = [_open(wheel_server, folder) for _ in range(2)]
    yield made[0][2], made[1][2]
    for database, deployment, api in made:
        api.close()
        deployment.close()
        wheel_server.drop(database)


@pytest.fixture
def lone(wheel_server: Any, folder: Path) -> Iterator[Api]:
    """One application on a database of its own."""
    database, deployment, api = _open(wheel_server, folder)
    yield api
    api.close()
    deployment.close()
    wheel_server.drop(database)
