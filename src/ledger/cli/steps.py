"""A step of an operator on the command line: run dry, shown, asked, and then done on exactly what was shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import typer

from ledger.cli.common import NO

if TYPE_CHECKING:
    from ledger.service.ledger import Ledger
    from ledger.service.operators import Preview


def step(ledger: Ledger, yes: bool, tag: str, use_case: Callable[..., Any]) -> Any:
    """Runs `use_case`, which takes If-Match, a preview and `dry_run`; `tag` is the ETag of what was seen."""
    from ledger.cli.terminal import confirmed

    preview = ledger.run(use_case(dry_run=True))
    if preview.destroys:
        _show(preview)
        if not confirmed("Go on?", yes):
            raise typer.Exit(NO)
    return ledger.run(use_case(tag, preview.token))


def _show(preview: Preview) -> None:
    from ledger.cli.terminal import complain

    complain("This destroys answers, or has people asked again:")
    for what in preview.destroys:
        complain(f"  - {what}")
    drawn = f"the snapshot of {preview.drawn_on}" if preview.drawn_on else "no snapshot yet"
    complain(f"Principals with an answer, by {drawn}: {preview.shown.principals}")
    if preview.shown.dropped is not None:
        complain(f"Answers that are gone then, at the most: {preview.shown.dropped}")
        complain(f"Answers that are asked again, at the most: {preview.shown.asked_again}")
