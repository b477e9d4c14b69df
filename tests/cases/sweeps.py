"""The sweep of a great many rows: killed half-way beside a capture, then run to its end."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import psycopg
import pytest

from . import operations, reading
from .collection import Step
from .facts import Facts
from .workers import Worker
from .world import World

SWEPT = "select coalesce(sum(n), 0)::int from ledger.audit where action = 'expired'"
EXPIRED = "select count(*)::int from ledger.entry where as_of <= '2025-03-10' and topic <> 'hometown'"
ALL_EXPIRED = 200_002  # the bulk, and two of P1


@contextmanager
def longest_transaction(world: World) -> Iterator[list[float]]:
    """Watches the sweeper's transactions; the seconds of the longest."""
    seconds, over = [0.0], threading.Event()

    def watch() -> None:
        with psycopg.connect(world.database.conninfo, autocommit=True) as connection:
            while not over.wait(0.02):
                (found,) = connection.execute(
                    "select coalesce(max(extract(epoch from clock_timestamp() - xact_start))::float, 0)"
                    " from pg_stat_activity where usename = 'ledger_sweeper' and state = 'active'"
                    " and datname = current_database()"
                ).fetchone() or (0.0,)
                seconds[0] = max(seconds[0], found)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield seconds
    finally:
        over.set()
        watching.join()


def sweep_killed_beside_a_write(world: World, step: Step) -> Facts:
    """A worker sweeps and is killed half-way; meanwhile an application captures, again and again."""
    sweep, write = step["ops"]
    taken = []
    with (
        longest_transaction(world) as longest,
        Worker(world.deployment) as worker,
        ThreadPoolExecutor(1) as pool,
    ):
        asked = world.prepared("operator", "POST", "/v1/operator/sweep", {})
        sweeping = pool.submit(worker.client.request, **asked)
        while world.rows(SWEPT) == [(0,)]:
            assert not sweeping.done()
            time.sleep(0.005)
        while world.rows(SWEPT)[0][0] < sweep["kill_after_rows"]:
            started = time.perf_counter()
            response = operations.offered(world, write)
            taken.append(time.perf_counter() - started)
            assert response.json()["outcomes"][0]["accepted"]
        worker.kill()
        with pytest.raises(httpx.HTTPError):
            sweeping.result()
    assert taken
    ((gone, left),) = world.rows(f"select ({SWEPT}), ({EXPIRED})")
    assert gone and left
    assert gone + left == ALL_EXPIRED, "what was swept is counted, the rest is there"
    return {"outcome": "ok", "max_xact_seconds": longest[0], "write_seconds": max(taken)}


def sweep_to_the_end(world: World, step: Step) -> Facts:
    with longest_transaction(world) as longest:
        facts = operations.sweep(world, step)
    assert longest[0] <= 5
    assert world.rows(f"select ({SWEPT}), ({EXPIRED})") == [(ALL_EXPIRED, 0)]
    return facts


def sweep_beside_a_write(world: World, step: Step) -> Facts:
    """What has expired is swept while it is said again, time after time, at a later moment of the sweep each time."""
    both, read = step["ops"]
    _, write = both["ops"]
    started = time.perf_counter()
    world.sweep()
    lasts = time.perf_counter() - started
    reads = []
    for n in range(step["times"]):
        world.database.installer.execute("delete from ledger.entry")
        world.put(world.case.given["entries"])
        call = operations.prepared(world, write)
        response = world.beside_a_sweep(call, after=lasts * n / step["times"])
        assert response.json()["outcomes"][0]["accepted"]
        reads.append({"quotes": reading.read(world, read)["quotes"]})
    return {"outcome": "ok", "each_read": reads}
