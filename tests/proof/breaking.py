"""How the promise is broken on purpose, and what `prove` says of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ledger.api.app import create_app
from ledger.proof.prove import Section, Size
from ledger.proof.report import Page


def small(*sections: Section) -> Size:
    """The sections that must notice, on a world of six people and two days."""
    return Size(worlds=(1,), people=6, days=2, sections=sections)


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
