"""A principal of an open ledger: what agents and the application do for them, and what they do themselves.

Each call runs one use case; what it guarantees and raises stands there. `Unavailable` may come from any of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import Protocol, TypeVar
from uuid import UUID

from ledger.core.model import Candidate, Consent, Decision, Freshness, Outcome, OwnEntry, Verdict, Withheld
from ledger.db.agent import Reader
from ledger.db.operation import UseCase
from ledger.db.principal import Erased
from ledger.service import agents, captures, principals
from ledger.service.context import Context

T = TypeVar("T")


class Runner(Protocol):
    """What a person needs of the ledger whose principal they are."""

    context: Context

    def run(self, use_case: UseCase[T]) -> T: ...


class Person:
    """Made by `Ledger.principal`. Holds no data of theirs: each call asks the database."""

    __slots__ = ("_ledger", "reader")

    def __init__(self, ledger: Runner, reader: Reader) -> None:
        self._ledger = ledger
        self.reader = reader

    @property
    def id(self) -> UUID:
        """Their keyed hash: what the database knows them by."""
        return self.reader.principal

    # ── For agents: before a turn ────────────────────────────────────────────────────────────────

    def plan(self, labels: Sequence[str]) -> agents.Plan:
        """What to do about each label, in their order, and the prompt block. Raises BadLabel."""
        return self._ledger.run(agents.plan(self._ledger.context, self.reader, labels))

    def coverage(self, topics: Sequence[str] | None = None) -> list[tuple[str, Freshness]]:
        """Which topics are covered, as far as an agent may know; of all listed ones if none are named. Raises BadLabel."""
        return self._ledger.run(agents.coverage(self._ledger.context, self.reader, topics))

    def recall(self, topics: Sequence[str] | None = None, limit: int = 12) -> agents.Recall:
        """What they said, as far as an agent may know: at most twelve entries. Raises BadLabel."""
        return self._ledger.run(agents.recall(self._ledger.context, self.reader, topics, limit))

    # ── For the application that carries the chats: after a turn ─────────────────────────────────

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
        """This is what they typed, and these spans answer those topics. An outcome a candidate, in their order.

        Raises InvalidRequest for a day that has yet to come.
        """
        return self._ledger.run(
            captures.capture(self._ledger.context, self.id, message, said_on, candidates, avoid, asked, lang)
        )

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
        """Their answer to "is that still so?". Raises BadLabel, and InvalidRequest for a day that has yet to come."""
        return self._ledger.run(
            captures.reconfirm(
                self._ledger.context, self.id, topic, message, span, said_on, still_true, avoid
            )
        )

    # ── What they do themselves ──────────────────────────────────────────────────────────────────

    def entries(self) -> list[OwnEntry]:
        """What is kept, and what waits for their yes, by topic. The `id` of each names it in the calls below."""
        return self._ledger.run(principals.entries(self._ledger.context, self.id))

    def correct(self, entry_id: str, answer: str) -> None:
        """An answer in their own words. Raises InvalidRequest, NotFound, LegalHold."""
        self._ledger.run(principals.correct(self._ledger.context, self.id, entry_id, answer))

    def delete(self, entry_id: str) -> None:
        """Deletes an answer; one that was said before today, and is captured late, does not bring it back.

        Raises NotFound, LegalHold.
        """
        self._ledger.run(principals.delete(self._ledger.context, self.id, entry_id))

    def keep(self, entry_id: str, yes: bool) -> None:
        """Their yes or no to an answer that waits for it. Raises NotFound, LegalHold."""
        self._ledger.run(principals.decide(self._ledger.context, self.id, entry_id, yes))

    def withheld(self) -> list[Withheld]:
        """Every topic that they keep back from all agents, with or without an entry, by key."""
        return self._ledger.run(principals.withheld(self._ledger.context, self.id))

    def withhold(self, entry_id: str) -> None:
        """Keeps the topic of an entry back from all agents, until they release it. Raises NotFound."""
        self._ledger.run(principals.withhold(self._ledger.context, self.id, entry_id, True))

    def withhold_topic(self, label: str) -> None:
        """Keeps a topic back on which they may have said nothing yet. Raises BadLabel, LegalHold."""
        self._ledger.run(principals.withhold_topic(self._ledger.context, self.id, label))

    def release(self, id: str) -> None:
        """Lets a topic that is kept back go again, by the id of it or of an entry on it. Raises NotFound, LegalHold."""
        self._ledger.run(principals.withhold(self._ledger.context, self.id, id, False))

    def consent(self) -> Consent:
        """Their decision that stands, and the tier that agents have by it."""
        return self._ledger.run(principals.consent(self._ledger.context, self.id))

    def decide(self, decision: Decision, *, notice: str, if_match: str | None = None) -> Consent:
        """Their decision about agents: granted, or revoked. `notice` names the version of the text that they were shown.

        Holds for every read that starts after this returns. `if_match` is the `etag` of the consent that they
        decided upon. Raises InvalidRequest for a notice that is none, and PreconditionFailed, with nothing changed,
        where another decision stands by now.
        """
        return self._ledger.run(
            principals.decide_consent(self._ledger.context, self.id, decision, notice, if_match)
        )

    def receipts(self) -> list[dict[str, object]]:
        """Every decision of theirs, in the fields of ISO/IEC TS 27560, newest day first."""
        return self._ledger.run(principals.receipts(self._ledger.context, self.id))

    def place_objection(self) -> None:
        """Their objection, "do not remember me": captures are answered as ever, and nothing is kept."""
        self._ledger.run(principals.object_(self._ledger.context, self.id, True))

    def take_back_objection(self) -> None:
        """They may be remembered again, by what is said from tomorrow on."""
        self._ledger.run(principals.object_(self._ledger.context, self.id, False))

    def export(self) -> principals.Taken:
        """Everything kept about them."""
        return self._ledger.run(principals.export(self._ledger.context, self.id))

    def erase(self) -> Erased:
        """Erases everything, verified by a re-read; under a legal hold hides it. Gives counts, and names nothing."""
        return self._ledger.run(principals.erase(self._ledger.context, self.id))
