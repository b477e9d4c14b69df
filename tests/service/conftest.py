"""One principal on a fixed day, and the hands that others lay on his entries."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

import pytest

from ledger.core.model import Candidate, Decision, Handling, Tier
from ledger.service import captures, operators, principals, sweeps
from ledger.service.ledger import Ledger

TODAY = date(2026, 9, 1)


@dataclass
class Scene:
    """A ledger on 1 September 2026, with listed topics, and everything done to it through use cases."""

    ledger: Ledger
    database: Any
    today: date = TODAY

    def day(self, day: date) -> None:
        self.today = day
        self.database.day(day)

    def later(self, days: int) -> None:
        self.day(self.today + timedelta(days=days))

    def run(self, use_case: Any) -> Any:
        return self.ledger.run(use_case)

    def who(self, name: str = "ann") -> Any:
        return self.ledger.context.identity.principal(name)

    def list_topic(
        self, label: str, question: str | None = None, handling: Handling = Handling.OPEN, **more: Any
    ) -> None:
        fields = {"handling": handling.value, "question": question, **more}
        self.create(label, **{name: value for name, value in fields.items() if value is not None})

    def create(self, label: str, **fields: Any) -> Any:
        return self.run(operators.create(self.ledger.context, label, fields))

    def propose(self, key: str) -> None:
        """As a sweep does that finds five principals who have it."""
        self.database.installer.execute("insert into ledger.proposal values (%s)", (key,))

    def change(self, label: str, fields: dict[str, Any]) -> Any:
        """Changes a topic as an operator does who looks first."""
        context = self.ledger.context
        seen = self.run(operators.topic(context, label))
        preview = self.run(operators.change(context, label, fields, dry_run=True))
        return self.run(operators.change(context, label, fields, operators.etag(seen), preview.token))

    def set_default(self, *days: int) -> Any:
        context = self.ledger.context
        seen = operators.default_etag(self.run(operators.default_window(context)))
        preview = self.run(operators.set_default_window(context, *days, dry_run=True))
        return self.run(operators.set_default_window(context, *days, seen, preview.token))

    def merge(self, label: str, into: str) -> Any:
        context = self.ledger.context
        seen = self.run(operators.topic(context, label))
        preview = self.run(operators.merge(context, label, into, dry_run=True))
        return self.run(operators.merge(context, label, into, operators.etag(seen), preview.token))

    def say(
        self,
        topic: str,
        message: str,
        *,
        name: str = "ann",
        on: date | None = None,
        span: str | None = None,
        **more: Any,
    ) -> Any:
        """He types a message; the whole of it, or a span, answers the topic."""
        candidates = [Candidate(topic, span or message)]
        (outcome,) = self.run(
            captures.capture(
                self.ledger.context, self.who(name), message, on or self.today, candidates, **more
            )
        )
        return outcome

    def decide(self, decision: Decision, name: str = "ann") -> None:
        self.run(principals.decide_consent(self.ledger.context, self.who(name), decision, "v1"))

    def recall(
        self, *topics: str, name: str = "ann", max_tier: Tier = Tier.FULL, limit: int = 12
    ) -> dict[str, Any]:
        person = self.ledger.principal(name, max_tier=max_tier)
        return {entry.topic: entry for entry in person.recall(topics or None, limit).entries}

    def quotes(self, *topics: str, name: str = "ann") -> dict[str, str]:
        return {
            topic: entry.answer
            for topic, entry in self.recall(*topics, name=name).items()
            if entry.freshness == "fresh"
        }

    def covered(self, *topics: str, name: str = "ann", max_tier: Tier = Tier.FULL) -> dict[str, str]:
        return {
            key: str(freshness)
            for key, freshness in self.ledger.principal(name, max_tier=max_tier).coverage(topics or None)
        }

    def own(self, name: str = "ann") -> dict[str, Any]:
        return {
            entry.topic: entry for entry in self.run(principals.entries(self.ledger.context, self.who(name)))
        }

    def act(self, use_case: Callable[..., Any], topic: str, *rest: Any, name: str = "ann") -> Any:
        """He does something to his entry on a topic, through its id."""
        return self.run(use_case(self.ledger.context, self.who(name), self.own(name)[topic].id, *rest))

    def sweep(self) -> dict[str, int]:
        return self.run(sweeps.sweep())

    def stored(self, name: str = "ann") -> dict[str, str]:
        """What lies in the table, with no filter at all."""
        return dict(
            self.database.rows("select topic, answer from ledger.entry where principal = %s", self.who(name))
        )

    def audit(self, name: str = "ann") -> dict[str, int]:
        return dict(
            self.database.rows(
                "select action, sum(n)::int from ledger.audit where principal = %s group by 1", self.who(name)
            )
        )


@pytest.fixture
def scene(ledger: Ledger, database: Any) -> Scene:
    made = Scene(ledger, database)
    made.day(TODAY)
    for label, question in {
        "kids": "Do you want kids?",
        "smoking": "Do you smoke?",
        "pets": "Do you have pets?",
        "diet": None,
    }.items():
        made.list_topic(label, question)
    return made
