"""What the ledger adds to the database call that it makes: ratios within one run, on one core.

    python -m benchmarks.hot_path [--pin 0] [--principals 20000] [--calls 2000]

Each case runs the ledger's way and a floor in turn, a block of each, and compares the medians of the blocks'
medians. The floors: the same SQL function over a bare psycopg connection; a bare async FastAPI route that
verifies the same token and makes that one call; a bare upsert, durable as the capture is. Over HTTP both are
served as `serve` does it, each by a process of its own, and called on connections that are kept alive.
"""

from __future__ import annotations

import argparse
import http.client
import json
import multiprocessing
import os
import socket
import statistics
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
import uvicorn
from fastapi import Depends, FastAPI, Request
from rich.console import Console
from rich.table import Table

from ledger.api import serving
from ledger.api.app import create_app
from ledger.core.model import Candidate, Decision
from ledger.db.operation import Surface
from ledger.service import principals
from ledger.service.deployment import Deployment
from ledger.service.ledger import Ledger
from ledger.settings import Settings
from ledger.tokens import Scope, Tokens

TODAY = datetime.now(UTC).date()
TOPICS = [f"topic_{n:02d}" for n in range(12)]
BLOCKS = 20
RECALL = "select * from ledger.recall(%s, %s, %s, %s, %s, %s, %s)"
COVERAGE = "select * from ledger.coverage(%s, %s, %s, %s, %s, %s)"


def fill(ledger: Ledger, principals_: int) -> Any:
    """A registry of 100 listed topics, `principals_` strangers with 12 entries each, and one who consented."""
    assert ledger.deployment.installer is not None
    with psycopg.connect(ledger.deployment.installer, autocommit=True) as installer:
        installer.execute(
            "insert into ledger.topic (key, question, handling, listed) "
            "select 'topic_' || to_char(n, 'FM00'), 'Is it so?', 'open', true from generate_series(0, 99) n"
        )
        installer.execute(
            "insert into ledger.entry select gen_random_uuid(), 'topic_' || to_char(t, 'FM00'), 'I like it well enough', current_date "
            "from generate_series(1, %s) p, generate_series(0, 11) t",
            (principals_,),
        )
        installer.execute("vacuum analyze")
    person = ledger.principal("ann")
    for topic in TOPICS:
        person.capture("I like it well enough", TODAY, [Candidate(topic, "I like it well enough")])
    ledger.run(principals.decide_consent(ledger.context, person.id, Decision.GRANTED, "v1"))
    assert len(person.recall().entries) == 12
    return person


