from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date
from typing import Any

import pytest

from ledger.service.deployment import Deployment

from .world import Api


@pytest.fixture
def api(database: Any, settings_for: Callable[..., Any]) -> Iterator[Api]:
    """The application on an empty ledger, on 1 September 2026; kids and smoking are listed and open."""
    database.day(date(2026, 9, 1))
    deployment = Deployment.open(settings_for(database))
    made = Api(deployment, database)
    made.list_topic("kids", question="Do you want kids?")
    made.list_topic("smoking", question="Do you smoke?")
    yield made
    made.close()
    deployment.close()
