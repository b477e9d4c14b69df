"""The state before a case, its clock, and the hands that are laid on it: agents, owners, operators, nobody.

Everything goes through the real application on a database of the case's own. Tokens are asked for as a
backend does, at `POST /v1/tokens`.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import psycopg
import pytest

from ledger.api.app import create_app
from ledger.service import credentials, sweeps
from ledger.service.deployment import Deployment
from ledger.tokens import Scope

from .collection import Case, Step
from .contract import Contract

NOTICE = "v1"
OF_THE_APPLICATION = ("/v1/captures", "/v1/reconfirmations")


def day(instant: str) -> str:
    """The day, in UTC, of an instant of a case."""
    assert instant.endswith("Z")
    return instant[:10]


@dataclass
class World:
    case: Case
    database: Any
    deployment: Deployment
    told: pytest.LogCaptureFixture  # the log of this process
    environment: pytest.MonkeyPatch
    bodies: list[str] = field(default_factory=list)  # every response, as it came
    statuses: list[int] = field(default_factory=list)
    dumps: list[str] = field(default_factory=list)
    results: list[dict[str, Any]] = field(default_factory=list)  # of the steps so far
    worker: httpx.Client | None = None  # a process of its own that serves what is sent; else this one does
    kept: dict[str, Any] = field(default_factory=dict)  # what a step leaves for a later one, such as a worker
    current_rows: list[int] = field(default_factory=list)  # entries of a principal and topic, at each read
    _tokens: dict[tuple[str, str, str], str] = field(default_factory=dict)
    _runner: asyncio.Runner = field(default_factory=asyncio.Runner)

    def __post_init__(self) -> None:
        clock = "select pg_get_functiondef('ledger.today'::regproc)"
        ((self._clock,),) = self.database.rows(clock)
        assert self._clock.count("now()") == 1
        self._log = server_log(self.database)
        self._log_before = self._log.stat().st_size
        self.open()

    # ── The application ──────────────────────────────────────────────────────────────────────────

    def open(self) -> None:
        self.app = create_app(self.deployment)
        self._client = httpx.AsyncClient(transport=httpx.ASGITransport(self.app), base_url="http://ledger")
        self._contract = Contract.of(self.app)

    def close(self) -> None:
        self._runner.run(self._client.aclose())
        self._runner.run(self.app.state.ledger.close())

    def start_again(self) -> None:
        """As after an end of the process. Raises what a start may: SetupError, Unavailable."""
        self.deployment.close()
        self.deployment = Deployment.open(self.deployment.settings)
        self.open()

    def end(self) -> None:
        for one in self.kept.values():
            one.close()
        self.close()
        self._runner.close()
        self.deployment.close()

    def send(
        self,
        actor: str,
        method: str,
        path: str,
        body: Any = None,
        *,
        of: str = "P1",
        raw: bytes | None = None,
        headers: Iterable[tuple[str, str]] = (),
    ) -> httpx.Response:
        """One call of an actor. `of` is whose token an agent holds."""
        sent = self.prepared(actor, method, path, body, of=of, raw=raw, headers=headers)
        if self.worker is not None:
            return self.noted(self.worker.request(**sent))
        return self.noted(self._runner.run(self._client.request(**sent)))

    def together(self, calls: Sequence[dict[str, Any]]) -> list[httpx.Response]:
        """Prepared calls at once; their responses, in order."""

        async def all_of_them() -> list[httpx.Response]:
            return await asyncio.gather(*(self._client.request(**call) for call in calls))

        return [self.noted(response) for response in self._runner.run(all_of_them())]

    def prepared(
        self,
        actor: str,
        method: str,
        path: str,
        body: Any = None,
        *,
        of: str = "P1",
        raw: bytes | None = None,
        headers: Iterable[tuple[str, str]] = (),
    ) -> dict[str, Any]:
        sent = [*headers]
        if actor != "anon":
            sent.append(("Authorization", f"Bearer {self._token(actor, path, of)}"))
        content = raw if raw is not None else None if body is None else json.dumps(body).encode()
        if content is not None:
            sent.append(("Content-Type", "application/json"))
        return {"method": method, "url": path, "content": content, "headers": sent}

    def noted(self, response: httpx.Response) -> httpx.Response:
        self._contract.check(response)
        self.statuses.append(response.status_code)
        self.bodies.append(response.text)
        return response

    def _token(self, actor: str, path: str, of: str) -> str:
        kind, _, name = actor.partition(":")
        if kind in ("operator", "issuer"):
            registered = None if kind == "operator" else self._credential()
            token: str = self.app.state.tokens.issue([Scope(kind)], credential=registered).token
            return token
        scope = "principal" if kind == "owner" else "capture" if path in OF_THE_APPLICATION else "agent"
        who = name if kind == "owner" else of
        key = (actor, scope, who)
        if key not in self._tokens:
            issued = self.issue(who, scope)
            assert issued.status_code == 200, issued.text
            self._tokens[key] = issued.json()["token"]
        return self._tokens[key]

    def _credential(self) -> UUID:
        registered: UUID = self._runner.run(self.app.state.ledger.run(credentials.register(3600)))
        return registered

    def issue(self, who: str, scope: str, *, actor: str = "issuer") -> httpx.Response:
        """A token is asked for, by a backend or by somebody who may not."""
        body = {"principal": self.outside_id(who), "scope": [scope], "ttl_s": 3600}
        return self.send(actor, "POST", "/v1/tokens", body)

    def outside_id(self, name: str) -> str:
        """No name of a person reaches the ledger but in his outside id: a display name is put there."""
        shown: str = self.case.given.get("display_names", {}).get(name, name)
        return shown

    def principal(self, name: str) -> UUID:
        return self.deployment.context.identity.principal(self.outside_id(name))

    # ── The state before ─────────────────────────────────────────────────────────────────────────

    def set_up(self) -> None:
        given = self.case.given
        for topic in self.case.topics():
            self.list_topic(topic)
        for alias, key in given.get("aliases", {}).items():
            self.database.installer.execute("insert into ledger.topic_alias values (%s, %s)", (alias, key))
        self.put(given.get("entries", ()))
        self.now(given["now"])
        for topic, (reconfirm, drop) in given.get("windows", {}).items():
            window = {"reconfirm_after": reconfirm, "drop_after": drop}
            assert self.set_window("operator", topic, window).status_code == 200
        tiers = dict(given.get("tier", {}))
        if "tier_all" in given:
            tiers = {entry["principal"]: given["tier_all"] for entry in given["entries"]}
        for name, tier in tiers.items():
            self.set_tier(name, tier)

    def set_window(self, actor: str, topic: str, window: dict[str, Any]) -> httpx.Response:
        """As an operator does who looks first: a window that is shorter wants to be seen before it holds."""
        path = f"/v1/operator/topics/{topic}"
        seen = self.send(actor, "PATCH", f"{path}?dry_run=true", window)
        if seen.status_code != 200:
            return seen
        shown = window if seen.json()["preview"] is None else window | {"preview": seen.json()["preview"]}
        return self.send(actor, "PATCH", path, shown, headers=[("If-Match", "*")])

    def sweep(self) -> None:
        self._runner.run(self.app.state.ledger.run(sweeps.sweep()))

    def beside_a_sweep(self, call: dict[str, Any], after: float) -> httpx.Response:
        """A prepared call that is sent so many seconds after a sweep began; gives its response when both are done."""

        async def sent() -> httpx.Response:
            await asyncio.sleep(after)
            return await self._client.request(**call)

        async def both() -> httpx.Response:
            response, _ = await asyncio.gather(sent(), self.app.state.ledger.run(sweeps.sweep()))
            return response

        return self.noted(self._runner.run(both()))

    def list_topic(self, key: str, question: str | None = None) -> None:
        self.database.installer.execute(
            "insert into ledger.topic (key, question, handling, listed) values (%s, %s, 'open', true)",
            (key, question or f"What about {key}?"),
        )

    def put(self, entries: Iterable[Step]) -> None:
        """Entries as a capture has laid them down: in key order, by one statement a principal."""
        rows = defaultdict(list)
        for entry in entries:
            rows[self.principal(entry["principal"])].append(
                (entry["topic"], entry["text"], day(entry["said_at"]))
            )
        for principal, own in rows.items():
            topics, answers, days = zip(*sorted(own), strict=True)
            self.database.installer.execute(
                "insert into ledger.entry select %s, u.* from unnest(%s::text[], %s::text[], %s::date[]) as u",
                (principal, list(topics), list(answers), list(days)),
            )

    def set_tier(self, name: str, tier: str) -> None:
        """none: revoked; topics: undecided, as everybody is who has not decided; full: granted."""
        if tier == "topics":
            self.database.installer.execute(
                "delete from ledger.consent where principal = %s", (self.principal(name),)
            )
            return
        decision = {"none": "revoked", "full": "granted"}[tier]
        body = {"decision": decision, "notice": NOTICE}
        assert self.send(f"owner:{name}", "PUT", "/v1/me/consent", body).status_code == 200

    def now(self, at: str) -> None:
        """Sets the clock: the product's own function, with an instant in the place of now()."""
        datetime.fromisoformat(at)
        self.today = day(at)
        self.database.installer.execute(self._clock.replace("now()", f"'{at}'::timestamptz"))

    # ── What lies in the database ────────────────────────────────────────────────────────────────

    def rows(self, query: str, *parameters: Any) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = self.database.rows(query, *parameters)
        return found

    def entries(self) -> dict[tuple[UUID, str], tuple[str, date]]:
        """Every entry of everybody, as a superuser sees them."""
        found = self.rows("select principal, topic, answer, as_of from ledger.entry")
        return {(principal, topic): (answer, as_of) for principal, topic, answer, as_of in found}

    def tables(self, names: Sequence[str] = ()) -> dict[str, list[str]]:
        """Every row of these tables, or of all, as text."""
        found = self.rows(
            "select relname from pg_class where relnamespace = 'ledger'::regnamespace and relkind = 'r' order by 1"
        )
        return {
            table: [text for (text,) in self.rows(f"select t::text from ledger.{table} t order by 1")]
            for (table,) in found
            if not names or table in names
        }

    def statistics(self) -> str:
        """What the server itself tells of this database: sampled values, counters, running statements."""
        views = self.rows(
            "select viewname from pg_views where schemaname = 'pg_catalog'"
            " and (viewname like 'pg\\_stat%' or viewname in ('pg_stats', 'pg_prepared_statements'))"
        )
        told = [
            text for (view,) in views for (text,) in self.rows(f"select v::text from pg_catalog.{view} v")
        ]
        told += [text for (text,) in self.rows("select s::text from pg_statistic s")]
        return "\n".join(told)

    def logs(self) -> str:
        """What this process and the server have logged since the case began."""
        with psycopg.connect(self.database.conninfo) as connection:
            connection.execute("do $$ begin raise warning 'the log is read up to here'; end $$")
        with self._log.open(encoding="utf-8", errors="replace") as log:
            log.seek(self._log_before)
            logged = log.read()
        assert "the log is read up to here" in logged
        return f"{self.told.text}\n{logged}"

    def files(self) -> Iterable[bytes]:
        """The server's files, but its write-ahead log."""
        cluster = self._log.parent / "cluster"
        for path in cluster.rglob("*"):
            if path.is_file() and "pg_wal" not in path.parts:
                yield path.read_bytes()


def server_log(database: Any) -> Path:
    ((cluster,),) = database.rows("show data_directory")
    return Path(cluster).parent / "server.log"


def tell_more(database: Any) -> None:
    """Lets the server log as much as one of somebody else's would, and say what runs."""
    name = re.search(r"dbname='?(\w+)", database.conninfo)
    assert name
    for setting, value in {
        "log_min_messages": "warning",
        "log_min_error_statement": "error",
        "log_error_verbosity": "default",
        "track_activities": "on",
    }.items():
        database.installer.execute(f"alter database {name[1]} set {setting} = '{value}'")
