"""What the tests of the wall stand on: three people of two tenants, every function there is, and what a call came to.

The functions are read from the catalog, so that a new one is tested the day it is written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from typing import Any
from uuid import UUID

import psycopg

from ledger.core.model import Candidate, Decision
from ledger.db import expected
from ledger.db.operation import Surface
from ledger.service import principals
from ledger.service.ledger import Ledger

TODAY = date(2026, 9, 1)
SAID = TODAY - timedelta(days=12)
TOPICS = {"kids": "open", "health": "sealed", "money": "confirm", "diet": "open", "old": "open"}  # all listed
LABELS = [*TOPICS, "secret_plan"]
TABLES = [
    table for table in expected.COLUMNS if table not in ("bare_form", "version")
]  # those of this release


@dataclass(frozen=True, slots=True)
class Person:
    """A principal, and the word that stands in each of his answers and nowhere else."""

    tenant: str
    name: str
    word: str
    principal: UUID

    def is_in(self, text: str) -> bool:
        return self.word in text or str(self.principal) in text or self.principal.hex in text


@dataclass(frozen=True, slots=True)
class Function:
    name: str
    oid: int
    arguments: tuple[tuple[str, str], ...]  # name, type
    owner: str
    returns_rows: bool

    @property
    def of_a_principal(self) -> bool:
        return bool(self.arguments) and self.arguments[0] == ("p", "uuid")

    def call(self, principal: UUID, **given: Any) -> tuple[str, list[Any]]:
        """The statement, and values for a call that goes through."""
        values = _VALUES | {"p": principal} | given
        if self.name == "capture":
            values["answers"] = json.dumps([_ANSWER | {"answer": said} for said in values["answers"]])
        values |= _OF.get(self.name, {})
        chosen = [values.get(name, _BY_TYPE.get(kind)) for name, kind in self.arguments]
        holes = ", ".join(f"%s::{kind}" for _, kind in self.arguments)
        return f"select * from ledger.{self.name}({holes})", chosen


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a call came to: its rows or its error, and everything that lies in the store afterwards."""

    rows: tuple[tuple[Any, ...], ...]
    sqlstate: str | None
    store: frozenset[tuple[str, str]]
    said: str = field(compare=False)  # all that the server said of an error; its form depends on the session

    @property
    def text(self) -> str:
        return repr(self.rows) + self.said


_A_MARK = UUID(int=8 << 76 | 2 << 62)
_VALUES: dict[str, Any] = {
    "labels": LABELS, "all_listed": False, "max_tier": "full", "narrowed": False, "only_topics": [], "most": 12,
    "after_key": "", "new_key": "kids", "coin_missing": True, "said_on": SAID, "topics": ["kids"],
    "questions": [""], "answers": ["I want four kids"], "mark_topics": ["kids"], "marks": [_A_MARK],
    "the_topic": "old", "the_key": "kids", "old_key": "diet", "target": "kids", "new_alias": "offspring",
    "new_answer": "I want five kids", "new_decision": "revoked", "new_notice": "v2", "weeks": 3, "label": "kids",
    "undecided_tier": "topics", "come_true": True, "tab": "ledger.entry", "until": TODAY + timedelta(days=1),
    "what": "deleted", "asked": "", "the_piece": "ledger.entry", "swept": TODAY, "piece": "ledger.entry",
}  # fmt: skip
_ANSWER = {"topic": "kids", "question": None, "names": ["kids"], "marks": [str(_A_MARK), str(_A_MARK)]}
_OF: dict[str, dict[str, Any]] = {
    "own_decide": {"the_topic": "money"}, "coin": {"new_key": "a_new_one"}, "topics_for": {"labels": [*LABELS, "a_new_one"]}, "topic_create": {"the_key": "a_new_one"},
    "topics_seen": {"part": "", "which": "all"}, "aliases_of": {"the_key": "kids"}
}  # fmt: skip
_BY_TYPE: dict[str, Any] = {
    "uuid": _A_MARK, "text": "kids", "text[]": ["kids"], "boolean": True, "integer": 5, "bigint": 5, "date": SAID,
    "date[]": [SAID], "uuid[]": [_A_MARK], "jsonb": "{}", "regclass": "ledger.entry", "tid[]": ["(0,1)"], "xid": "3",
    "xid8": "3", "ledger.topic": "(kids,,open,,,,t)", "integer[]": [5], "boolean[]": [True],
}  # fmt: skip
_OVER = (
    "update ledger.sweep_mark set cut_at = pg_current_xact_id()"  # whatever stands is of a day that is over
)
_PREPARE = {
    "erase_rest": "insert into ledger.barrier values ('{p}', gen_random_uuid(), 'erased', ledger.today() + 1)",
    "hold_lift": "insert into ledger.legal_hold values ('{p}', true) on conflict do nothing",
    "sweep_expired": "insert into ledger.entry values ('{p}', 'long_ago', 'So it was', '2020-01-01') on conflict do nothing",
    "sweep_keys": f"insert into ledger.topic (key) values ('idle') on conflict do nothing; {_OVER}",
    "sweep_restamp": _OVER,
    "credential_revoke": f"insert into ledger.credential values ('{_A_MARK}', '2026-08-01', '2099-01-01') on conflict do nothing",
    "sweep_credentials": f"insert into ledger.credential values ('{_A_MARK}', '2020-01-01', '2020-01-02') on conflict do nothing",
}

