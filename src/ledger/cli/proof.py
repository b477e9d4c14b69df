"""`prove`: plays the promise and everybody who attacks it, and prints the page of evidence."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from ledger.cli.common import NO, Json, console, errors, print_json
from ledger.proof.report import Line, Page

if TYPE_CHECKING:
    from ledger.service.replay import Line as Spoken

PEOPLE = 50  # of one world
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
    """Puts the promise to the proof, on databases made for it. Exit 1 when something leaks. Example: answer-ledger prove"""
    from ledger.proof.prove import Size, prove  # takes long, and no other command needs it
    from ledger.proof.stage import Stage

    lines = _read(transcripts or [])
    people = min(histories, PEOPLE)
    worlds = range(seed, seed + -(-histories // people))
    size = Size(worlds, people, jobs=min(len(worlds), jobs or os.cpu_count() or 1))
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
        task = progress.add_task("playing", total=size.histories + len(lines))
        page = prove(stage, size, lines, lambda n: progress.advance(task, n))
    if json:
        print_json(page.document())
    else:
        _show(page)
    raise typer.Exit(0 if page.well else NO)


def _read(files: list[Path]) -> list[Spoken]:
    from ledger.service import replay

    lines, broken = replay.read(files)
    for place in broken:
        errors.print(f"{place.file.name}, line {place.line}: broken, skipped", markup=False, highlight=False)
    return [line for line in lines if line.answers]


def _show(page: Page) -> None:
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
    told = [f"{escape(one.about)}: [dim]{escape(one.seen)}[/]"]
    return "\n".join([*told, *(f"  {escape(detail)}" for detail in one.details)])
