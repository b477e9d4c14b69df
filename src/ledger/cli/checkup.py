"""`doctor`: what leaks, and what to do about it."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict

from rich.markup import escape
from rich.table import Table

from ledger.cli.common import print_json
from ledger.cli.terminal import console, say
from ledger.errors import SetupError
from ledger.service.examination import Finding, examination
from ledger.service.ledger import Ledger

WELL, KNOWN, LEAKS = "well", "known", "leaks"
MARKS = {WELL: "[green]well[/]", KNOWN: "[yellow]known[/]", LEAKS: "[bold red]leaks[/]"}
LONGEST_SETTING = len("log_parameter_max_length_on_error")


def examine(ledger: Ledger) -> list[Finding]:
    """Everything that was looked at. Raises SetupError without the installer's connection string."""
    if ledger.deployment.installer is None:
        raise SetupError("doctor looks as the installer: give --database or LEDGER_DATABASE_URL.")
    return examination(ledger.deployment)


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
    say(_summary(Counter(map(verdict, found))))


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
