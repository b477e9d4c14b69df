"""`gate try`: a verdict explained on the terminal. Nothing is stored, no database is opened."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer
from rich.text import Text

from ledger import languages
from ledger.cli.common import NO, Json, console, print_json
from ledger.core.gate import Gate

gate = typer.Typer(no_args_is_help=True, help="The gate: which spans of a message may be quoted.")


@gate.callback()
def _gate() -> None:
    pass


@gate.command("try")
def try_span(
    message: str,
    span: str,
    asked: Annotated[str | None, typer.Option(help="The application's last turn.")] = None,
    question: Annotated[str | None, typer.Option(help="The topic's approved question.")] = None,
    avoid: Annotated[
        list[str] | None, typer.Option(help="A name that must not get in; again for more.")
    ] = None,
    lang: Annotated[str | None, typer.Option(help="The message's language (BCP 47).")] = None,
    json: Json = False,
) -> None:
    """Judges a span of a message. Example: answer-ledger gate try "I don't want kids" "want kids" """
    verdict = Gate(languages.load()).judge(
        message, span, question=question, asked=asked, avoid=tuple(avoid or ()), lang=lang
    )
    if json:
        print_json(asdict(verdict))
    else:
        shown = Text(message)
        at = verdict.start if verdict.start is not None else message.find(span)
        if at >= 0 and span:
            # what is kept is the message's own slice, which may be longer or shorter than the span offered
            end = at + len(verdict.answer or span)
            shown.stylize("black on green" if verdict.accepted else "black on yellow", at, end)
        if verdict.left_behind is not None:
            shown.stylize("bold white on red", *verdict.left_behind)
        console.print(shown)
        if verdict.accepted:
            console.print(
                "accepted" + (", as a bare answer: always shown with its question" if verdict.bare else ""),
                style="green",
            )
        else:
            console.print(f"refused: {verdict.reason} ({verdict.rule})", style="bold red", highlight=False)
            console.print(verdict.detail, markup=False, highlight=False)
            if verdict.left_behind is not None:
                start, end = verdict.left_behind
                console.print(f"left behind: {message[start:end]}", markup=False, highlight=False)
            if verdict.nearest is not None:
                console.print(f"would pass: {verdict.nearest}", markup=False, highlight=False)
    raise typer.Exit(0 if verdict.accepted else NO)
