"""The application: the routes of every surface on HTTP, behind one edge."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from fastapi import FastAPI

from ledger.api import (
    docs,
    health,
    metrics,
    openapi,
    problems,
    routes_agent,
    routes_capture,
    routes_operator,
    routes_principal,
    routes_tokens,
)
from ledger.api.edge import Edge
from ledger.api.limits import Limiter
from ledger.api.sweeping import BEHIND, log, sweep_regularly
from ledger.service.deployment import Deployment
from ledger.service.ledger import AsyncLedger
from ledger.tokens import Tokens

ROUTERS = (
    routes_agent.listing,
    routes_agent.router,
    routes_capture.router,
    routes_principal.router,
    routes_operator.router,
    routes_tokens.router,
    health.router,
    docs.router,
)


def create_app(deployment: Deployment, *, on_shutdown: Callable[[], None] = lambda: None) -> FastAPI:
    """The application of an open deployment, which stays its owner's to close.

    While it serves it sweeps every `sweep_every_hours`. Raises SetupError where the key set that the settings name can't be used.
    """
    ledger = AsyncLedger(deployment, metrics.POOL_WAIT.observe)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        sweeping = asyncio.create_task(sweep_regularly(ledger, deployment.settings.sweep_every_hours))
        yield
        sweeping.cancel()
        await ledger.close()
        on_shutdown()

    if deployment.compared is not None and deployment.compared.ahead:
        log.error(BEHIND)

    app = FastAPI(
        title="Answer ledger",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        # The framework would report paths, queries and the instants of requests to whatever is configured.
        telemetry={"tracing": False, "metrics": False, "logs": False, "auto_configure": False},
    )
    app.state.ledger = ledger
    app.state.tokens = Tokens.open(
        deployment.settings, deployment.keys, deployment.context.identity.principal
    )
    app.state.coining = Limiter(routes_agent.COIN_BURST, routes_agent.COINS_A_SECOND)
    for router in ROUTERS:
        app.router.routes.extend(router.routes)
    app.openapi = lambda: openapi.document(app)  # type: ignore[method-assign]
    problems.install(app)
    app.add_middleware(Edge)
    return app
