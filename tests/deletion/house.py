"""A ledger as it is started by default, with its own PostgreSQL, and everything that deletes a word of somebody in it."""

from __future__ import annotations

import random
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import psycopg
from api.world import Api

from ledger.embedded import binaries
from ledger.service import sweeps
from ledger.service.deployment import Deployment
from ledger.settings import Settings

START = date(2026, 9, 1)
SAID = START - timedelta(days=12)
TOPICS = {
    "kids": ("open", "Do you want kids?"), "pets": ("open", None), "animals": ("open", None), "salary": ("confirm", None),
    "belief": ("sealed", None),
}  # fmt: skip
LABELS = [*TOPICS, "hobby"]  # the last is coined, and never listed


def word() -> str:
    """A word that stands nowhere else; of letters, so that nothing takes it for a secret."""
    return "zq" + "".join(random.choices("abcdefghikmnoprstuvwxyz", k=10))  # noqa: S311


@dataclass
class Installer:
    """The superuser's hands: the clock, and a look at everything."""

    conninfo: str
    installer: psycopg.Connection[Any] = field(init=False)

    def __post_init__(self) -> None:
        self.connect()

    def connect(self) -> None:
        self.installer = psycopg.connect(self.conninfo, autocommit=True)

    def day(self, day: date) -> None:
        self.installer.execute(
            "create or replace function ledger.today() returns date language sql stable parallel safe "
            f"return date '{day.isoformat()}'"
        )

    def rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        return self.installer.execute(query, parameters or None).fetchall()

    def store(self) -> dict[str, list[str]]:
        """Every row of every table, as text."""
        tables = self.rows(
            "select relname from pg_class where relnamespace = 'ledger'::regnamespace and relkind = 'r' order by 1"
        )
        return {
            table: [row for (row,) in self.rows(f"select t::text from ledger.{table} t order by 1")]
            for (table,) in tables
            if table not in ("version", "bare_form")
        }


