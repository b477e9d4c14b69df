"""The whole proof on one stage: each section, and a page of what came of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

import httpx
import psycopg

from ledger.errors import LedgerError
from ledger.proof import doors, echoes, noninterference, oracle, siege, standing, wall
from ledger.proof.order import LIMIT
from ledger.proof.report import Line, Page, line
from ledger.proof.stage import Place, Stage
from ledger.service.replay import Line as Spoken


class Section(StrEnum):
    """A part of the proof, by its title on the page."""

    HISTORIES = "Nothing that lasts tells where an answer came from"
    ATTACK = "An attacker who has everything: were two answers given in one thread?"
    TRANSCRIPTS = "The same on the transcripts"
    WALL = "The wall holds in the database"
    STANDING = "The newest answer stands, and what was deleted stays away"
    ORACLE = "No reply is an oracle"
    ECHOES = "No reply and no log is an echo"
    DOORS = "Marked values, by every door"


@dataclass(frozen=True, slots=True)
class Size:
    """How much is played: the numbers of the worlds, people and days of each, processes side by side; and what of it."""

    worlds: Sequence[int] = range(4)
    people: int = 50
    days: int = 4
    attacked: int = 60  # people of the world that is attacked
    jobs: int = 1  # side by side, on a stage of the proof's own
    sections: Collection[Section] = tuple(Section)

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
    """Plays the sections of a size and gives the page. Transcripts are attacked besides the generated world. `advance`
    hears how many histories, and lines of transcripts, are done; `begin` the title of each section that begins."""
    page = Page()
    stage.prepare()
    played: dict[Section, Callable[[], Iterable[Line]]] = {
        Section.HISTORIES: lambda: _same(stage, size, advance),
        Section.ATTACK: lambda: siege.of_histories(stage, size.worlds[0], size.attacked),
        Section.TRANSCRIPTS: lambda: siege.of_transcripts(stage, transcripts, lambda: advance(1)),
        Section.WALL: lambda: _in_a_place(stage, wall.examine),
        Section.STANDING: lambda: _in_a_place(stage, standing.examine),
        Section.ORACLE: lambda: _in_a_place(stage, oracle.examine),
        Section.ECHOES: lambda: _in_a_place(stage, echoes.examine),
        Section.DOORS: doors.examine,
    }
    for section, play in played.items():
        if section in size.sections and (transcripts or section is not Section.TRANSCRIPTS):
            begin(section)
            page.add(section, _whole(play))
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
    if stage.server is not None and size.jobs > 1:
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
        "G1", found.disorder, f"looked at before each of {found.sweeps:,} sweeps, after a vacuum too",
    )  # fmt: skip
    yield line(
        "no lock is left on a row, of the registry above all",
        "G1",
        found.locked,
        "no row carries another's xmax, before each sweep",
    )
    yield line(
        "once stamped anew, rows of different people lie in no order of writing, in any table",
        "G1", list(found.order.told()), f"of {len(found.order.score)} groups of rows the farthest lies {found.order.farthest():.1f} standard errors from it, and {LIMIT:.0f} would be too far",
    )  # fmt: skip
    yield line(
        "told in other threads, or in another order, a history leaves the same behind",
        "G1", found.differences, f"{found.histories:,} histories, each played three times; {found.compared:,} sections compared after the sweeps, {found.rows:,} rows",
    )  # fmt: skip
