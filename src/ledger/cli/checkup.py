"""`doctor`: what leaks, and what to do about it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict
from pathlib import Path

from rich.markup import escape
from rich.table import Table

from ledger.cli.common import opened, print_json, settings
from ledger.cli.terminal import console, say
from ledger.errors import LedgerError, SetupError
from ledger.service.examination import Finding, closed, examination

WELL, KNOWN, LEAKS = "well", "known", "leaks"
MARKS = {WELL: "[green]well[/]", KNOWN: "[yellow]known[/]", LEAKS: "[bold red]leaks[/]"}
LONGEST_SETTING = len("log_parameter_max_length_on_error")


def examine(data_dir: Path | None, database: str | None) -> list[Finding]:
    """Everything that was looked at. Raises SetupError without the installer's connection string."""
    try:
        with opened(data_dir, database) as ledger:
            if ledger.deployment.installer is None:
                raise SetupError("doctor looks as the installer: give --database or LEDGER_DATABASE_URL.")
            return examination(ledger.deployment)
    except SetupError:
        raise
    except LedgerError as error:
        return closed(settings(data_dir, database), error)


def show(found: list[Finding], *, json: bool) -> None:
    if json:
        print_json([asdict(one) for one in found])
        return
    table = Table(box=None, padding=(0, 1, 0, 0))
    table.add_column("")
    table.add_column(
        "looked at", overflow="fold", min_width=LONGEST_SETTING
    )  # no name and no path is cut off
    table.add_column("seen", overflow="fold")
    for one in sorted(found, key=lambda one: list(MARKS).index(verdict(one))):  # what matters stands last
        todo = "" if verdict(one) == WELL else f"\n[bold]{escape(one.todo)}[/]"
        table.add_row(MARKS[verdict(one)], escape(one.about), escape(one.seen) + todo)
    console.print(table)
    console.print()
    _show_commands(found)
    say(_summary(Counter(map(verdict, found))))


def _show_commands(found: list[Finding]) -> None:
    """Each on lines of its own, which no table breaks: they are to be pasted."""
    for one in found:
        if verdict(one) == LEAKS and one.commands:
            say(f"{one.about}:")
            for command in one.commands:
                say(command)
            say("")


def verdict(one: Finding) -> str:
    """In one word: well, known (well, and the threat model names what is left), or leaks."""
    return LEAKS if not one.well else KNOWN if one.residue else WELL


def _summary(n: Counter[str]) -> str:
    told = f"{n.total()} looked at: {n[WELL]} well, {n[KNOWN]} known, {n[LEAKS]} leaking. "
    if n[LEAKS]:
        return told + "Next: do what stands below each of these, and run answer-ledger doctor again."
    if n[KNOWN]:
        return (
            told
            + "Nothing has to be done; what would close the known stands below it (docs/threat-model.md)."
        )
    return told + "Nothing has to be done."
