"""Whether the time of a reply tells what its bytes don't: an attacker who may ask as often as he likes.

    python -m benchmarks.oracle_timing [--pin 0] [--calls 1000] [--strangers 2000]

Each case puts the same call to two principals, or two registries, in turn and in an order of chance, over the application
without a socket (a network only adds noise). Reported: the two medians, their difference with a 95 % interval, and how well
one call, and the best of 100, tells them apart (the area under the curve; 0.5 is guessing).
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import psycopg
from rich.console import Console
from rich.table import Table

from ledger.api.app import create_app
from ledger.core.model import Candidate, Decision
from ledger.service import principals
from ledger.service.ledger import Ledger
from ledger.tokens import Scope

TODAY = datetime.now(UTC).date()
WORDS = "I like it well enough"
TOPICS = [f"topic_{n:02d}" for n in range(50)]
STATES = ("revoked", "objecting", "erased")
RESAMPLES = 400

Call = Callable[[int], tuple[str, str, Any, str]]
"""The how-manieth -> method, path, body, token."""


@dataclass(frozen=True, slots=True)
class Told:
    case: str
    ours: float  # median in microseconds: where something is stored
    theirs: float  # where nothing is
    low: float  # of the difference, a 95 % interval
    high: float
    single: float  # area under the curve of one call
    many: float  # the same of medians of 100


def fill(ledger: Ledger, strangers: int) -> None:
    """Three principals with 50 entries each, of whom no agent may know; one in the same state with nothing."""
    assert ledger.deployment.installer is not None
    with psycopg.connect(ledger.deployment.installer, autocommit=True) as installer:
        installer.execute(
            "insert into ledger.topic (key, question, handling, listed) "
            "select unnest(%s::text[]), 'Is it so?', 'open', true",
            (TOPICS,),
        )
        installer.execute(
            "insert into ledger.entry select gen_random_uuid(), t, %s, %s from generate_series(1, %s), unnest(%s::text[]) t",
            (WORDS, TODAY, strangers, TOPICS),
        )
        installer.execute("vacuum analyze")
    for name in STATES:
        person = ledger.principal(name)
        for at in range(0, len(TOPICS), 25):
            person.capture(
                WORDS, TODAY - timedelta(days=3), [Candidate(t, WORDS) for t in TOPICS[at : at + 25]]
            )
        ledger.run(principals.decide_consent(ledger.context, person.id, Decision.GRANTED, "v1"))
    ledger.run(
        principals.decide_consent(ledger.context, ledger.principal("revoked").id, Decision.REVOKED, "v1")
    )
    ledger.run(principals.object_(ledger.context, ledger.principal("objecting").id, True))
    ledger.run(principals.erase(ledger.context, ledger.principal("erased").id))


async def compare(client: httpx.AsyncClient, case: str, stored: Call, nothing: Call, calls: int) -> Told:
    chance = random.Random(7)
    times: tuple[list[float], list[float]] = ([], [])
    for n in range(calls):
        for which in chance.sample((0, 1), 2):
            method, path, body, token = (stored, nothing)[which](n)
            headers = {"Authorization": f"Bearer {token}"}
            start = time.perf_counter()
            answer = await client.request(method, path, json=body, headers=headers)
            times[which].append((time.perf_counter() - start) * 1e6)
            assert answer.status_code == 200, answer.text
    ours, theirs = (one[calls // 10 :] for one in times)
    differences = sorted(
        statistics.median(chance.choices(ours, k=len(ours)))
        - statistics.median(chance.choices(theirs, k=len(theirs)))
        for _ in range(RESAMPLES)
    )
    low, high = differences[RESAMPLES // 40], differences[-RESAMPLES // 40]
    medians = [[statistics.median(chance.choices(one, k=100)) for _ in range(200)] for one in (ours, theirs)]
    return Told(
        case, statistics.median(ours), statistics.median(theirs), low, high,
        area(ours[:2000], theirs[:2000]), area(*medians),
    )  # fmt: skip


def area(ours: list[float], theirs: list[float]) -> float:
    """How often a call of the one takes longer than a call of the other, or shorter, whichever is oftener."""
    ranked = sorted([(one, 1) for one in ours] + [(one, 0) for one in theirs])
    ranks = sum(rank for rank, (_, which) in enumerate(ranked, 1) if which)
    found = (ranks - len(ours) * (len(ours) + 1) / 2) / (len(ours) * len(theirs))
    return max(found, 1 - found)


async def measure(ledger: Ledger, calls: int) -> list[Told]:
    app = create_app(ledger.deployment)
    identify = ledger.context.identity.principal

    def token(name: str, scope: Scope = Scope.AGENT) -> str:
        issued: str = app.state.tokens.issue({scope}, principal=identify(name)).token
        return issued

    def same(method: str, path: str, body: Any, bearer: str) -> Call:
        return lambda _: (method, path, body, bearer)

    reads = [
        ("plan of 5", "/v1/plan", {"labels": TOPICS[:5]}),
        ("coverage of all", "/v1/coverage", {}),
        ("recall of all", "/v1/recall", {}),
    ]
    told = []
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://localhost") as client,
    ):
        for state in STATES:
            for what, path, body in reads:
                mine, nobody = token(state), token("unknown")
                told.append(
                    await compare(
                        client, f"{what}: {state} / unknown", same("POST", path, body, mine), same("POST", path, body, nobody), calls
                    )
                )  # fmt: skip
        told.append(
            await compare(
                client,
                "coin: coined long ago / just now",
                lambda n: (
                    "POST",
                    "/v1/topics",
                    {"label": "a known hobby", "avoid": [], "new": True},
                    token("a"),
                ),
                lambda n: (
                    "POST",
                    "/v1/topics",
                    {"label": f"hobby {_letters(n)}", "avoid": [], "new": True},
                    token("a"),
                ),
                calls // 5,
            )
        )

        def message(topic: str) -> dict[str, Any]:
            return {
                "message": WORDS,
                "said_on": TODAY.isoformat(),
                "avoid": [],
                "candidates": [{"topic": topic, "span": WORDS}],
            }

        told.append(
            await compare(
                client,
                "capture, its label: coined long ago / just now",  # of nobody whose rows would grow
                lambda n: (
                    "POST",
                    "/v1/captures",
                    message("a known hobby"),
                    token("objecting", Scope.CAPTURE),
                ),
                lambda n: (
                    "POST",
                    "/v1/captures",
                    message(f"pastime {_letters(n)}"),
                    token("objecting", Scope.CAPTURE),
                ),
                calls // 5,
            )
        )
        for state, other in (("revoked", "few entries"), ("objecting", "few entries")):
            told.append(
                await compare(
                    client,
                    f"capture: {state}, 50 entries / {other}",
                    same("POST", "/v1/captures", message(TOPICS[0]), token(state, Scope.CAPTURE)),
                    same("POST", "/v1/captures", message(TOPICS[0]), token(other, Scope.CAPTURE)),
                    calls // 5,
                )
            )
    return told


def _letters(n: int) -> str:
    return "".join(chr(ord("a") + int(digit)) for digit in str(n)) + "x"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pin", type=int, default=0, help="the core to run on, server included; -1: any")
    parser.add_argument("--calls", type=int, default=1_000)
    parser.add_argument("--strangers", type=int, default=2_000, help="principals with 50 entries each")
    arguments = parser.parse_args()
    if arguments.pin >= 0 and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {arguments.pin})
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.open(data_dir=Path(folder), sweep_every_hours=0) as ledger,
    ):
        fill(ledger, arguments.strangers)
        told = asyncio.run(measure(ledger, arguments.calls))
    table = Table(title="What the time of a reply tells")
    for heading in ("case: stored / nothing stored", "us", "us", "difference, 95 %", "one call", "100 calls"):
        table.add_column(heading, justify="left" if heading.startswith("case") else "right")
    for one in told:
        table.add_row(
            one.case, f"{one.ours:.0f}", f"{one.theirs:.0f}", f"{one.low:+.1f} .. {one.high:+.1f}",
            f"{one.single:.2f}", f"{one.many:.2f}",
        )  # fmt: skip
    Console(width=120).print(table)


if __name__ == "__main__":
    main()
