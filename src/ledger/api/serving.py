"""Serving the application with uvicorn: nothing of a request is logged, and nothing tells what serves.

No access log, no `Server` header; no header of a proxy is believed, since no address is of use to us.
"""

from __future__ import annotations

import socket
from typing import Any

from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from ledger.api.app import create_app
from ledger.service.deployment import Deployment
from ledger.settings import Settings


class Forgetful(H11Protocol):
    """HTTP/1.1 that holds nothing of a request on a connection which is kept open for the next one.

    uvicorn's own keeps its address, its headers, and a body that nobody read.
    """

    def on_response_complete(self) -> None:
        # before the next request, which may wait in the buffer and is taken up by this very call
        self.scope = self.headers = self.cycle = None  # type: ignore[assignment]
        super().on_response_complete()


OPTIONS: dict[str, Any] = {
    "http": Forgetful,
    "ws": "none",
    "lifespan": "on",
    "access_log": False,
    "server_header": False,
    "proxy_headers": False,
    "log_level": "warning",
    "timeout_keep_alive": 5,  # seconds
    "timeout_graceful_shutdown": 10,  # seconds
}
"""For `uvicorn.Config` or `uvicorn.run`."""


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


def from_environment() -> FastAPI:
    """The application of the settings of this process, for `uvicorn.run(factory=True, workers=...)`.

    It closes its deployment when it shuts down. Raises SetupError, Unavailable.
    """
    deployment = Deployment.open(Settings.load())
    return create_app(deployment, on_shutdown=deployment.close)
