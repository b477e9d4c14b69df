"""What the commands share: options, an open ledger, one way to print and one way to fail."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from ledger.errors import BadLabel, Conflict, InvalidRequest, LedgerError, NotFound
from ledger.service.ledger import Ledger
from ledger.settings import Settings

NO = 1  # exit code: the answer is no
WRONG = 2  # exit code: usage, or a deployment that is not fit to start

console = Console()
"""Colours on a terminal alone; rich honours NO_COLOR."""
errors = Console(stderr=True)

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", help="The folder of the keys and the embedded database.", show_default=False),
]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="A PostgreSQL of yours instead of the embedded one.",
        show_default=False,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Machine output.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]


def settings(data_dir: Path | None, database: str | None, **more: Any) -> Settings:
    return Settings.load(data_dir=data_dir, database_url=database, **more)


@contextmanager
def opened(data_dir: Path | None, database: str | None) -> Iterator[Ledger]:
    """An open ledger. Waiting is told on a terminal, since a first start takes a second or two."""
    chosen = settings(data_dir, database)
    with errors.status("opening the ledger") if errors.is_terminal else _silence():
        ledger = Ledger.open(chosen)
    with ledger:
        if ledger.deployment.keys.made_now:
            tell_of_keys(chosen.data_dir)
        yield ledger


@contextmanager
def _silence() -> Iterator[None]:
    yield


def say(line: str) -> None:
    """One line as it is: no markup, and never broken, since it may be pasted."""
    console.print(line, markup=False, highlight=False, soft_wrap=True)


def tell_of_keys(data_dir: Path) -> None:
    """Says once where the keys lie and what their loss means; on the standard error, since any command makes them."""
    for line in (
        f"The keys of this ledger were made just now, in {data_dir / 'keys'}. Back them up, apart from the database.",
        "  pepper                    lost, nobody's answers are found again",
        "  signing.jwk, sealing.key  lost, the tokens issued so far are void",
    ):
        errors.print(line, markup=False, highlight=False, soft_wrap=True)


def print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def refuse(error: LedgerError) -> int:
    """Says what is wrong, in one line with the next step, and gives the exit code."""
    errors.print("error:", style="bold red", end=" ")
    errors.print(error.detail, markup=False, highlight=False, soft_wrap=True)
    if isinstance(error, InvalidRequest):
        for problem in error.problems:
            errors.print(f"  {problem.at}: {problem.message}", markup=False, highlight=False, soft_wrap=True)
    return NO if isinstance(error, BadLabel | NotFound | Conflict) else WRONG


def confirmed(question: str, yes: bool) -> bool:
    """Whether he said yes, by the option or at the terminal; without a terminal only the option counts."""
    if yes:
        return True
    if not errors.is_terminal:
        errors.print("Nothing was done: add --yes to do it without being asked.", highlight=False)
        return False
    return typer.confirm(question, err=True)
