"""What the commands print with. A command that prints brings this along; `--help` and `--version` do not need it."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

import typer
from rich.console import Console

from ledger.settings import Settings

console = Console(highlight=False)
"""Colours on a terminal alone, and where we mean them; rich honours NO_COLOR."""
errors = Console(stderr=True, highlight=False)


BEHIND = (
    "This database lost what was taken away, as after a restore. Agents get nothing, and captures wait, till you run: "
    "answer-ledger reconcile"
)
UNRECORDED = (
    "No record is kept of what is taken away: a restored backup would show what was revoked or erased since. Name a place for it "
    "in LEDGER_TAKEN_URL or LEDGER_TAKEN_DIR."
)


def say(line: str) -> None:
    """One line as it is: no markup, and never broken, since it may be pasted."""
    console.print(line, markup=False, soft_wrap=True)


def complain(line: str) -> None:
    """The same on the standard error: what is told beside the answer of a command."""
    errors.print(line, markup=False, soft_wrap=True)


def opening(settings: Settings, *, make: bool = True) -> AbstractContextManager[object]:
    """Says what is waited for, while it lasts: on a terminal always, else at a first start, which takes some seconds."""
    first = make and settings.database_url is None and not (settings.data_dir / "keys").exists()
    made = f"making the keys and the database in {settings.data_dir} ..."
    what = made if first else "opening the ledger ..."
    if errors.is_terminal:
        return errors.status(what)
    if first:
        complain(what)
    return nullcontext()


def tell_of_keys(data_dir: Path) -> None:
    """Says once where the keys lie and what their loss means; on the standard error, since any command makes them."""
    for line in (
        f"The keys of this ledger were made just now, in {data_dir / 'keys'}. Back them up, apart from the database.",
        "  pepper                    lost, nobody's answers are found again",
        "  signing.jwk, sealing.key  lost, the tokens issued so far are void",
        "  logins.json               lost, nobody gets in until answer-ledger migrate has set new passwords",
    ):
        complain(line)


def confirmed(question: str, yes: bool) -> bool:
    """Whether he said yes, by the option or at the terminal; without a terminal only the option counts."""
    if yes:
        return True
    if not errors.is_terminal:
        complain("Nothing was done: add --yes to do it without being asked.")
        return False
    return typer.confirm(question, err=True)
