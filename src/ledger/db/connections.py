"""Two small executors: the same operations from threads and from asyncio.

A pool a surface, opened when it is first needed, with its idle connections in `lending`. A forked child opens its
own and leaves its parent's alone (decision 0011); so does a second event loop. Connections commit by themselves: an
operation is one statement, hence one transaction. An operation that meets a connection which the server has closed
is tried on another; one that must be sent once is not sent on a connection on whose line the server has said
something (that it closed it), and what fails after that is reported. The first write of a day is refused, makes
the cut between the days, and is repeated. After an operation of operators, whatever came of it, `on_operator` is
called: what this process remembers of the registry may be out of date.

A connection that was opened anew may lead to a database that went back meanwhile. So before it serves an agent or a
capture `compare` is run: the use case that compares the database with the record.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from select import POLLIN, poll
from typing import Any, Protocol, TypeVar

import psycopg
from psycopg_pool import AsyncConnectionPool, ConnectionPool, PoolTimeout

from ledger.db.failures import translate
from ledger.db.lending import Shelf
from ledger.db.operation import Operation, Pause, Surface, UseCase, Work
from ledger.processes import PerProcess, this_process

T = TypeVar("T")

_WAIT_S = 3.0  # for a free or a new connection, before the caller is told to come back
_NO_CUT = "LG009"  # nothing was written: the day is to be cut from the last one first (schema/04)
_CUT = "select ledger.cut()"
_SCREENED = (psycopg.Error, PoolTimeout, UnicodeError)

_COMPARED = frozenset({Surface.AGENT, Surface.CAPTURE})  # what the record is compared for

Compare = Callable[[], UseCase[Any]]


class Options(Protocol):
    """What of the settings concerns connections."""

    @property
    def pool_min(self) -> int: ...
    @property
    def pool_max(self) -> int: ...
    @property
    def prepared_statements(self) -> bool: ...


def _pool_options(options: Options) -> dict[str, Any]:
    return {
        "min_size": options.pool_min,
        "max_size": options.pool_max,
        "timeout": _WAIT_S,
        "reconnect_timeout": _WAIT_S,  # then the next caller starts it anew, instead of an ever longer wait
        "open": False,
        "kwargs": {
            "autocommit": True,
            "connect_timeout": 3,
            "prepare_threshold": 1 if options.prepared_statements else None,
        },
    }


class _Pool(ConnectionPool[psycopg.Connection[Any]]):
    """A pool that is ended by its own process alone, as its connections are.

    In a forked child its threads are not there to be stopped, and their locks may be held for ever.
    """

    def __init__(self, conninfo: str, **options: Any) -> None:
        self._process = this_process()
        super().__init__(conninfo, **options)

    def __del__(self, this: Callable[[], tuple[int, int]] = this_process) -> None:
        if this() == self._process:
            super().__del__()


# A pool and its shelf.
_Stock = tuple[_Pool, Shelf[psycopg.Connection[Any]]]
_AsyncStock = tuple[AsyncConnectionPool[Any], Shelf[psycopg.AsyncConnection[Any]]]


class Connections:
    """Runs use cases from threads. `logins` gives the connection string of each surface."""

    def __init__(
        self,
        logins: Mapping[Surface, str],
        options: Options,
        on_operator: Callable[[], None] = lambda: None,
        compare: Compare | None = None,
    ) -> None:
        self._logins = logins
        self._on_operator = on_operator
        self._compare = compare
        self._opened = self._compared = 0  # connections of the surfaces that the record is compared for
        self._pool_options = _pool_options(options)
        self._stocks = PerProcess[dict[Surface, _Stock]](dict)
        self._attempts = _attempts(options)

    def run(self, use_case: UseCase[T]) -> T:
        """Drives a use case to its end. Raises what it raises, and Unavailable where the database is away."""
        try:
            operation = next(use_case)
            while True:
                try:
                    found = self._do(operation)
                except Exception as error:
                    operation = use_case.throw(error)
                else:
                    operation = use_case.send(found)
        except StopIteration as end:
            result: T = end.value
            return result

    def _do(self, step: Operation[Any] | Work[Any] | Pause) -> Any:
        if isinstance(step, Operation):
            return self.execute(step)
        if isinstance(step, Work):
            return step.do()
        return time.sleep(step.seconds)

    def execute(self, operation: Operation[T]) -> T:
        """Runs one operation. Raises an error of the ledger's tree, never the driver's."""
        pool, shelf = self._stock(operation.surface)
        with _screened():
            for last in self._attempts:
                connection = shelf.take()
                if connection is None:
                    with shelf.waiting() as connection:
                        connection = connection or pool.getconn()
                sent = False
                try:
                    while operation.surface in _COMPARED and self._compare and self._opened != self._compared:
                        opened = self._opened
                        self.run(self._compare())
                        self._compared = opened
                    if operation.once and _spoken_to(connection):
                        pool.check_connection(connection)
                    sent = operation.once
                    try:
                        cursor = connection.execute(operation.sql, operation.parameters)
                    except psycopg.DatabaseError as error:
                        if error.sqlstate != _NO_CUT:
                            raise
                        connection.execute(_CUT)
                        cursor = connection.execute(operation.sql, operation.parameters)
                    return operation.read(cursor.fetchall() if cursor.description else [])
                except psycopg.OperationalError:
                    if sent or last or not connection.closed:
                        raise
                finally:
                    if operation.surface is Surface.OPERATOR:
                        self._on_operator()
                    if (returned := shelf.put(connection)) is not None:
                        pool.putconn(returned)
        raise AssertionError("the last attempt returns or raises")

    def _stock(self, surface: Surface) -> _Stock:
        stocks = self._stocks.get()
        stock = stocks.get(surface)
        if stock is None:
            options = self._pool_options | ({"configure": self._count} if surface in _COMPARED else {})
            made = _Pool(self._logins[surface], **options), Shelf[psycopg.Connection[Any]]()
            stock = stocks.setdefault(surface, made)  # of two threads the second gets the first one's
        if stock[0].closed:
            stock[0].open()
        return stock

    def _count(self, _connection: psycopg.Connection[Any]) -> None:
        self._opened += 1

    def close(self) -> None:
        """Closes what this process opened."""
        for pool, shelf in self._stocks.get().values():
            for connection in shelf.clear():
                pool.putconn(connection)
            pool.close()


class AsyncConnections:
    """The same from asyncio. Each event loop has pools of its own; `on_wait` gets the seconds of each wait for one."""

    def __init__(
        self,
        logins: Mapping[Surface, str],
        options: Options,
        on_operator: Callable[[], None] = lambda: None,
        compare: Compare | None = None,
        on_wait: Callable[[float], None] = lambda _: None,
    ) -> None:
        self._on_wait = on_wait
        self._logins = logins
        self._on_operator = on_operator
        self._compare = compare
        self._opened = self._compared = 0
        self._pool_options = _pool_options(options)
        self._stocks = PerProcess[dict[asyncio.AbstractEventLoop, dict[Surface, _AsyncStock]]](dict)
        self._attempts = _attempts(options)

    async def run(self, use_case: UseCase[T]) -> T:
        """Drives a use case to its end. Raises what it raises, and Unavailable where the database is away."""
        try:
            operation = next(use_case)
            while True:
                try:
                    found = await self._do(operation)
                except Exception as error:
                    operation = use_case.throw(error)
                else:
                    operation = use_case.send(found)
        except StopIteration as end:
            result: T = end.value
            return result

    async def _do(self, step: Operation[Any] | Work[Any] | Pause) -> Any:
        if isinstance(step, Operation):
            return await self.execute(step)
        if isinstance(step, Work):
            return await asyncio.to_thread(step.do)
        return await asyncio.sleep(step.seconds)

    async def execute(self, operation: Operation[T]) -> T:
        """Runs one operation. Raises an error of the ledger's tree, never the driver's."""
        pool, shelf = await self._stock(operation.surface)
        with _screened():
            for last in self._attempts:
                connection = shelf.take()
                if connection is None:
                    with shelf.waiting() as connection:
                        connection = connection or await pool.getconn()
                sent = False
                try:
                    while operation.surface in _COMPARED and self._compare and self._opened != self._compared:
                        opened = self._opened
                        await self.run(self._compare())
                        self._compared = opened
                    if operation.once and _spoken_to(connection):
                        await pool.check_connection(connection)
                    sent = operation.once
                    try:
                        cursor = await connection.execute(operation.sql, operation.parameters)
                    except psycopg.DatabaseError as error:
                        if error.sqlstate != _NO_CUT:
                            raise
                        await connection.execute(_CUT)
                        cursor = await connection.execute(operation.sql, operation.parameters)
                    return operation.read(await cursor.fetchall() if cursor.description else [])
                except psycopg.OperationalError:
                    if sent or last or not connection.closed:
                        raise
                finally:
                    if operation.surface is Surface.OPERATOR:
                        self._on_operator()
                    if (returned := shelf.put(connection)) is not None:
                        await pool.putconn(returned)
        raise AssertionError("the last attempt returns or raises")

    async def _stock(self, surface: Surface) -> _AsyncStock:
        loops = self._stocks.get()
        loop = asyncio.get_running_loop()
        stocks = loops.get(loop)
        if stocks is None:
            # what loops that have ended left open is closed with the last reference to it
            for ended in [other for other in list(loops) if other.is_closed()]:
                loops.pop(ended, None)
            stocks = loops[loop] = {}
        stock = stocks.get(surface)
        if stock is None:
            # no await before the stock is in its place: of two callers the second finds it
            options = self._pool_options | ({"configure": self._count} if surface in _COMPARED else {})
            made = AsyncConnectionPool[Any](self._logins[surface], **options)
            stock = stocks[surface] = (made, Shelf[psycopg.AsyncConnection[Any]](self._on_wait))
            await made.open()
        return stock

    async def _count(self, _connection: psycopg.AsyncConnection[Any]) -> None:
        self._opened += 1

    async def close(self) -> None:
        """Closes what this event loop opened."""
        for pool, shelf in self._stocks.get().get(asyncio.get_running_loop(), {}).values():
            for connection in shelf.clear():
                await pool.putconn(connection)
            await pool.close()


def _attempts(options: Options) -> tuple[bool, ...]:
    """One for each connection that a restart of the server may have closed, and a last one."""
    return (False,) * options.pool_max + (True,)


def _spoken_to(connection: psycopg.Connection[Any] | psycopg.AsyncConnection[Any]) -> bool:
    """Whether something waits to be read on an idle connection's line; a closed line can be read too."""
    line = poll()
    line.register(connection.fileno(), POLLIN)
    return bool(line.poll(0))


@contextmanager
def _screened() -> Iterator[None]:
    try:
        yield
    except _SCREENED as error:
        raise translate(error) from None
