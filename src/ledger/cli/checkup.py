"""`doctor`: what leaks, and what to do about it."""

from __future__ import annotations

from dataclasses import asdict

from rich.table import Table

from ledger.cli.common import print_json
from ledger.cli.terminal import console
from ledger.errors import SetupError
from ledger.service.examination import Finding, examination
from ledger.service.ledger import Ledger


def examine(ledger: Ledger) -> list[Finding]:
    """Everything that was looked at. Raises SetupError without the installer's connection string."""
    if ledger.deployment.installer is None:
        raise SetupError("doctor looks as the installer: give --database or LEDGER_DATABASE_URL.")
    return examination(ledger.deployment)


def show(found: list[Finding], *, json: bool) -> None:
    if json:
        print_json([asdict(one) for one in found])
        return
    table = Table("", "looked at", box=None)
    for name in ("seen", "what to do"):
        table.add_column(name, overflow="fold")  # a path is useless with an ellipsis in it
    for one in found:
        table.add_row(_mark(one), one.about, one.seen, "" if one.well and not one.residue else one.todo)
    console.print(table)


def _mark(one: Finding) -> str:
    if not one.well:
        return "[bold red]leaks[/]"
    return "[yellow]known[/]" if one.residue else "[green]well[/]"
