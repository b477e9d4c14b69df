"""A client that calls the application as a server does, by ASGI, and waits for each answer: the HTTP interface without
the wire. It puts nothing together and hides nothing; what came is an `httpx.Response`.

Source: the ASGI specification, HTTP 2.3.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from urllib.parse import unquote

import httpx
from starlette.types import ASGIApp, Message

_HOST = b"ledger"


class Client:
    """One application on one event loop, one request at a time."""

    def __init__(self, app: ASGIApp, loop: asyncio.AbstractEventLoop) -> None:
        self._app = app
        self._loop = loop

    def send(
        self, method: str, target: str, headers: Mapping[str, str], content: bytes | None
    ) -> httpx.Response:
        """The answer to a request. `target` is a path with its query, as it goes over the wire. A failure of the
        application is a response, as it is behind a server."""
        return self._loop.run_until_complete(self._send(method, target, headers, content))

    async def _send(
        self, method: str, target: str, headers: Mapping[str, str], content: bytes | None
    ) -> httpx.Response:
        path, _, query = target.partition("?")
        sent = [(b"host", _HOST), *((n.lower().encode(), value.encode()) for n, value in headers.items())]
        if content is not None:
            sent.append((b"content-length", str(len(content)).encode()))
        scope = {
            "type": "http", "asgi": {"version": "3.0", "spec_version": "2.3"}, "http_version": "1.1",
            "method": method, "scheme": "http", "path": unquote(path), "raw_path": path.encode("ascii"),
            "query_string": query.encode("ascii"), "root_path": "", "headers": sent,
            "client": ("127.0.0.1", 1), "server": ("ledger", 80),
        }  # fmt: skip
        request: list[Message] = [{"type": "http.request", "body": content or b"", "more_body": False}]
        start: Message = {"status": 500, "headers": []}
        body = bytearray()
        ended = asyncio.Event()

        async def receive() -> Message:
            if request:
                return request.pop()
            await ended.wait()
            return {"type": "http.disconnect"}

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                start.update(message)
                return
            body.extend(message.get("body", b""))
            if not message.get("more_body", False):
                ended.set()

        with suppress(Exception):  # a server would log it; what was answered till then is the response
            await self._app(scope, receive, answer)
        response = httpx.Response(
            start["status"], headers=list(start["headers"]), stream=httpx.ByteStream(bytes(body))
        )
        response.read()
        return response
