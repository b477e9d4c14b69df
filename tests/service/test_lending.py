"""Connections are lent without a trip to the pool, and nobody waits for one that lies idle."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest

from ledger.db.connections import AsyncConnections, Connections
from ledger.db.lending import Shelf
from ledger.db.operation import Operation, Surface

_NAPPING = Operation(
    Surface.AGENT, "select pg_backend_pid() from pg_sleep(0.002)", (), lambda rows: int(rows[0][0])
)


@pytest.fixture
def few(database, settings_for):
    """A pool of one connection."""
    return settings_for(database, pool_min=1, pool_max=1)


def test_many_threads_share_one_connection_and_each_gets_its_turn(database, few):
    connections = Connections(database.logins, few)
    with ThreadPoolExecutor(16) as threads:
        seen = set(threads.map(lambda _: connections.execute(_NAPPING), range(400)))
    connections.close()
    assert len(seen) == 1


def test_so_do_many_tasks(database, few):
    async def play() -> set[int]:
        connections = AsyncConnections(database.logins, few)
        seen = set(await asyncio.gather(*(connections.execute(_NAPPING) for _ in range(200))))
        await connections.close()
        return seen

    assert len(asyncio.run(play())) == 1


def test_what_closes_is_closed_in_the_server_too(database, few):
    connections = Connections(database.logins, few)
    pid = connections.execute(_NAPPING)
    assert database.rows("select 1 from pg_stat_activity where pid = %s", pid) == [(1,)]
    connections.close()
    for _ in range(500):
        if not database.rows("select 1 from pg_stat_activity where pid = %s", pid):
            return
    pytest.fail("the connection is still open")


def test_a_connection_that_the_server_closed_is_not_lent_again(database, few):
    connections = Connections(database.logins, few)
    pid = connections.execute(_NAPPING)
    database.rows("select pg_terminate_backend(%s, 1000)", pid)
    assert connections.execute(_NAPPING) != pid
    connections.close()


def test_one_in_the_middle_of_a_transaction_and_one_that_is_waited_for_go_to_the_pool(database):
    shelf: Shelf[psycopg.Connection] = Shelf()
    connection = database.surface(Surface.AGENT)
    with connection.transaction():
        connection.execute("select 1")
        assert shelf.put(connection) is connection
    with shelf.waiting() as found:
        assert found is None and shelf.put(connection) is connection
    assert shelf.put(connection) is None and shelf.take() is connection


def test_after_some_uses_the_pool_has_a_look_at_it(database):
    shelf: Shelf[psycopg.Connection] = Shelf()
    connection = database.surface(Surface.AGENT)
    uses = 0
    while shelf.put(connection) is None:
        assert shelf.take() is connection
        uses += 1
    assert uses == 100
