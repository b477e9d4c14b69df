"""What the tests of the record do to a ledger: everything that people do, crashes in the middle, restores."""

from __future__ import annotations

import io
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, Self

from ledger.core.model import Candidate, Decision
from ledger.core.record import Taken
from ledger.service import operators, principals, sweeps
from ledger.service.deployment import Deployment
from ledger.service.ledger import Ledger
from ledger.service.reconciling import Reconciled, reconcile
from ledger.settings import Settings

TODAY = date(2026, 9, 1)
TOPICS = ("cats", "cars", "chairs")

Rows = dict[str, bytes]
"""An earlier state of the database: table -> its rows."""


@dataclass
class House:
    """An open ledger, opened anew after each restore. A context manager."""

    database: Any
    settings: Settings
    today: date = TODAY
    ledger: Ledger = field(init=False)

    def __enter__(self) -> Self:
        self.database.day(self.today)
        self.ledger = Ledger.open(self.settings)
        for topic in TOPICS:
            fields = {"handling": "open", "question": f"How many {topic} do you have?"}
            self.run(operators.create(self.ledger.context, topic, fields))
        return self

    def __exit__(self, *_: object) -> None:
        self.ledger.close()

    # ── Time, processes, backups ─────────────────────────────────────────────────────────────────

    def later(self, days: int = 1) -> None:
        self.today += timedelta(days=days)
        self.database.day(self.today)

    def reopen(self) -> None:
        self.ledger.close()
        self.ledger = Ledger.open(self.settings)

    def backup(self) -> Rows:
        """The rows as they are, while the ledger runs."""
        kept = {}
        for (table,) in self._tables():
            with self.database.installer.cursor().copy(f"copy ledger.{table} to stdout") as copy:
                kept[table] = b"".join(bytes(part) for part in copy)
        return kept

    def put_back(self, kept: Rows) -> None:
        """The database is what it was; nobody has noticed yet."""
        installer = self.database.installer
        with installer.transaction():
            installer.execute(f"truncate {', '.join(f'ledger.{table}' for (table,) in self._tables())}")
            for table, rows in kept.items():
                with installer.cursor().copy(f"copy ledger.{table} from stdin") as copy:
                    copy.write(io.BytesIO(rows).read())

    def restore(self, kept: Rows) -> None:
        """The database is put back while no process runs, and the ledger is started again."""
        self.ledger.close()
        self.put_back(kept)
        self.ledger = Ledger.open(self.settings)

    def _tables(self) -> list[tuple[str]]:
        found: list[tuple[str]] = self.database.rows(
            "select relname from pg_class where relnamespace = 'ledger'::regnamespace and relkind = 'r'"
        )
        return found

    def reconcile(self, **how: Any) -> Reconciled:
        deployment = Deployment.open(self.settings, without_record=bool(how))
        try:
            return reconcile(deployment, **how)
        finally:
            deployment.close()

    @property
    def ahead(self) -> bool:
        ((ahead,),) = self.database.rows("select record_ahead from ledger.setting")
        return bool(ahead)

    def recorded(self) -> set[Taken]:
        """Every row of the record."""
        record = self.ledger.context.record
        assert record is not None
        return {*record.store.rows(self.who("nobody").__class__(int=0), None), *record.store.registry()}

    # ── What people do ───────────────────────────────────────────────────────────────────────────

    def run(self, use_case: Any) -> Any:
        return self.ledger.run(use_case)

    def crash(self, use_case: Any, after: int) -> bool:
        """Ends a process after so many steps of a use case; False where it had come to its end by then."""
        found = None
        with suppress(StopIteration):
            for _ in range(after):
                found = self.ledger._connections._do(use_case.send(found))
            use_case.close()  # the kernel drops the locks of who was killed
            return True
        return False

    def who(self, name: str = "ann") -> Any:
        return self.ledger.context.identity.principal(name)

    def say(self, topic: str, words: str, name: str = "ann", on: date | None = None) -> None:
        (outcome,) = self.ledger.principal(name).capture(words, on or self.today, [Candidate(topic, words)])
        assert outcome.verdict.accepted, outcome.verdict

    def decision(self, decision: str, name: str = "ann") -> Any:
        return principals.decide_consent(self.ledger.context, self.who(name), Decision(decision), "v1")

    def decide(self, decision: str, name: str = "ann") -> None:
        self.run(self.decision(decision, name))

    def object_(self, objects: bool, name: str = "ann") -> Any:
        return principals.object_(self.ledger.context, self.who(name), objects)

    def id_of(self, topic: str, name: str = "ann") -> str:
        return str(self.ledger.context.identity.entry_id(self.who(name), topic))

    def withholding(self, topic: str, name: str = "ann") -> Any:
        return principals.withhold_topic(self.ledger.context, self.who(name), topic)

    def releasing(self, topic: str, name: str = "ann") -> Any:
        return principals.withhold(self.ledger.context, self.who(name), self.id_of(topic, name), False)

    def deleting(self, topic: str, name: str = "ann") -> Any:
        return principals.delete(self.ledger.context, self.who(name), self.id_of(topic, name))

    def correcting(self, topic: str, words: str, name: str = "ann") -> Any:
        return principals.correct(self.ledger.context, self.who(name), self.id_of(topic, name), words)

    def erasing(self, name: str = "ann") -> Any:
        return principals.erase(self.ledger.context, self.who(name))

    def holding(self, name: str = "ann") -> Any:
        return operators.place_hold(self.ledger.context, self.who(name))

    def lifting(self, name: str = "ann") -> Any:
        return operators.lift_hold(self.ledger.context, self.who(name))

    def sweeping(self) -> Any:
        return sweeps.sweep(record=self.ledger.context.record)

    def sweep(self) -> dict[str, int]:
        done: dict[str, int] = self.run(self.sweeping())
        return done

    # ── What others see ──────────────────────────────────────────────────────────────────────────

    def quotes(self, name: str = "ann") -> set[str]:
        """What an agent is told."""
        return {
            entry.answer for entry in self.ledger.principal(name).recall().entries if entry.answer is not None
        }

    def stored(self, name: str = "ann") -> set[str]:
        return {
            row[0]
            for row in self.database.rows(
                "select answer from ledger.entry where principal = %s", self.who(name)
            )
        }
