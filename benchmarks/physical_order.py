"""What it costs that a principal's rows carry one xmin and lie in key order, and that the sweep stamps them anew.

    python -m benchmarks.physical_order [--entries 100000] [--principals 60] [--rounds 12] [--vacuum 4]

Writes: the capture function over a bare connection against a bare upsert of the same answer, in turn, for
principals with 12, 50 and 200 entries; an answer that is there is said again, or a topic is new. Nobody waits for
the disk, on either side. Every few rounds a vacuum frees space in the middle; every principal must lie in order still: else it fails.

The sweep: the re-stamp of everything, of what one in a hundred principals wrote since, and of nothing, at so
many entries (10^6: `--entries 1000000`).
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

import psycopg
from rich.console import Console
from rich.table import Table

from ledger.db import capture, sweeper
from ledger.db.capture import Kept
from ledger.db.clock import Clock
from ledger.db.operation import Operation, Surface
from ledger.db.remains import Remains
from ledger.service.ledger import Ledger

TODAY = datetime.now(UTC).date()
SIZES = (12, 50, 200)
NEW = 24  # topics that nobody has an answer on yet
WORDS = "I like it well enough, most of the time"

Row = tuple[str, str, str, str, str]


def topics(n: int) -> list[str]:
    return [f"topic_{i:03d}" for i in range(n)]


def run(connection: psycopg.Connection[Any], operation: Operation[Any]) -> Any:
    return operation.read(connection.execute(operation.sql, operation.parameters).fetchall())


class Writers:
    """Both ways of writing an answer, over a connection each."""

    def __init__(self, ledger: Ledger, installer: psycopg.Connection[Any]) -> None:
        self._identity = ledger.context.identity
        self._installer = installer
        self._captures = psycopg.connect(
            ledger.deployment.logins[Surface.CAPTURE], autocommit=True, prepare_threshold=1
        )

    def kept(self, principal: UUID, names: list[str], words: str) -> None:
        marks = self._identity.mark_all(principal)
        answers = [
            Kept(name, name, words, None, (name,), (self._identity.mark(principal, name), marks))
            for name in names
        ]
        assert run(self._captures, capture.keep(principal, TODAY, answers))

    def upserted(self, principal: UUID, names: list[str], words: str) -> None:
        self._installer.execute(
            "insert into public.floor select %s, n, %s, %s from unnest(%s::text[]) n "
            "on conflict (principal, topic) do update set answer = excluded.answer, as_of = excluded.as_of",
            (principal, words, TODAY, names),
        )


def writes(
    ledger: Ledger, installer: psycopg.Connection[Any], principals: int, rounds: int, every: int
) -> Iterator[Row]:
    writers = Writers(ledger, installer)
    installer.execute("create table public.floor (like ledger.entry including all)")
    for size in SIZES:
        people = [ledger.context.identity.principal(f"one of {size}, {n}") for n in range(principals)]
        for person in people:
            writers.kept(person, topics(size), WORDS)
            writers.upserted(person, topics(size), WORDS)
        for what, names in (
            ("said again", topics(size)),
            ("a new topic", [f"new_{i:02d}" for i in range(NEW)]),
        ):
            ours, floor = [], []
            for number in range(min(rounds, len(names))):
                if number % every == every - 1:
                    installer.execute("vacuum ledger.entry, public.floor")
                name, words = [names[number * 7 % len(names)]], f"{WORDS} ({number})"
                ours.append(_each(people, partial(writers.kept, names=name, words=words)))
                floor.append(_each(people, partial(writers.upserted, names=name, words=words)))
            mine, bare = statistics.median(ours), statistics.median(floor)
            xmins = installer.execute(
                "select max(n) from (select count(distinct xmin::text) n from public.floor where principal = any(%s) group by principal) r",
                (people,),
            ).fetchall()[0][0]
            yield (
                str(size),
                what,
                f"{mine:.0f}",
                f"{bare:.0f}",
                f"{mine / bare:.2f} · 1 xmin, the upsert {xmins}",
            )


def _each(people: list[UUID], write: Callable[[UUID], None]) -> float:
    """The median of one write for each, in microseconds."""
    times = []
    for person in people:
        start = time.perf_counter()
        write(person)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


def sweeps(
    ledger: Ledger, installer: psycopg.Connection[Any], entries: int
) -> Iterator[tuple[str, str, str]]:
    each = 20
    installer.execute(
        "insert into ledger.entry select p.id, t.key, %s, %s from "
        "(select gen_random_uuid() as id from generate_series(1, %s)) p, "
        "(select 'topic_' || to_char(n, 'FM000') as key from generate_series(0, %s) n) t order by 1, 2",
        (WORDS, TODAY, entries // each, each - 1),
    )
    installer.execute("vacuum ledger.entry")
    with (
        Clock(str(ledger.deployment.installer)) as clock,
        psycopg.connect(ledger.deployment.logins[Surface.SWEEPER], autocommit=True) as connection,
    ):
        pieces = [piece for piece in run(connection, sweeper.pieces()) if piece.is_stamped]
        rounds = ("everything", "what one principal in a hundred wrote since", "nothing written since")
        for day, what in enumerate(rounds, 1):
            if what.startswith("what"):
                installer.execute(
                    "update ledger.entry set answer = answer where principal in "
                    "(select principal from ledger.entry group by principal having abs(hashtext(principal::text)) % 100 = 0)",
                )
            # what was written is of an earlier day once the next has begun
            clock.set(datetime.now(UTC).date() + timedelta(days=day))
            run(connection, sweeper.cut())
            start = time.perf_counter()
            stamped = sum(run(connection, sweeper.restamp(piece)) for piece in pieces)
            yield what, f"{stamped:,}", f"{(time.perf_counter() - start) * 1e3:,.0f}"


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entries", type=int, default=100_000, help="of all, for the sweep")
    parser.add_argument("--principals", type=int, default=60, help="of each size, for the writes")
    parser.add_argument("--rounds", type=int, default=12, help="writes of each principal, of a kind")
    parser.add_argument("--vacuum", type=int, default=4, help="a vacuum after so many rounds")
    arguments = parser.parse_args()
    console = Console(width=110)
    with (
        tempfile.TemporaryDirectory() as folder,
        Ledger.open(data_dir=Path(folder), sweep_every_hours=0) as ledger,
        psycopg.connect(str(ledger.deployment.installer), autocommit=True, prepare_threshold=1) as installer,
    ):
        installer.execute("alter system set synchronous_commit = off")
        installer.execute("select pg_reload_conf()")
        installer.execute(
            "insert into ledger.topic (key, handling, listed) select k, 'open', true from unnest(%s::text[]) k",
            (topics(max(SIZES)) + [f"new_{i:02d}" for i in range(NEW)],),
        )
        table = Table(title="One write, microseconds, median")
        for heading in ("entries", "write", "ours", "upsert", "ratio"):
            table.add_column(heading, justify="left" if heading in ("write", "ratio") else "right")
        for row in writes(ledger, installer, arguments.principals, arguments.rounds, arguments.vacuum):
            table.add_row(*row)
        console.print(table)
        with Remains(str(ledger.deployment.installer)) as remains:
            disorder = remains.disorder()
        console.print(f"principals out of order after a vacuum and all writes: {len(disorder)}")
        table = Table(title=f"The sweep's re-stamp at {arguments.entries:,} entries more")
        for heading in ("of", "rows", "milliseconds"):
            table.add_column(heading, justify="left" if heading == "of" else "right")
        for stamped in sweeps(ledger, installer, arguments.entries):
            table.add_row(*stamped)
        console.print(table)
    raise SystemExit(bool(disorder))


if __name__ == "__main__":
    main()
