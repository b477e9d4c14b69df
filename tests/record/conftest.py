"""A ledger with a record, whose database can be put back to an earlier state, and whose processes may crash."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.settings import Settings

from .house import House


@pytest.fixture
def house(database: Any, settings_for: Callable[..., Settings]) -> Iterator[House]:
    with House(database, settings_for(database)) as made:
        yield made


@pytest.fixture
def recorded_in_a_database(
    database: Any, wheel_server: Any, settings_for: Callable[..., Settings]
) -> Iterator[House]:
    """Its record lies in another database (here of the same server, which the record does not know)."""
    other = type(database)(wheel_server.empty(), database.identity, database.passwords)
    settings = settings_for(database, taken_dir=None, taken_url=other.url)
    with House(database, settings) as made:
        yield made
    wheel_server.drop(other)


@pytest.fixture(params=["a file", "a database"])
def either(request: pytest.FixtureRequest) -> House:
    """The record in each of the two places where it may lie."""
    name = {"a file": "house", "a database": "recorded_in_a_database"}[request.param]
    made: House = request.getfixturevalue(name)
    return made


@pytest.fixture
def taken(house: House) -> Path:
    folder = house.settings.taken_dir
    assert folder is not None
    return folder
