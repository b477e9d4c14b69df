"""`replay`: plays transcripts and shows what a ledger would have saved."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from ledger.cli.common import NO, print_json
from ledger.cli.terminal import complain, console, errors, say
from ledger.service import replay
from ledger.service.ledger import Ledger
from ledger.settings import Settings


def run(files: list[Path], *, json: bool) -> int:
    """Plays the files in a ledger of its own, which is gone afterwards. Gives 1 if a line was broken, else 0."""
    lines, broken = replay.read(files)
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="ledger-replay-"))
        ledger = stack.enter_context(Ledger.open(Settings.alone(data_dir=Path(folder), sweep_every_hours=0)))
        progress = stack.enter_context(
            Progress(
                TextColumn("{task.description}"),
                BarColumn(),
                MofNCompleteColumn(),
                TimeRemainingColumn(),
                console=errors,
                disable=not errors.is_terminal,
                transient=True,
            )
        )
        task = progress.add_task("playing", total=len(lines))
        report = replay.play(ledger, lines, lambda: progress.advance(task))
    report.broken = sorted([*broken, *report.broken])
    for place in report.broken:
        complain(f"{place.file.name}, line {place.line}: broken, skipped")
    if json:
        print_json(asdict(report) | {"broken": [place._asdict() for place in report.broken]})
    else:
        _show(report)
    return NO if report.broken else 0


def _show(report: replay.Report) -> None:
    table = Table(box=None, show_header=False, title="Replay", title_justify="left", title_style="bold")
    table.add_column(justify="right")
    table.add_column()
    for number, what in (
        (report.messages, "messages"),
        (report.principals, "principals"),
        (report.threads, "threads, each another counterparty"),
        (len(report.broken), "broken lines, skipped"),
        (sum(report.captures.values()), "captures"),
        (report.captures.get("accepted", 0), "  accepted"),
    ):
        table.add_row(f"{number:,}", what)
    for reason, number in sorted(report.captures.items(), key=lambda pair: -pair[1]):
        if reason != "accepted":
            table.add_row(f"{number:,}", f"  refused: {reason}")
    table.add_row(f"{report.asked:,}", "questions on a topic")
    table.add_row(f"{report.asked_again:,}", "  asked again by another counterparty")
    for tier, number in report.spared.items():
        share = f" ({number / report.asked_again:.0%})" if report.asked_again else ""
        table.add_row(f"{number:,}", f"  spared in tier {tier}{share}")
    table.add_row(f"{report.as_a_question:,}", "  old answers that came back as a question")
    console.print(table)
    refused = sum(report.captures.values()) - report.captures.get("accepted", 0)
    say("")
    if refused:
        say("Next: see why a span is refused, and what would pass, with: answer-ledger gate try MESSAGE SPAN")
    say(
        "To let your application hand over what is typed: docs/guides/application.md; agents ask: docs/guides/agents.md"
    )
