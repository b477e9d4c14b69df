"""What the commands share: options, an open ledger, one way to print and one way to fail.

A module of the command line imports at its top no more than declares its commands; what a command runs with is imported
in the command. So `--help` and `--version` are there at once, and `gate try` starts no database driver.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ledger.errors import BadLabel, Conflict, InvalidRequest, LedgerError, NoLedger, NotFound, SetupError

if TYPE_CHECKING:
    from ledger.service.ledger import Ledger
    from ledger.settings import Settings

NO = 1  # exit code: the answer is no
WRONG = 2  # exit code: usage, or a deployment that is not fit to start

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        metavar="DIR",
        help="The folder of the keys and the embedded database.",
        show_default=False,
    ),
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
Label = Annotated[
    str, typer.Argument(metavar="LABEL", help="The topic, by its key or by any other of its labels.")
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON, for a machine.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]


def settings(data_dir: Path | None, database: str | None, **more: Any) -> Settings:
    from ledger.settings import Settings

    return Settings.load(data_dir=data_dir, database_url=database, **more)


@contextmanager
def opened(data_dir: Path | None, database: str | None, *, make: bool = False) -> Iterator[Ledger]:
    """An open ledger. Raises NoLedger where there is none, and makes nothing, unless it is to be made."""
    from ledger.cli.terminal import BEHIND, complain, opening, tell_of_keys
    from ledger.service.ledger import Ledger

    chosen = settings(data_dir, database)
    with opening(chosen, make=make):
        ledger = Ledger.open(chosen, make=make)
    with ledger:
        if ledger.deployment.keys.made_now:
            tell_of_keys(chosen.data_dir)
        if ledger.deployment.compared is not None and ledger.deployment.compared.ahead:
            complain(BEHIND)
        yield ledger


def text_of(file: Path) -> str:
    """The text of a file that the caller named. Raises SetupError that says what is the matter with it."""
    try:
        return file.read_text("utf-8-sig")
    except FileNotFoundError:
        raise SetupError(f"There is no file {file}.") from None
    except IsADirectoryError:
        raise SetupError(f"{file} is a folder: name a file in it.") from None
    except UnicodeDecodeError as bad:
        raise SetupError(f"{file} is not UTF-8 text: see its byte {bad.start}.") from None
    except OSError as error:
        raise SetupError(f"{file} can't be read ({error.strerror}).") from None


def print_json(value: Any) -> None:
    typer.echo(json.dumps(value, ensure_ascii=False, indent=2, default=str))


def refuse(error: LedgerError) -> int:
    """Says what is wrong, in one line with the next step, and gives the exit code."""
    from ledger.cli.terminal import complain, errors

    errors.print("error:", style="bold red", end=" ")
    complain(error.detail)
    if isinstance(error, InvalidRequest):
        for problem in error.problems:
            complain(f"  {problem.at}: {problem.message}")
    return NO if isinstance(error, BadLabel | NotFound | Conflict | NoLedger) else WRONG
