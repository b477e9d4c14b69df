"""The proof fails when the promise is broken: each of these breaks it in one place, and `prove` must see it."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ledger.api.app import create_app
from ledger.proof.prove import Size, prove
from ledger.proof.report import Page

SMALL = Size(worlds=(1,), people=6, days=2, attacked=0, doors=False)


def failures(page: Page) -> dict[str, str]:
    """What does not hold, and what was seen of it."""
    return {one.about: " ".join(one.details) + one.seen for one in page.failures}


def failed(page: Page, about: str) -> str:
    (seen,) = [seen for name, seen in failures(page).items() if about in name] or [""]
    assert seen, failures(page)
    return seen


def redefined(function: str, old: str, new: str) -> str:
    """SQL that replaces a part of a function of ours, whatever else stands in it."""
    return _changed(function, f"replace(was, {quoted(old)}, {quoted(new)})")


def rewritten(function: str, body: str) -> str:
    """SQL that gives a function of ours another body."""
    return _changed(
        function,
        f"replace(was, (select prosrc from pg_proc where oid = 'ledger.{function}'::regproc), {quoted(body)})",
    )


def _changed(function: str, change: str) -> str:
    return f"""
    do $do$
    declare
      was text := pg_get_functiondef('ledger.{function}'::regproc);
      changed text := {change};
    begin
      if was = changed then
        raise exception 'there is nothing to break in %', '{function}';
      end if;
      execute changed;
    end $do$"""


def quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


# ── In the database ──────────────────────────────────────────────────────────────────────────────


def test_nothing_fails_where_nothing_is_broken(stage):
    assert failures(prove(stage, replace(SMALL, attacked=12))) == {}


def test_a_timestamp_column(broken):
    page = prove(
        broken("alter table ledger.entry add column written_at timestamptz default clock_timestamp()"), SMALL
    )
    assert "entry.written_at" in failed(page, "doctor looks at")
    assert "rows of ledger.entry" in failed(page, "leaves the same behind")


def test_a_bigserial(broken):
    page = prove(
        broken(
            "alter table ledger.entry add column n bigserial",
            "grant usage on all sequences in schema ledger to ledger_writer, ledger_custodian",
        ),
        SMALL,
    )
    assert "entry.n" in failed(page, "doctor looks at")
    assert "rows of ledger.entry" in failed(page, "leaves the same behind")


def test_a_policy_dropped(broken):
    page = prove(broken("drop policy content on ledger.entry"), SMALL)
    assert "entry.content" in failed(page, "doctor looks at")
    assert "recall told of nothing" in failed(page, "what agents see")


def test_a_setting_that_outlives_its_transaction(broken):
    page = prove(broken(redefined("name_for_agent", "p::text, true)", "p::text, false)")), SMALL)
    assert "ledger.principal" in failed(page, "no pooled connection")
    assert "name_for_agent" in failed(page, "doctor looks at")


@pytest.mark.parametrize(
    ("function", "old", "new"),
    [
        ("coverage", "else t.listed and t.handling = 'open'", "else t.listed"),
        ("coverage", "where c.freshness <> 'dropped'", "where true"),
        ("recall", "and (t.listed or not all_listed)", ""),
    ],
    ids=["of handling", "of age", "of listing"],
)
def test_a_function_without_its_predicate(broken, function, old, new):
    page = prove(broken(redefined(function, old, new)), SMALL)
    assert function in failed(page, "what agents see")


def test_an_upsert_that_keeps_old_xmins(broken):
    upsert = """
    begin
      delete from ledger.entry e where e.principal = p and e.topic = any (gone);
      insert into ledger.entry (principal, topic, answer, as_of)
      select p, n.topic, n.answer, day from unnest(topics, answers) as n(topic, answer)
      on conflict (principal, topic) do update set answer = excluded.answer, as_of = excluded.as_of;
    end"""
    grant = "grant update on ledger.entry to ledger_writer;"
    page = prove(broken(grant + rewritten("lay_entries", upsert)), SMALL)
    assert "xmins" in failed(page, "one xmin")


def test_a_foreign_key_to_the_registry(broken):
    page = prove(broken("alter table ledger.entry add foreign key (topic) references ledger.topic"), SMALL)
    assert "entry_topic_fkey" in failed(page, "doctor looks at")
    assert "ledger.topic carry another's xmax" in failed(page, "no lock is left")


# ── In the application ───────────────────────────────────────────────────────────────────────────


class Wrapped:
    """The application behind something that was added to it. `change` may put another body in place of a response's."""

    def __init__(self, app: ASGIApp, change: Callable[[Scope, bytes, int, bytes], bytes]) -> None:
        self.app = app
        self._change = change

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        sent, start, answered = bytearray(), {}, bytearray()

        async def listened() -> Message:
            message = await receive()
            sent.extend(message.get("body", b""))
            return message

        async def held(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            answered.extend(message.get("body", b""))
            if message.get("more_body"):
                return
            body = self._change(scope, bytes(sent), start["status"], bytes(answered))
            headers = [(n, v) for n, v in start["headers"] if n != b"content-length"]
            length = [(b"content-length", str(len(body)).encode())] if start["status"] != 204 else []
            await send({**start, "headers": headers + length})
            await send({"type": "http.response.body", "body": body})

        await self.app(scope, listened, held)


def behind(change: Callable[[Scope, bytes, int, bytes], bytes]) -> Callable[..., Any]:
    return lambda deployment: Wrapped(create_app(deployment), change)


def test_an_access_log_with_topics(broken):
    def log(scope: Scope, sent: bytes, status: int, answered: bytes) -> bytes:
        if scope["path"] == "/v1/captures" and status == 200:
            topics = [one["topic"] for one in json.loads(sent)["candidates"]]
            logging.getLogger("ledger.access").info("captured %s", ", ".join(topics))
        return answered

    page = prove(broken(build=behind(log)), SMALL)
    assert "our log" in failed(page, "leaves the same behind")


def test_an_error_that_echoes(broken):
    def echo(scope: Scope, sent: bytes, status: int, answered: bytes) -> bytes:
        return (
            answered if status != 422 else json.dumps({**json.loads(answered), "input": str(sent)}).encode()
        )

    page = prove(broken(build=behind(echo)), SMALL)
    assert "in a 422" in failed(page, "no error")


def test_a_capture_that_says_unchanged(broken):
    seen: set[bytes] = set()

    def unchanged(scope: Scope, sent: bytes, status: int, answered: bytes) -> bytes:
        """As if it knew what was stored: a span that was kept before is told apart."""
        if scope["path"] != "/v1/captures" or status != 200:
            return answered
        document = json.loads(answered)
        for outcome in document["outcomes"]:
            if outcome["accepted"] and json.dumps(outcome).encode() in seen:
                outcome["unchanged"] = True
            else:
                seen.add(json.dumps(outcome).encode())
        return json.dumps(document).encode()

    page = prove(broken(build=behind(unchanged)), SMALL)
    assert "/v1/captures" in failed(page, "answered alike")


def test_a_tier_in_an_agents_reply(broken):
    def tier(scope: Scope, sent: bytes, status: int, answered: bytes) -> bytes:
        if scope["path"] != "/v1/recall" or status != 200:
            return answered
        document = json.loads(answered)
        return json.dumps({**document, "tier": "full" if document["entries"] else "none"}).encode()

    page = prove(broken(build=behind(tier)), SMALL)
    assert "tier" in failed(page, "no tier")
