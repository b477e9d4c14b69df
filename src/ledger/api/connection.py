"""One connection of HTTP/1.1: what is awaited of a client has its time and its size, and nothing of a request outlives it.

The protocol is uvicorn's on h11. Ours are the limits, the answers that are given in place of the application, each a
problem document, and how a connection ends while the server does.

Source: RFC 9112 sections 6.1 (two lengths), 9.6 (`Connection: close`), RFC 9110 section 15.5.9 (408), RFC 6585 section 5 (431).
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any, Literal

import h11
import uvicorn
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.h11_impl import STATUS_PHRASES, H11Protocol
from uvicorn.server import ServerState

from ledger.api import problems
from ledger.api.edge import HEADERS
from ledger.errors import LedgerError, Unavailable

HEAD_BYTES = 16 * 1024
"""Bytes of a request line and its headers."""
FIRST_WORD_S = 1.0
"""Seconds that a new connection has for its first byte while the server ends: whoever connects is about to ask."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds until the headers are whole (from the first byte, or the connection's beginning), and then the body."""

    head: float
    body: float


class State(ServerState):
    """What the connections of one server share. `ending`: each answer is the last of its connection."""

    def __init__(self, limits: Limits) -> None:
        super().__init__()
        self.limits = limits
        self.ending = False


class Strict(h11.Connection):
    """Refuses a head that is too large, also one that comes in one piece, and one that names the body's end in two ways.

    Of two servers in a row each could believe another of the two ends, and take what is between for a request.
    """

    too_large = False

    def next_event(self) -> Any:
        try:
            event = super().next_event()
        except h11.RemoteProtocolError as error:
            self.too_large = error.error_status_hint == 431
            raise
        if isinstance(event, h11.Request):
            size = len(event.target) + sum(len(name) + len(value) + 4 for name, value in event.headers)
            self.too_large = size > HEAD_BYTES
            named = {name for name, _ in event.headers}
            chunked = b"transfer-encoding" in named
            if self.too_large or (chunked and (b"content-length" in named or event.http_version < b"1.1")):
                raise h11.RemoteProtocolError("refused")
        return event


class Connection(H11Protocol):
    """A connection and its requests, one after the other."""

    server_state: State
    conn: Strict

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: State,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self.conn = Strict(h11.SERVER, HEAD_BYTES)
        self._awaited: Literal["head", "body"] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._has_served = False

    # ── What uvicorn and the event loop call ─────────────────────────────────────────────────────

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._time(None)

    def handle_events(self) -> None:
        super().handle_events()
        self._watch()

    def on_response_complete(self) -> None:
        # uvicorn keeps the address, the headers, and a body that nobody read. They go before the next request, which may
        # wait in the buffer and is taken up by this very call.
        self.scope = self.headers = self.cycle = None  # type: ignore[assignment]
        self._has_served = True
        super().on_response_complete()
        self._watch()
        if self.server_state.ending:
            self._leave()

    def send_400_response(self, msg: str) -> None:
        self.refuse(
            problems.HeadersTooLarge(f"Send at most {HEAD_BYTES // 1024} KiB of headers.")
            if self.conn.too_large
            else problems.MalformedRequest("This is no HTTP/1.1 request that can be read in one way only.")
        )

    def shutdown(self) -> None:
        """Ends the connection if no request is begun on it; one that is new has a moment for its first."""
        if self._has_served:
            self._leave()
        else:
            self.loop.call_later(FIRST_WORD_S, self._leave)

    # ── What the server ends with ────────────────────────────────────────────────────────────────

    def announce_end(self) -> None:
        """Says with the answer that is due that it is the last, unless another request is begun behind it."""
        if self.cycle is not None and not self.cycle.response_started:
            last = [] if self.conn.trailing_data[0] else [CLOSE_HEADER]
            self.cycle.default_headers = [*self.server_state.default_headers, *last]

    def give_up(self) -> None:
        """Answers what is not answered yet, and closes."""
        if self._awaited is not None:
            self._late()
        elif self._is_begun():
            self.refuse(Unavailable("The server stops. It is safe to try again."))
        else:
            self.transport.close()

    def refuse(self, error: LedgerError) -> None:
        """Answers in place of the application, which hears that the client is gone, and closes."""
        is_head = self.cycle is not None and self.scope["method"] == "HEAD"
        if self.cycle is not None:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            response = problems.response(error)
            headers = [*self.server_state.default_headers, *response.raw_headers, *HEADERS, CLOSE_HEADER]
            for event in (
                h11.Response(
                    status_code=response.status_code,
                    headers=headers,
                    reason=STATUS_PHRASES[response.status_code],
                ),
                h11.Data(data=b"" if is_head else bytes(response.body)),
                h11.EndOfMessage(),
            ):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    # ── The time that a client has ───────────────────────────────────────────────────────────────

    def _leave(self) -> None:
        if not self._is_begun():
            self.transport.close()

    def _is_begun(self) -> bool:
        """Whether a byte of a request is here that is not answered yet."""
        return self.cycle is not None or bool(self.conn.trailing_data[0])

    def _watch(self) -> None:
        if self.server_state.ending:
            self.announce_end()
        state = self.conn.their_state
        if state is h11.IDLE and (self.conn.trailing_data[0] or not self._has_served):
            self._time("head")
        elif state is h11.SEND_BODY:
            self._time("body")
        else:
            self._time(None)  # between two requests uvicorn's own timer runs

    def _time(self, awaited: Literal["head", "body"] | None) -> None:
        if awaited == self._awaited:
            return
        self._awaited = awaited
        if self._timer is not None:
            self._timer.cancel()
        limit = None if awaited is None else getattr(self.server_state.limits, awaited)
        self._timer = None if limit is None else self.loop.call_later(limit, self._late)

    def _late(self) -> None:
        if self._is_begun():
            part = "headers" if self._awaited == "head" else "body"
            self.refuse(problems.RequestTimeout(f"The {part} did not come in time. Send the request again."))
        else:
            self.transport.close()
