"""`gate try`: a verdict explained on the terminal; `gate check`: labelled lines scored. Nothing is stored, no database is opened."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ledger.cli.common import NO, Json, print_json, settings
from ledger.cli.help import example, group

if TYPE_CHECKING:
    from ledger.core.model import Verdict

gate = group("The gate: which spans of a message may be quoted. No database is needed.")


@gate.command("try", epilog=example("""answer-ledger gate try "I don't want kids" "want kids\""""))
def try_span(
    message: Annotated[
        str, typer.Argument(metavar="MESSAGE", help="What the person typed, whole, in quotation marks.")
    ],
    span: Annotated[
        str, typer.Argument(metavar="SPAN", help="The part of it that would be kept, in quotation marks.")
    ],
    asked: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="What he was asked: the application's turn before the message."),
    ] = None,
    question: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The topic's approved question.")
    ] = None,
    avoid: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A name that must not get in; give it again for more."),
    ] = None,
    lang: Annotated[
        str | None, typer.Option(metavar="TAG", help="The message's language (BCP 47), such as es.")
    ] = None,
    json: Json = False,
) -> None:
    """Judges a span of a message, and explains the verdict. Exit code 1 when it is refused.

    A bare "no" passes with --question and --asked alone, since it means nothing without its question.
    """
    from ledger import languages
    from ledger.core.gate import Gate
    from ledger.service.avoid import names_to_avoid

    names = (*names_to_avoid(settings(None, None)), *(avoid or ()))
    verdict = Gate(languages.load()).judge(
        message, span, question=question, asked=asked, avoid=names, lang=lang
    )
    if json:
        print_json(asdict(verdict))
    else:
        _explain(message, span, verdict)
    raise typer.Exit(0 if verdict.accepted else NO)


def _explain(message: str, span: str, verdict: Verdict) -> None:
    from rich.text import Text

    from ledger.cli.terminal import console, say

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
        return
    console.print(f"refused: {verdict.reason} ({verdict.rule})", style="bold red")
    say(verdict.detail)
    if verdict.left_behind is not None:
        start, end = verdict.left_behind
        say(f"left behind: {message[start:end]}")
    if verdict.nearest is not None:
        say(f"would pass: {verdict.nearest}")


@gate.command(
    "check",
    epilog=example("answer-ledger gate check labelled.jsonl"),
)
def check(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Labelled lines (JSON), UTF-8.")],
    show: Annotated[
        int, typer.Option(metavar="N", help="How many of the lines that are judged otherwise to list.")
    ] = 20,
    json: Json = False,
) -> None:
    """Scores labelled lines: how many are judged as labelled. Exit code 1 when one is not.

    A line of the file is one JSON object:

    \b
      {"message": "I don't want kids", "span": "want kids", "label": "refuse"}

    label is keep, refuse, or the reason of a refusal (meaning_cut); question, asked, avoid, lang and kind may stand beside it.
    Of the lines to keep it tells how many are kept as they are, and how many so or near: through what would pass, where
    that holds the span and is at most 1.5 times as long or 40 characters longer. Shares are told by kind and by language.
    Each line that is judged otherwise is listed: its number, what was expected, the verdict with the rule, what would pass.
    """
    from ledger.cli import labelled
    from ledger.service.avoid import names_to_avoid

    score = labelled.score(file, names_to_avoid(settings(None, None)))
    if json:
        print_json(score.document())
    else:
        labelled.show(score, max(show, 0))
    raise typer.Exit(NO if score.wrong else 0)
