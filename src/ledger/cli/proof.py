"""`prove`: plays the promise and everybody who attacks it, and prints the page of evidence."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ledger.cli.common import NO, Json, print_json

if TYPE_CHECKING:
    from ledger.proof.report import Line, Page
    from ledger.service.replay import Line as Spoken

PEOPLE = 50  # of one world, at most
_MARKS = {True: "[green]holds[/]", False: "[bold red]LEAKS[/]", None: "[yellow]told[/]"}


def command(
    histories: Annotated[int, typer.Option(min=1, help="How many histories are told in three ways.")] = 200,
    seed: Annotated[int, typer.Option(min=0, help="The number of the first world of histories.")] = 0,
    jobs: Annotated[int | None, typer.Option(min=1, help="Processes side by side (one a processor).")] = None,
    transcripts: Annotated[
        list[Path] | None,
        typer.Option(metavar="FILE", help="Transcripts to attack besides, as `replay` reads them."),
    ] = None,
    json: Json = False,
) -> None:
    """Puts the promise to the proof. Exit 1 when something leaks.

    It plays on an embedded server of its own, and opens no database of yours; for that there is: answer-ledger doctor
    """
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from ledger.cli.terminal import errors
    from ledger.proof.prove import Size, prove
    from ledger.proof.stage import Stage

    lines = _read(transcripts or [])
    worlds = range(seed, seed + -(-histories // PEOPLE))
    people = -(-histories // len(worlds))
    size = Size(worlds, people, jobs=min(len(worlds), jobs or os.cpu_count() or 1))
    errors.print(
        f"Playing {size.histories:,} histories, three times each, in {_counted(size.jobs, 'process', 'processes')}, "
        f"and all that comes after them{_transcribed(len(lines))}. On a server of its own; yours is not touched.",
        highlight=False,
        soft_wrap=True,
    )
    with (
        Stage.alone() as stage,
        Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=errors,
            disable=not errors.is_terminal,
            transient=True,
        ) as progress,
    ):
        task = progress.add_task("", total=size.histories + len(lines))

        def begin(title: str) -> None:
            progress.update(task, description=title)
            if progress.disable:
                errors.print(f"{title} ...", highlight=False)

        page = prove(stage, size, lines, lambda n: progress.advance(task, n), begin)
    if json:
        print_json(page.document())
    else:
        _show(page)
    raise typer.Exit(0 if page.well else NO)


def _counted(n: int, one: str, more: str) -> str:
    return f"{n:,} {one if n == 1 else more}"


def _transcribed(lines: int) -> str:
    return f"; {_counted(lines, 'line', 'lines')} of transcripts" if lines else ""


def _read(files: list[Path]) -> list[Spoken]:
    from ledger.cli.terminal import errors
    from ledger.service import replay

    lines, broken = replay.read(files)
    for place in broken:
        errors.print(f"{place.file.name}, line {place.line}: broken, skipped", markup=False, highlight=False)
    return [line for line in lines if line.answers]


def _show(page: Page) -> None:
    from rich.table import Table

    from ledger.cli.terminal import console

    for section in page.sections:
        console.print()
        console.rule(f"[bold]{section.title}", align="left", style="dim")
        table = Table(box=None, show_header=False, padding=(0, 1))
        table.add_column(min_width=5)
        table.add_column(min_width=5)
        table.add_column(overflow="fold")
        for one in section.lines:
            table.add_row(_MARKS[one.well], one.of, _told(one))
        console.print(table)
    console.print()
    failed = len(page.failures)
    console.print(
        f"[bold red]{failed} of these do not hold." if failed else "[bold green]Nothing leaks.",
        highlight=False,
    )


def _told(one: Line) -> str:
    from rich.markup import escape

    told = [f"{escape(one.about)}: [dim]{escape(one.seen)}[/]"]
    return "\n".join([*told, *(f"  {escape(detail)}" for detail in one.details)])