@dataclass
class House:
    """The open ledger: its application, its database, and its data directory."""

    folder: Path
    deployment: Deployment
    api: Api
    database: Installer

    def say(self, who: str, topic: str, text: str, on: date = SAID) -> None:
        assert self.api.capture(topic, text, on.isoformat(), who=who)["accepted"], text

    def me(self, method: str, path: str, body: Any = None, *, who: str, as_: str = "principal") -> Any:
        answer = self.api.call(method, f"/v1/{path}", body, as_=as_, who=who)
        assert answer.status_code < 300, (method, path, answer.text)
        return answer.json() if answer.content else None

    def entry(self, who: str, topic: str) -> str:
        (found,) = [
            one["id"] for one in self.me("GET", "me/entries", who=who)["items"] if one["topic"] == topic
        ]
        return f"me/entries/{found}"

    def step(self, method: str, path: str, body: dict[str, Any]) -> None:
        """A step of an operator who looks first."""
        key = path.partition("/")[0]
        (topic,) = [
            one
            for one in self.me("GET", "operator/topics", who="", as_="operator")["items"]
            if one["key"] == key
        ]
        preview = self.me(method, f"operator/topics/{path}?dry_run=true", body, who="", as_="operator")[
            "preview"
        ]
        done = self.api.call(
            method, f"/v1/operator/topics/{path}", body | {"preview": preview}, as_="operator", headers=[("If-Match", topic["etag"])]
        )  # fmt: skip
        assert done.status_code == 200, done.text

    def hold(self, method: str, who: str) -> None:
        self.me(method, "operator/legal-holds", {"principal": who}, who="", as_="operator")

    def sweep(self) -> None:
        self.api.run(sweeps.sweep())

    def later(self, day: date) -> None:
        self.database.day(day)

    # ── Where a word may be found ───────────────────────────────────────────────────────────────

    def read_paths(self, who: str) -> dict[str, str]:
        """All that anybody is shown of a principal, the prompt block in it."""
        asked = {
            "plan": ("POST", "plan", {"labels": LABELS}, "agent"),
            "coverage": ("POST", "coverage", {"topics": LABELS}, "agent"),
            "recall": ("POST", "recall", {}, "agent"),
            "recall of named topics": ("POST", "recall", {"topics": LABELS}, "agent"),
            "topics": ("GET", "topics", None, "agent"),
            "entries": ("GET", "me/entries", None, "principal"),
            "export": ("GET", "me/export", None, "principal"),
            "receipts": ("GET", "me/consent/receipts", None, "principal"),
            "registry": ("GET", "operator/topics", None, "operator"),
        }
        shown = {
            name: self.api.call(method, f"/v1/{path}", body, as_=scope, who=who).text
            for name, (method, path, body, scope) in asked.items()
        }
        return shown | {"metrics": self.api.call("GET", "/metrics").text}

    def dump(self) -> str:
        """What a backup holds: every table of every schema, by the program beside the server."""
        parts = psycopg.conninfo.conninfo_to_dict(self.database.conninfo)
        program = binaries.find(None).folder / "pg_dump"
        done = subprocess.run(
            [program, "-h", parts["host"], "-p", str(parts["port"]), "-U", parts["user"], parts["dbname"]],
            env={"PGPASSWORD": str(parts["password"])},
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def files_with(self, words: set[str]) -> dict[str, set[str]]:
        """The words that stand in files of the data directory -> those files."""
        found: dict[str, set[str]] = {}
        for path in sorted(self.folder.rglob("*")):
            if path.is_file():
                content = path.read_bytes()
                for one in words:
                    if one.encode() in content:
                        found.setdefault(one, set()).add(str(path.relative_to(self.folder)))
        return found


SERVERS = {
    "wheel": None,
    **{folder.parent.name: folder for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin")) if (folder / "initdb").exists()},
}  # fmt: skip
"""Every PostgreSQL there is on this machine."""


@contextmanager
def house(folder: Path, pg_bin: Path | None = None) -> Iterator[House]:
    """Opens one on the first of September 2026, with listed topics."""
    deployment = Deployment.open(Settings.alone(data_dir=folder, pg_bin=pg_bin, sweep_every_hours=0))
    assert deployment.installer is not None
    database = Installer(deployment.installer)
    database.day(START)
    api = Api(deployment, database)
    for key, (handling, question) in TOPICS.items():
        api.list_topic(key, handling, question)
    try:
        yield House(folder, deployment, api, database)
    finally:
        api.close()
        database.installer.close()
        deployment.close()


# ── What deletes ─────────────────────────────────────────────────────────────────────────────────

Path_ = Callable[[House, str, str], None]


def one_entry(at: House, who: str, words: str) -> None:
    at.say(who, "kids", words)
    at.me("DELETE", at.entry(who, "kids"), who=who)


def everything(at: House, who: str, words: str) -> None:
    at.say(who, "kids", words)
    at.say(who, "hobby", f"{words}, too")
    at.say(who, "salary", f"{words}, I guess so")
    at.me("PUT", at.entry(who, "kids") + "/withheld", who=who)
    at.me("DELETE", "me", who=who)


def a_correction(at: House, who: str, words: str) -> None:
    at.say(who, "kids", words)
    at.me("PUT", at.entry(who, "kids"), {"answer": "I want none"}, who=who)


def a_no_to_what_waits(at: House, who: str, words: str) -> None:
    at.say(who, "salary", words)
    at.me("POST", at.entry(who, "salary") + "/decision", {"keep": False}, who=who)


def a_reconfirmation(at: House, who: str, words: str) -> None:
    at.say(who, "kids", words, START - timedelta(days=200))
    body = {
        "topic": "kids",
        "message": "No.",
        "span": "No.",
        "said_on": START.isoformat(),
        "still_true": False,
        "avoid": [],
    }
    assert at.me("POST", "reconfirmations", body, who=who, as_="capture") == {"accepted": True}


def a_newer_answer(at: House, who: str, words: str) -> None:
    at.say(who, "kids", words, SAID - timedelta(days=2))
    at.say(who, "kids", "I want none")


def a_hold_that_is_lifted(at: House, who: str, words: str) -> None:
    at.say(who, "kids", words)
    at.hold("PUT", who)
    assert at.me("DELETE", "me", who=who)["on_hold"] is True
    at.hold("DELETE", who)


def a_merge(at: House, who: str, words: str) -> None:
    """The last but two: from then on `animals` is a label of `pets`."""
    at.say(who, "animals", words, SAID - timedelta(days=2))
    at.say(who, "pets", "I have a cat")
    at.step("POST", "animals/merge", {"into": "pets"})


def a_topic_that_is_forbidden(at: House, who: str, words: str) -> None:
    at.say(who, "belief", words)
    at.step("PATCH", "belief", {"handling": "forbidden"})


def the_sweep(at: House, who: str, words: str) -> None:
    """The last: the day after next."""
    at.say(who, "kids", words, START - timedelta(days=539))
    at.later(START + timedelta(days=2))
    at.sweep()


PATHS: tuple[Path_, ...] = (
    one_entry, everything, a_correction, a_no_to_what_waits, a_reconfirmation, a_newer_answer, a_hold_that_is_lifted,
    a_merge, a_topic_that_is_forbidden, the_sweep,
)  # fmt: skip

LATE: dict[str, tuple[str, date]] = {
    "a_no_to_what_waits": ("salary", SAID), "a_reconfirmation": ("kids", START - timedelta(days=200)),
    "a_newer_answer": ("kids", SAID - timedelta(days=2)), "a_merge": ("animals", SAID - timedelta(days=2)),
    "a_topic_that_is_forbidden": ("belief", SAID), "the_sweep": ("kids", START - timedelta(days=539)),
}  # fmt: skip
"""On which topic, and on which day, the words of a path were said; the others' on kids, on SAID."""
