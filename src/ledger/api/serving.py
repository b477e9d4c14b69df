"""Serving the application with uvicorn: nothing of a request is logged, and nothing tells what serves.

No access log, no `Server` header; no header of a proxy is believed, since no address is of use to us.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from contextlib import suppress
from types import FrameType
from typing import Any, cast

import uvicorn
from fastapi import FastAPI

from ledger.api.app import create_app
from ledger.api.connection import Connection, Limits, State
from ledger.service.deployment import Deployment
from ledger.settings import Settings

OPTIONS: dict[str, Any] = {
    "http": Connection,
    "ws": "none",
    "lifespan": "on",
    "access_log": False,
    "server_header": False,
    "proxy_headers": False,
    "log_config": None,
}

_LAST_CALL_S = 0.1  # in which a request that is on its way on a kept connection still arrives
_LAST_ANSWERS_S = 1.0  # of the grace time, for what is not finished to be told so

log = logging.getLogger("ledger.api")


class Server(uvicorn.Server):
    """Serves until SIGTERM or SIGINT, then ends within `grace_s`, and leaves no request unanswered of which it read a byte."""

    server_state: State

    def __init__(self, app: FastAPI, settings: Settings, **more: Any) -> None:
        options = {
            **OPTIONS,
            "timeout_keep_alive": settings.idle_timeout_s,
            "timeout_graceful_shutdown": settings.grace_s,
            "log_level": settings.log_level,
        }
        super().__init__(uvicorn.Config(app, **options | more))
        self.server_state = State(Limits(settings.head_timeout_s, settings.body_timeout_s))
        self._grace_s = settings.grace_s

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Accepts what waits, closes the listener, and lets each answer be the last of its connection."""
        loop = asyncio.get_running_loop()
        self.server_state.ending = True
        for connection in self._connections():
            connection.announce_end()
        waiting = [accepted for listening in sockets or () for accepted in _accept_all(listening)]
        for server in self.servers:
            server.close()
        for accepted in waiting:
            await loop.connect_accepted_socket(self._connection, accepted)
        await asyncio.sleep(_LAST_CALL_S)
        giving_up = loop.call_later(self._grace_s - _LAST_ANSWERS_S, self._give_up)
        await super().shutdown(sockets)
        giving_up.cancel()

    def _connections(self) -> list[Connection]:
        return cast(list[Connection], list(self.server_state.connections))

    def _connection(self) -> Connection:
        return Connection(self.config, self.server_state, self.lifespan.state)

    def _give_up(self) -> None:
        left = self._connections()
        if left:
            log.warning("%d connections are ended before their requests", len(left))
        for connection in left:
            connection.give_up()


def _accept_all(listening: socket.socket) -> list[socket.socket]:
    accepted = []
    with suppress(OSError):  # nothing waits any more
        while True:
            accepted.append(listening.accept()[0])
    return accepted


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens there, for every process that serves. Raises OSError.

    Each connection that it accepts sends at once what it is given (TCP_NODELAY): else the second half of a reply
    waits for the client to acknowledge the first, which takes 40 ms on a connection that was kept. asyncio sets that
    only where it opens the socket itself.
    """
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
    listening = socket.create_server(address[:2], family=family, backlog=128)
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    return listening


def interrupted(_signal: int, _frame: FrameType | None) -> None:
    """For SIGTERM: uvicorn ends by raising once more the signal that stopped it, which must not end the process there."""
    raise KeyboardInterrupt


def log_from(level: str) -> None:
    """Logs this process to the standard error, without instants: ours from this level on, all others' warnings at most."""
    number = logging.getLevelNamesMapping()[level.upper()]
    logging.basicConfig(format="%(levelname)s: %(message)s", level=max(number, logging.WARNING), force=True)
    logging.getLogger("ledger").setLevel(number)


def from_environment() -> FastAPI:
    """The application of the settings of this process, for `uvicorn.run(factory=True, workers=...)`.

    It closes its deployment when it shuts down. Raises SetupError, Unavailable.
    """
    deployment = Deployment.open(Settings.load())
    return create_app(deployment, on_shutdown=deployment.close)