_FUNCTIONS = """
select p.proname, p.oid::bigint, p.proowner::regrole::text, p.proretset,
       array(select array[coalesce(p.proargnames[a.ord], ''), format_type(a.type, null)]
               from unnest(p.proargtypes) with ordinality as a(type, ord) order by a.ord)
  from pg_proc p
 where p.pronamespace = 'ledger'::regnamespace
   and p.prorettype not in ('trigger'::regtype, 'event_trigger'::regtype)  -- those nobody can call
 order by 1, 2
"""


@dataclass
class World:
    """A database with three people in it, who have rows in every table."""

    database: Any
    people: list[Person]
    functions: list[Function]
    _sessions: dict[tuple[Surface, str], Any] = field(default_factory=dict)
    _start: frozenset[tuple[str, str]] = frozenset()

    def __post_init__(self) -> None:
        self._start = self.store()
        kept = "; ".join(f"create table kept.{table} as table ledger.{table}" for table in TABLES)
        self.database.installer.execute(f"create schema kept; {kept}")
        self._restore = "begin; " + "; ".join(
            f"delete from ledger.{table}; insert into ledger.{table} table kept.{table}" for table in TABLES
        )

    def store(self) -> frozenset[tuple[str, str]]:
        """Every row, with no filter at all; of the sweep's marks the days, without numbers of transactions."""
        shown = {
            "sweep_mark": "concat_ws(' ', cut_on, restored_on, swept_on, snapshot_on, asked_on)",
            "piece_mark": "t.piece::text",
        }
        return frozenset(self.database.rows(
            " union all ".join(
                f"select '{table}', {shown.get(table, 't::text')} from ledger.{table} t" for table in TABLES
            )
        ))  # fmt: skip

    def of(self, surface: Surface) -> list[Function]:
        """The functions that a surface may call."""
        return [one for one in self.functions if one.name in expected.FUNCTIONS[surface.role]]

    def session(self, surface: Surface, kind: str) -> Any:
        """A connection of a surface, kept for one kind of use."""
        key = (surface, kind)
        if key not in self._sessions:
            self._sessions[key] = self.database.surface(surface)
        return self._sessions[key]

    def prepare(self, function: Function, person: Person) -> None:
        """Puts in place what a function finds something to do with."""
        if function.name in _PREPARE:
            for statement in _PREPARE[function.name].format(p=person.principal).split("; "):
                self.database.installer.execute(statement)

    def restore(self) -> None:
        """Puts the store back to where it was at first."""
        self.database.installer.execute(f"{self._restore}; commit")

    def try_(self, connection: Any, function: Function, person: Person, **given: Any) -> Outcome:
        """Calls for a person, and puts the store back to where it was."""
        self.prepare(function, person)
        before = self.store() - self._start
        try:
            rows, error = (
                tuple(connection.execute(*function.call(person.principal, **given)).fetchall()),
                None,
            )
        except psycopg.Error as raised:
            rows, error = (), raised
        after = self.store()
        if after != self._start:
            self.restore()
        if error is None:
            return Outcome(rows, None, after - before, "")
        return Outcome(rows, error.sqlstate, after - before, told(error))

    def written_by(self, outcome: Outcome) -> frozenset[tuple[str, str]]:
        return outcome.store ^ self._start


def told(error: psycopg.Error) -> str:
    """Everything that a client is told of an error."""
    said = error.diag
    fields = (said.message_primary, said.message_detail, said.message_hint, said.context, said.internal_query)
    return " / ".join(part for part in fields if part)


@contextmanager
def world(server: Any, settings: Callable[..., Any]) -> Iterator[World]:
    """Fills a database through the product's own doors: two tenants have an Ann each, one of them a Ben."""
    database = server.clone()
    database.day(TODAY)
    for key, handling in TOPICS.items():
        database.installer.execute(
            "insert into ledger.topic (key, handling, listed) values (%s, %s, true)", (key, handling)
        )
    database.installer.execute("insert into ledger.former_key values ('minors', 'kids')")
    people = []
    for tenant, names in (("one", ("ann", "ben")), ("two", ("ann",))):
        with Ledger.open(settings(database, tenant)) as ledger:
            for name in names:
                word = f"{'quux' if tenant == 'one' else 'zorp'}{name}wort"
                people.append(Person(tenant, name, word, ledger.principal(name).id))
                _live(ledger, name, word)
    database.installer.execute(
        "insert into ledger.barrier select principal, gen_random_uuid(), 'deleted', %s from ledger.consent",
        (SAID,),
    )
    functions = [
        Function(name, oid, tuple((n, kind) for n, kind in arguments), owner, many)
        for name, oid, owner, many, arguments in database.rows(_FUNCTIONS)
    ]
    try:
        yield World(database, people, functions)
    finally:
        server.drop(database)


def _live(ledger: Ledger, name: str, word: str) -> None:
    person = ledger.principal(name)
    for label in LABELS:
        message = f"My own answer is the {word} one"
        day = TODAY - timedelta(days=200) if label == "old" else SAID
        (outcome,) = person.capture(message, day, [Candidate(label, message)])
        assert outcome.verdict.accepted, outcome.verdict
    own = replace(
        ledger.context, notices=frozenset({word})
    )  # as if their notice were a file of the deployment
    ledger.run(principals.decide_consent(own, person.id, Decision.GRANTED, word))
    (diet,) = [
        one for one in ledger.run(principals.entries(ledger.context, person.id)) if one.topic == "diet"
    ]
    ledger.run(principals.withhold(ledger.context, person.id, diet.id, True))