def compare(
    calls: int, ours: Callable[[], object], floor: Callable[[], object]
) -> tuple[float, float, float]:
    """Medians in microseconds of ours and of the floor, and their ratio, block by block."""
    blocks: list[tuple[float, float]] = []
    for _ in range(BLOCKS):
        pair = []
        for call in (ours, floor):
            times = []
            for _ in range(max(10, calls // BLOCKS)):
                start = time.perf_counter()
                call()
                times.append(time.perf_counter() - start)
            pair.append(statistics.median(times) * 1e6)
        blocks.append((pair[0], pair[1]))
    return (
        statistics.median(a for a, _ in blocks),
        statistics.median(b for _, b in blocks),
        statistics.median(a / b for a, b in blocks),
    )


def in_process(
    person: Any, deployment: Deployment, calls: int
) -> list[tuple[str, tuple[float, float, float], float]]:
    with psycopg.connect(deployment.logins[Surface.AGENT], autocommit=True, prepare_threshold=1) as bare:
        narrowing: tuple[Any, ...] = ("full", False, [])
        recall: tuple[Any, ...] = (person.id, [], True, *narrowing, 12)
        coverage: tuple[Any, ...] = (person.id, [], True, *narrowing)
        named = (person.id, TOPICS, False, *narrowing, 12)
        return [
            (
                "recall of 12 entries, in process",
                compare(calls, person.recall, lambda: bare.execute(RECALL, recall).fetchall()),
                1.3,
            ),
            (
                "recall of 12 named topics, in process",
                compare(calls, lambda: person.recall(TOPICS), lambda: bare.execute(RECALL, named).fetchall()),
                1.3,
            ),
            (
                "coverage of all, in process",
                compare(calls, person.coverage, lambda: bare.execute(COVERAGE, coverage).fetchall()),
                1.3,
            ),
        ]


def captures(ledger: Ledger, calls: int) -> list[tuple[str, tuple[float, float, float], float]]:
    """Over 200 principals with 12 entries each in turn, as captures come."""
    installer = ledger.deployment.installer
    assert installer is not None
    message = "Well, to be honest with you, I like it well enough. How about you?"
    answer = Candidate(TOPICS[5], "I like it well enough")
    people = [ledger.principal(f"person {n}") for n in range(200)]
    for person in people:
        person.capture(message, TODAY, [Candidate(topic, answer.span) for topic in TOPICS])
    with psycopg.connect(installer, autocommit=True, prepare_threshold=1) as bare:
        bare.execute("create table public.floor (like ledger.entry including all)")
        bare.execute(
            "insert into public.floor select * from ledger.entry where principal = any(%s)",
            ([p.id for p in people],),
        )
        turns = [iter(range(10**9)), iter(range(10**9))]

        def upsert() -> None:
            bare.execute(
                "insert into public.floor values (%s, %s, %s, %s) "
                "on conflict (principal, topic) do update set answer = excluded.answer, as_of = excluded.as_of",
                (people[next(turns[0]) % 200].id, answer.topic, answer.span, TODAY),
            )

        def capture() -> None:
            people[next(turns[1]) % 200].capture(message, TODAY, [answer])

        result = compare(calls // 2, capture, upsert)
        bare.execute("drop table public.floor")
    return [("capture at 12 entries, durable (gate, write, rows laid anew)", result, 3.5)]


def bare_route(deployment: Deployment) -> FastAPI:
    """The floor of a recall over HTTP."""
    tokens = Tokens.open(deployment.settings, deployment.keys, deployment.context.identity.principal)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        async with await psycopg.AsyncConnection.connect(
            deployment.logins[Surface.AGENT], autocommit=True, prepare_threshold=1
        ) as connection:
            app.state.connection = connection
            yield

    app = FastAPI(lifespan=lifespan)

    async def verified(request: Request) -> Any:
        return await tokens.verify(request.headers["authorization"].removeprefix("Bearer "))

    @app.post("/v1/recall")
    async def recall(body: dict[str, Any], claims: Any = Depends(verified)) -> Any:  # noqa: B008
        cursor = await app.state.connection.execute(
            RECALL, (claims.principal, [], True, "full", False, [], 12)
        )
        return await cursor.fetchall()

    return app


def serve(listening: socket.socket, data_dir: Path, application: Callable[[Deployment], FastAPI]) -> None:
    """One server, in a process of its own."""
    deployment = Deployment.open(Settings.load(data_dir=data_dir, sweep_every_hours=0))
    uvicorn.Server(uvicorn.Config(application(deployment), **serving.OPTIONS)).run(sockets=[listening])


@contextmanager
def recalling(
    data_dir: Path, application: Callable[[Deployment], FastAPI], headers: dict[str, str]
) -> Iterator[Callable[[], Any]]:
    """A recall of all on one connection to such a server, which is kept alive."""
    with serving.listen("127.0.0.1", 0) as listening:
        server = multiprocessing.get_context("spawn").Process(
            target=serve, args=(listening, data_dir, application), daemon=True
        )
        server.start()
        connection = http.client.HTTPConnection(*listening.getsockname())

        def recall() -> Any:
            connection.request("POST", "/v1/recall", b"{}", headers)
            with connection.getresponse() as response:
                return json.loads(response.read())

        yield recall
        connection.close()
        server.terminate()
        server.join()


def over_http(
    deployment: Deployment, person: Any, calls: int
) -> list[tuple[str, tuple[float, float, float], float]]:
    tokens = Tokens.open(deployment.settings, deployment.keys, deployment.context.identity.principal)
    token = tokens.issue({Scope.AGENT}, principal=person.id).token
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data_dir = deployment.settings.data_dir
    with (
        recalling(data_dir, create_app, headers) as ours,
        recalling(data_dir, bare_route, headers) as floor,
    ):
        assert len(ours()["entries"]) == len(floor()) == 12
        result = compare(calls, ours, floor)
    return [("recall of 12 entries, over HTTP on a kept connection", result, 1.3)]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pin", type=int, default=0, help="the core to run on, server included; -1: any")
    parser.add_argument("--principals", type=int, default=20_000)
    parser.add_argument("--calls", type=int, default=2_000)
    arguments = parser.parse_args()
    if arguments.pin >= 0 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {arguments.pin})
    rows: list[tuple[str, tuple[float, float, float], float]] = []
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.open(data_dir=Path(folder), sweep_every_hours=0) as ledger,
    ):
        person = fill(ledger, arguments.principals)
        rows += in_process(person, ledger.deployment, arguments.calls)
        rows += over_http(ledger.deployment, person, arguments.calls)
        rows += captures(ledger, arguments.calls)
    table = Table(
        title=f"Hot path, {arguments.principals * 12:,} entries, one core"
        if arguments.pin >= 0
        else "Hot path"
    )
    for heading in ("case", "ours, us", "floor, us", "ratio", "bar"):
        table.add_column(heading, justify="left" if heading == "case" else "right")
    for case, (ours, floor, ratio), bar in rows:
        table.add_row(case, f"{ours:.0f}", f"{floor:.0f}", f"{ratio:.2f}", f"<= {bar}")
    Console(width=110).print(table)
    raise SystemExit(any(ratio > bar for _, (_, _, ratio), bar in rows))


if __name__ == "__main__":
    main()
