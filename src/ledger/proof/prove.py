"""The whole proof on one stage: each section, and a page of what came of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import httpx
import psycopg

from ledger.errors import LedgerError
from ledger.proof import doors, noninterference, oracle, siege, wall
from ledger.proof.report import Line, Page, line
from ledger.proof.stage import Place, Stage
from ledger.service.replay import Line as Spoken


@dataclass(frozen=True, slots=True)
class Size:
    """How much is played: the numbers of the worlds, people and days of each, and processes side by side."""

    worlds: Sequence[int] = range(4)
    people: int = 50
    days: int = 4
    attacked: int = 60  # people of the world that is attacked; 0: none is
    doors: bool = True  # whether marked values go in by every door
    jobs: int = 1  # side by side, on a stage of the proof's own

    @property
    def histories(self) -> int:
        return len(self.worlds) * self.people


def prove(
    stage: Stage,
    size: Size,
    transcripts: Sequence[Spoken] = (),
    advance: Callable[[int], None] = lambda _: None,
    begin: Callable[[str], None] = lambda _: None,
) -> Page:
    """Plays everything and gives the page. Transcripts are attacked besides the generated world. `advance` hears how
    many histories, and lines of transcripts, are done; `begin` the title of each section that begins."""
    page = Page()
    stage.prepare()

    def add(title: str, section: Callable[[], Iterable[Line]]) -> None:
        begin(title)
        page.add(title, _whole(section))

    add("Nothing that lasts tells where an answer came from", lambda: _same(stage, size, advance))
    if size.attacked:
        add(
            "An attacker who has everything: were two answers given in one thread?",
            lambda: siege.of_histories(stage, size.worlds[0], size.attacked),
        )
    if transcripts:
        add(
            "The same on the transcripts",
            lambda: siege.of_transcripts(stage, transcripts, lambda: advance(1)),
        )
    add("The wall holds in the database", lambda: _in_a_place(stage, wall.examine))
    add("No reply is an oracle", lambda: _in_a_place(stage, oracle.examine))
    if size.doors:
        add("Marked values, by every door", doors.examine)
    return page


def _whole(section: Callable[[], Iterable[Line]]) -> Iterator[Line]:
    """The lines of a section; one that breaks down is a line too, and no proof."""
    try:
        yield from section()
    except (
        LedgerError,
        psycopg.Error,
        httpx.HTTPError,
        OSError,
        AssertionError,
        LookupError,
        ValueError,
    ) as error:
        # What it says may hold what was played; that it broke, and where, is enough.
        trace = error.__traceback__
        while trace is not None and trace.tb_next is not None:
            trace = trace.tb_next
        at = "" if trace is None else f" in {trace.tb_frame.f_code.co_name}"
        yield Line("this section could be played to its end", "all", False, f"{type(error).__name__}{at}")


def _in_a_place(stage: Stage, examine: Callable[[Place], Iterator[Line]]) -> Iterator[Line]:
    with stage.place() as place:
        yield from examine(place)


def _same(stage: Stage, size: Size, advance: Callable[[int], None]) -> Iterator[Line]:
    if stage.own and size.jobs > 1:
        found = noninterference.examine_side_by_side(
            size.worlds, size.people, size.days, jobs=size.jobs, advance=advance
        )
    else:
        found = noninterference.examine(stage, size.worlds, size.people, size.days, advance)
    yield line(
        "every request of a history is answered as it should be",
        "all",
        found.faults,
        f"{found.steps:,} requests and sweeps",
    )
    yield line(
        "after any write a principal's rows carry one xmin and lie in key order, in every table",
        "G1", found.disorder, f"looked at before each of {found.histories * size.days * 3 // max(1, size.people):,} sweeps, after a vacuum too",
    )  # fmt: skip
    yield line(
        "no lock is left on a row, of the registry above all",
        "G1",
        found.locked,
        "no row carries another's xmax, before each sweep",
    )
    yield line(
        "told in other threads, or in another order, a history leaves the same behind",
        "G1", found.differences, f"{found.histories:,} histories, each played three times; {found.compared:,} sections compared after the sweeps, {found.rows:,} rows",
    )  # fmt: skip
