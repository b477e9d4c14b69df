"""Keys that agents coin cost nobody else anything: no call reads the whole registry for one topic."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from time import perf_counter
from typing import Any

import pytest

from ledger.service.deployment import Deployment
from ledger.settings import Settings

from .world import Api

FEW, MANY = 100, 200_000  # unlisted keys
ROUNDS = 40
# The ninth quickest of them: other work makes a call slow, and nothing makes it quicker than it is.
QUICK = 8
AT_MOST = 2  # times as long


def _registry(server: Any, folder: Any, unlisted: int) -> tuple[Any, Deployment, Api]:
    database = server.clone()
    database.installer.execute(
        "insert into ledger.topic (key) select 'coined_' || md5(n::text) from generate_series(1, %s) n order by 1",
        (unlisted,),
    )
    database.passwords.keep(folder)
    deployment = Deployment.open(Settings.load(database_url=database.url, data_dir=folder))
    api = Api(deployment, database)
    for n in range(20):
        api.list_topic(f"listed_{n}", question=f"What about {n}?")
    return database, deployment, api


@pytest.fixture(scope="module")
def registries(wheel_server: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Api, Api]]:
    """One with few unlisted keys, and one with many."""
    made = [_registry(wheel_server, tmp_path_factory.mktemp("keys"), size) for size in (FEW, MANY)]
    yield made[0][2], made[1][2]
    for database, deployment, api in made:
        api.close()
        deployment.close()
        wheel_server.drop(database)


def _a_change(api: Api, n: int) -> None:
    _well(api.call("PATCH", "/v1/operator/topics/listed_3", {"authority": f"office {n}"}, as_="operator"))


def _a_creation(api: Api, n: int) -> None:
    _well(api.call("POST", "/v1/operator/topics", {"label": f"created {n}"}, as_="operator"))


def _an_alias(api: Api, n: int) -> None:
    _well(api.call("PUT", f"/v1/operator/topics/listed_3/aliases/also_{n}", as_="operator"))


def _a_page(api: Api, n: int) -> None:
    _well(api.call("GET", "/v1/operator/topics?limit=5", as_="operator"))


def _a_search(api: Api, n: int) -> None:
    _well(api.call("GET", "/v1/operator/topics?q=about", as_="operator"))


def _a_page_of_agents(api: Api, n: int) -> None:
    _well(api.call("GET", "/v1/topics?limit=5", as_="agent"))


def _a_coining(api: Api, n: int) -> None:
    _well(api.call("POST", "/v1/topics", {"label": f"zebra {n}", "new": True}, as_="agent"))


def _well(response: Any) -> None:
    assert response.status_code < 300, response.text


@pytest.mark.parametrize(
    "call",
    [_a_change, _a_creation, _an_alias, _a_page, _a_search, _a_page_of_agents, _a_coining],
    ids=lambda call: call.__name__.strip("_").replace("_", " "),
)
def test_with_many_unlisted_keys_a_call_takes_at_most_twice_its_time(
    registries: tuple[Api, Api], call: Callable[[Api, int], None]
) -> None:
    """Turn by turn, so that whatever else the machine does slows both down alike."""
    taken: tuple[list[float], list[float]] = ([], [])
    for n in range(ROUNDS):
        for api, times in zip(registries, taken, strict=True):
            start = perf_counter()
            call(api, n)
            times.append(perf_counter() - start)
    few, many = (sorted(times)[QUICK] for times in taken)
    assert many <= AT_MOST * few, f"{many / few:.1f} times as long"
