from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from matrix import World, world

from ledger.settings import Settings


def _settings(folder: Path) -> Any:
    def make(database: Any, tenant: str) -> Settings:
        database.passwords.keep(folder)
        return Settings.load(database_url=database.url, data_dir=folder, tenant=tenant)

    return make


@pytest.fixture(scope="module")
def populated(any_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """Three people of two tenants on every server found; each test leaves them as they were."""
    with world(any_server, _settings(tmp_path_factory.mktemp("keys"))) as made:
        yield made
