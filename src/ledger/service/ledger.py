"""The ledger in one process: open it, name a principal, plan, capture, recall.

    with Ledger.open() as ledger:
        person = ledger.principal("an outside id")
        person.capture("I want two kids", date.today(), [Candidate("kids", "I want two kids")])
        plan = person.plan(["kids", "smoking"])
        print(plan.prompt)

`Ledger` is for threads, `AsyncLedger` for asyncio; both run the same use cases.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar

from ledger.core.model import Tier
from ledger.db.agent import Reader
from ledger.db.connections import AsyncConnections, Connections
from ledger.db.operation import UseCase
from ledger.errors import Unavailable
from ledger.service.deployment import Deployment
from ledger.service.person import Person
from ledger.settings import Settings

T = TypeVar("T")


class Ledger:
    """An open ledger, for any number of threads, and for forked children (decision 0011). A context manager."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self.context = deployment.context
        self._connections = Connections(
            deployment.logins, deployment.settings, self.context.listed.forget, deployment.compare
        )

    @classmethod
    def open(cls, settings: Settings | None = None, *, make: bool = True, **given: Any) -> Self:
        """Opens the deployment of the settings (LEDGER_*, `.env`), or of those given by name.

        Where there is no ledger one is made; with `make` false nothing is, and it raises NoLedger. Raises SetupError with
        the next step in it, and Unavailable where the database can't be reached.
        """
        return cls(Deployment.open(settings or Settings.load(**given), make=make))

    def run(self, use_case: UseCase[T]) -> T:
        """Runs a use case of `ledger.service`. Raises what it says, and Unavailable."""
        self.deployment.join()
        try:
            return self._connections.run(use_case)
        except Unavailable:
            self.deployment.revive()
            raise

    def principal(
        self, outside_id: str, *, max_tier: Tier = Tier.FULL, topics: Sequence[str] | None = None
    ) -> Person:
        """One principal, by their outside id; what agents may read of them, narrowed as a token would."""
        principal = self.context.identity.principal(outside_id)
        return Person(self, Reader(principal, max_tier, None if topics is None else frozenset(topics)))

    def close(self) -> None:
        """Closes what this process opened; a forked child leaves its parent's alone."""
        self._connections.close()
        self.deployment.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class AsyncLedger:
    """The same for asyncio, on any event loop. Opening is slow and blocks: do it before the loop serves.

    `on_wait` gets the seconds of each wait for a connection.
    """

    def __init__(self, deployment: Deployment, on_wait: Callable[[float], None] = lambda _: None) -> None:
        self.deployment = deployment
        self.context = deployment.context
        self._connections = AsyncConnections(
            deployment.logins, deployment.settings, self.context.listed.forget, deployment.compare, on_wait
        )
        self._reviving: asyncio.Task[None] | None = None

    async def run(self, use_case: UseCase[T]) -> T:
        """Runs a use case of `ledger.service`. Raises what it says, and Unavailable."""
        if self.deployment.inherited:
            await asyncio.to_thread(self.deployment.join)
        try:
            return await self._connections.run(use_case)
        except Unavailable:
            # kept, so that it is not collected before it is done
            self._reviving = asyncio.create_task(asyncio.to_thread(self.deployment.revive))
            raise

    async def close(self) -> None:
        """Closes the connections of this event loop, and leaves the deployment to its owner."""
        await self._connections.close()
