from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest

from ledger.service.deployment import Deployment
from ledger.settings import Settings

from .world import Api


def _open(database: Any, settings: Settings) -> Iterator[Api]:
    database.day(date(2026, 9, 1))
    deployment = Deployment.open(settings)
    made = Api(deployment, database)
    made.list_topic("kids", question="Do you want kids?")
    made.list_topic("smoking", question="Do you smoke?")
    yield made
    made.close()
    deployment.close()


@pytest.fixture
def api(database: Any, settings_for: Callable[..., Settings]) -> Iterator[Api]:
    """The application on an empty ledger, on 1 September 2026; kids and smoking are listed and open."""
    yield from _open(database, settings_for(database))


@pytest.fixture(scope="module")
def untouched(wheel_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """The same, one for all tests of a module that change nothing."""
    database = wheel_server.clone()
    folder = tmp_path_factory.mktemp("untouched")
    database.passwords.keep(folder)
    yield from _open(database, Settings.load(database_url=database.url, data_dir=folder))
    wheel_server.drop(database)
