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
from collections.abc import Sequence
from datetime import date
from types import TracebackType
from typing import Any, Self, TypeVar
from uuid import UUID

from ledger.core.model import Candidate, Consent, Decision, Freshness, Outcome, Tier, Verdict
from ledger.db.agent import Reader
from ledger.db.connections import AsyncConnections, Connections
from ledger.db.operation import UseCase
from ledger.errors import Unavailable
from ledger.service import agents, captures, principals
from ledger.service.deployment import Deployment
from ledger.settings import Settings

T = TypeVar("T")


class Ledger:
    """An open ledger, for any number of threads. A context manager."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self.context = deployment.context
        self._connections = Connections(deployment.logins, deployment.settings)

    @classmethod
    def open(cls, settings: Settings | None = None, **given: Any) -> Self:
        """Opens the deployment of the settings (LEDGER_*, `.env`), or of those given by name.

        Raises SetupError with the next step in it, and Unavailable where the database can't be reached.
        """
        return cls(Deployment.open(settings or Settings.load(**given)))

    def run(self, use_case: UseCase[T]) -> T:
        """Runs a use case of `ledger.service`. Raises what it says, and Unavailable."""
        try:
            return self._connections.run(use_case)
        except Unavailable:
            self.deployment.revive()
            raise

    def principal(
        self, outside_id: str, *, max_tier: Tier = Tier.FULL, topics: Sequence[str] | None = None
    ) -> Person:
        """One principal, by his outside id; what agents may read of him, narrowed as a token would."""
        principal = self.context.identity.principal(outside_id)
        return Person(self, Reader(principal, max_tier, None if topics is None else frozenset(topics)))

    def close(self) -> None:
        self._connections.close()
        self.deployment.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Person:
    """A principal of an open ledger."""

    __slots__ = ("_ledger", "reader")

    def __init__(self, ledger: Ledger, reader: Reader) -> None:
        self._ledger = ledger
        self.reader = reader

    @property
    def id(self) -> UUID:
        return self.reader.principal

    def plan(self, labels: Sequence[str]) -> agents.Plan:
        """Before a turn: what to do about each label, and the prompt block."""
        return self._ledger.run(agents.plan(self._ledger.context, self.reader, labels))

    def coverage(self, topics: Sequence[str] | None = None) -> list[tuple[str, Freshness]]:
        """Which topics are covered, as far as an agent may know."""
        return self._ledger.run(agents.coverage(self._ledger.context, self.reader, topics))

    def recall(self, topics: Sequence[str] | None = None, limit: int = 12) -> agents.Recall:
        """What he said, as far as an agent may know: at most twelve entries."""
        return self._ledger.run(agents.recall(self._ledger.context, self.reader, topics, limit))

    def capture(
        self,
        message: str,
        said_on: date,
        candidates: Sequence[Candidate],
        *,
        avoid: Sequence[str] = (),
        asked: str | None = None,
        lang: str | None = None,
    ) -> list[Outcome]:
        """After a turn: this is what he typed, and these spans answer those topics."""
        return self._ledger.run(
            captures.capture(self._ledger.context, self.id, message, said_on, candidates, avoid, asked, lang)
        )

    def consent(self) -> Consent:
        """His decision that stands, and the tier that agents have by it."""
        return self._ledger.run(principals.consent(self._ledger.context, self.id))

    def decide(self, decision: Decision, *, notice: str) -> Consent:
        """His decision about agents: granted, or revoked. `notice` names the version of the text that he was shown.

        Holds for every read that starts after this returns. Raises InvalidRequest for a notice that is none.
        """
        return self._ledger.run(principals.decide_consent(self._ledger.context, self.id, decision, notice))

    def reconfirm(
        self,
        topic: str,
        message: str,
        span: str,
        said_on: date,
        still_true: bool,
        *,
        avoid: Sequence[str] = (),
    ) -> Verdict:
        """His answer to "is that still so?"."""
        return self._ledger.run(
            captures.reconfirm(
                self._ledger.context, self.id, topic, message, span, said_on, still_true, avoid
            )
        )


class AsyncLedger:
    """The same for asyncio. Opening is slow and blocks: do it before the loop serves."""

    def __init__(self, deployment: Deployment) -> None:
        self.deployment = deployment
        self.context = deployment.context
        self._connections = AsyncConnections(deployment.logins, deployment.settings)
        self._reviving: asyncio.Task[None] | None = None

    async def run(self, use_case: UseCase[T]) -> T:
        """Runs a use case of `ledger.service`. Raises what it says, and Unavailable."""
        try:
            return await self._connections.run(use_case)
        except Unavailable:
            if self._reviving is None or self._reviving.done():
                self._reviving = asyncio.create_task(asyncio.to_thread(self.deployment.revive))
            raise

    async def close(self) -> None:
        """Closes the connections, and leaves the deployment to its owner."""
        await self._connections.close()
