"""Non-interference as a property: a history and the same history in other threads leave the same behind.

Each world is played three times in a database of its own: as it was generated, in other threads, and in another
order within a turn, and swept, opened and restarted at other places. What lasts of a day is compared after the first
sweep of a later one, before anything is written on that.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from datetime import date, timedelta
from multiprocessing import get_context
from multiprocessing.connection import Connection, wait
from multiprocessing.synchronize import Event

from ledger.db import expected
from ledger.db.remains import LARGE, Remains, Row, Table
from ledger.proof import histories
from ledger.proof.comparison import ON_DISK, SHOWN, Evidence, differences, of_metrics, of_rows
from ledger.proof.histories import Opening, World
from ledger.proof.order import Order, compared
from ledger.proof.play import Play
from ledger.proof.stage import Place, Stage

PEOPLE = 50  # of one world
STAMPED = frozenset(expected.MAINTAINED) - {"sweep_mark", "piece_mark"}
"""Tables whose rows a sweep stamps anew. Its own marks hold numbers of transactions."""


@dataclass(slots=True)
class Findings:
    """What came of it. `disorder` and `locked` are what told something before a sweep."""

    histories: int = 0
    steps: int = 0
    sweeps: int = 0  # that closed a day, and after which everything was looked at
    compared: int = 0  # sections
    rows: int = 0  # that the plays left in tables of principals
    filled: set[str] = field(default_factory=set)  # tables of ours that held rows after a sweep
    faults: list[str] = field(default_factory=list)
    disorder: list[str] = field(default_factory=list)
    locked: list[str] = field(default_factory=list)
    differences: list[str] = field(default_factory=list)
    order: Order = field(default_factory=Order)  # of each two people's rows, after a sweep

    def add(self, more: Findings) -> None:
        for one in fields(self):
            mine, its = getattr(self, one.name), getattr(more, one.name)
            setattr(self, one.name, mine | its if isinstance(mine, set) else mine + its)

    @property
    def well(self) -> bool:
        return not (
            self.faults or self.disorder or self.locked or self.differences or list(self.order.told())
        )


def examine(
    stage: Stage,
    worlds: Sequence[int],
    people: int = PEOPLE,
    days: int = 4,
    advance: Callable[[int], None] = lambda _: None,
) -> Findings:
    """Plays the worlds of these numbers, each with so many people, and compares. Stops at the first that differs.

    `advance` hears how many histories are done.
    """
    found = Findings()
    for seed in worlds:
        found.add(_examine(stage, seed, people=people, days=days))
        advance(people)
        if not found.well:
            break
    return found


def examine_side_by_side(
    worlds: Sequence[int],
    people: int = PEOPLE,
    days: int = 4,
    *,
    jobs: int,
    advance: Callable[[int], None] = lambda _: None,
) -> Findings:
    """The same of this release, in so many processes. Each has a server of its own, since what runs in one database
    is seen in how far the sweep of another goes back."""
    context = get_context("spawn")
    stop = context.Event()
    found = Findings()
    players, ends = [], []
    for share in range(jobs):
        here, there = context.Pipe(duplex=False)
        player = context.Process(target=_play_share, args=(there, stop, worlds[share::jobs], people, days))
        player.start()
        there.close()
        players.append(player)
        ends.append(here)
    try:
        while ends:
            for end in wait(ends):
                assert isinstance(end, Connection)  # noqa: S101 - nothing else is waited for
                try:
                    found.add(end.recv())
                    advance(people)
                except EOFError:
                    ends.remove(end)
                if not found.well:
                    stop.set()
    finally:
        stop.set()
        for player in players:
            player.join()
    if any(player.exitcode for player in players):
        raise AssertionError("a process that played histories broke down")
    return found


def _play_share(end: Connection, stop: Event, worlds: Sequence[int], people: int, days: int) -> None:
    with Stage.alone() as stage:
        for seed in worlds:
            if stop.is_set():
                break
            end.send(_examine(stage, seed, people=people, days=days))
    end.close()


def _examine(stage: Stage, seed: int, *, people: int, days: int) -> Findings:
    found = Findings(histories=people)
    told = histories.generate(seed, people, days)
    others = {
        "in other threads": histories.in_other_threads(told, seed),
        "in another order": histories.in_another_order(told, seed),
    }
    first = list(_played(stage, histories.as_it_happens(told, seed), "as it was generated", found))
    for number, (how, other) in enumerate(others.items(), 1):
        happening = histories.as_it_happens(other, seed + number)
        for (day, a), (_, b) in zip(first, _played(stage, happening, f"told {how}", found), strict=True):
            found.compared += len(a)
            found.differences += [
                f"world {seed}, told {how}, by {day}: {difference}" for difference in differences(a, b)
            ]
    return found


def _played(stage: Stage, world: World, telling: str, found: Findings) -> Iterator[tuple[date, Evidence]]:
    """Plays a world, and gives what lasts after each sweep that closes a day before anything is written on the next."""
    last = world.days[-1].day + timedelta(days=1)
    with stage.place() as place:
        play = Play(place)
        for day in world.days:
            if day.opening is Opening.SWEEP:
                yield day.day, _closed(play, place, telling, day.day, found)
            play.day(day)
        yield last, _closed(play, place, telling, last, found, in_whole=True)
        found.faults += play.faults()
        found.steps += play.statuses.total()
        with Remains(place.installer) as remains:
            found.rows += sum(
                remains.count(table) for table in remains.tables() if table.name in expected.OF_PRINCIPALS
            )


def _closed(
    play: Play, place: Place, telling: str, day: date, found: Findings, *, in_whole: bool = False
) -> Evidence:
    """Begins a day with a sweep, which closes the days before; gives what lasts."""
    with Remains(place.installer) as remains:
        found.disorder += remains.disorder()[:SHOWN]
        found.locked += remains.locked()
        before = _in_order(remains)
    play.dawn(day)
    with Remains(place.installer) as remains:
        found.order += compared(before, _in_order(remains), f", {telling},")
        found.sweeps += 1
        held = {t: remains.count(t) for t in remains.tables() if not t.of_the_system}
        found.filled |= {t.name for t, n in held.items() if n}
        # not the release's own data: of so many rows statistics are a sample of chance
        remains.maintain(t for t, n in held.items() if n <= LARGE)
        return evidence(place, remains, in_whole=in_whole)


def _in_order(remains: Remains) -> list[Row]:
    """The rows whose order on disk could be that of writing."""
    return [
        row
        for table in remains.tables()
        if table.name in expected.OF_PRINCIPALS or table.name == "topic"
        for row in remains.rows(table)
    ]


def evidence(place: Place, remains: Remains, *, in_whole: bool) -> Evidence:
    """Everything that lasts of a place, by section; in whole with the catalog and large tables, as digests."""
    tables = remains.tables()
    ours = [table for table in tables if not table.of_the_system]
    large = {table for table in ours if remains.count(table) > LARGE}
    small = [table for table in ours if table not in large]
    rows = {table.full_name: remains.rows(table) for table in small}
    if in_whole:
        rows |= {table.full_name: remains.groups(table) for table in large}
    lasts = of_rows(rows, {table.full_name: _transactions(table) for table in small})
    lasts |= {
        f"{ON_DISK}{name}": [row.text for row in sorted(found, key=lambda row: row.place)]
        for name, found in rows.items()
        if name.removeprefix("ledger.") in STAMPED
    }
    if in_whole:
        lasts |= {
            f"catalog {table.full_name}": [remains.digest(table)] for table in tables if table.of_the_system
        }
    lasts["sequences"] = remains.sequences()
    lasts["order of rows"] = remains.disorder()
    lasts["server log"] = place.server_logged()
    lasts["our log"] = place.logged()
    lasts["printed"] = place.printed.getvalue().splitlines()
    lasts["metrics"] = of_metrics(*place.grown())
    lasts["record"] = place.recorded()
    lasts["files"] = [
        f"{path.relative_to(place.deployment.settings.data_dir)} {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"
        for path in place.files()
        if path.parent.name != "keys"
    ]
    return lasts


def _transactions(table: Table) -> list[str]:
    return [name for name, kind in zip(table.columns, table.kinds, strict=True) if kind in ("xid", "xid8")]
