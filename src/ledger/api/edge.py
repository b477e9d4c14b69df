"""What every response passes on its way out, and every failure on its way up.

Headers: nothing is cached, framed, sniffed or referred to; there is no CORS, so no page of another
origin can read anything. Failures: whatever escapes becomes a bare 500, and the log gets its kind and
place alone. (The framework would hand it to the server, which logs its text, and that may hold what
the caller sent.) Figures: method, route and status, in `metrics`.

Pure ASGI, so that a request that goes well pays for one more function call.

Source: RFC 9111 section 5.2.2.5 (no-store), W3C CSP3 (frame-ancestors).
"""

from __future__ import annotations

import time

from starlette.requests import ClientDisconnect
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ledger.api import metrics, problems
from ledger.errors import LedgerError

HEADERS = (
    (b"cache-control", b"no-store"),
    (b"content-security-policy", b"default-src 'none'; frame-ancestors 'none'"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-content-type-options", b"nosniff"),
)


class Edge:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status = 0
        started = time.perf_counter()

        async def dressed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers: list[tuple[bytes, bytes]] = message["headers"]
                given = {name for name, _ in headers}
                headers += [header for header in HEADERS if header[0] not in given]
            await send(message)

        try:
            await self._app(scope, receive, dressed)
        except ClientDisconnect:
            return
        except Exception as error:
            problems.report(error)
            if not status:
                await problems.response(LedgerError(""))(scope, receive, dressed)
        metrics.count(scope, status, time.perf_counter() - started)
