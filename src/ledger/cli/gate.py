"""`gate try`: a verdict explained on the terminal; `gate check`: labelled lines scored. Nothing is stored, no database is opened."""

from __future__ import annotations

import json as jsonlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from pydantic import BaseModel, ConfigDict, ValidationError
from rich.table import Table
from rich.text import Text

from ledger import languages
from ledger.cli.common import NO, Json, console, print_json, settings
from ledger.core.gate import Gate
from ledger.core.model import Reason, Verdict
from ledger.errors import SetupError
from ledger.service.deployment import names_to_avoid

gate = typer.Typer(no_args_is_help=True, help="The gate: which spans of a message may be quoted.")

KEEP, REFUSE = "keep", "refuse"


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
    console.print(f"refused: {verdict.reason} ({verdict.rule})", style="bold red", highlight=False)
    console.print(verdict.detail, markup=False, highlight=False)
    if verdict.left_behind is not None:
        start, end = verdict.left_behind
        console.print(f"left behind: {message[start:end]}", markup=False, highlight=False)
    if verdict.nearest is not None:
        console.print(f"would pass: {verdict.nearest}", markup=False, highlight=False)


class Labelled(BaseModel):
    """A line of a file for `gate check`. `label` is `keep`, `refuse`, or the reason of the refusal (`meaning_cut`)."""

    model_config = ConfigDict(extra="forbid", strict=True)

    message: str
    span: str
    label: str
    question: str | None = None
    asked: str | None = None
    avoid: list[str] = []
    lang: str | None = None


@gate.command("check")
def check(
    file: Annotated[Path, typer.Argument(help="JSON lines: message, span, label.")],
    show: Annotated[int, typer.Option(help="How many lines that are judged otherwise to list.")] = 20,
    json: Json = False,
) -> None:
    """Scores labelled lines: how many are judged as labelled. Exit code 1 when one is not. Example: answer-ledger gate check labelled.jsonl"""
    names = names_to_avoid(settings(None, None))
    judge = Gate(languages.load()).judge
    lines: Counter[str] = Counter()
    right: Counter[str] = Counter()
    wrong: list[dict[str, Any]] = []
    for number, line in _lines(file):
        verdict = judge(
            line.message,
            line.span,
            question=line.question,
            asked=line.asked,
            avoid=(*names, *line.avoid),
            lang=line.lang,
        )
        lines[line.label] += 1
        if _as_labelled(line.label, verdict):
            right[line.label] += 1
        else:
            outcome = KEEP if verdict.accepted else str(verdict.reason)
            wrong.append(
                {"line": number, "label": line.label, "outcome": outcome, "rule": verdict.rule or None}
            )
    if json:
        labels = {label: {"lines": lines[label], "right": right[label]} for label in sorted(lines)}
        print_json({"labels": labels, "wrong": wrong})
    else:
        _report(lines, right, wrong[: max(show, 0)])
    raise typer.Exit(NO if wrong else 0)


def _as_labelled(label: str, verdict: Verdict) -> bool:
    return verdict.accepted == (label == KEEP) and label in (KEEP, REFUSE, verdict.reason)


def _lines(file: Path) -> Iterator[tuple[int, Labelled]]:
    """The lines of a file, counted from 1. Raises SetupError with the number of one that is not as it should be."""
    try:
        text = file.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise SetupError(f"{file} can't be read as UTF-8 text.") from None
    labels = {KEEP, REFUSE, *map(str, Reason)}
    for number, written in enumerate(text.split("\n"), 1):
        if not written.strip():
            continue
        try:
            line = Labelled.model_validate(jsonlib.loads(written))
        except ValidationError as bad:
            at = ".".join(map(str, bad.errors(include_url=False, include_input=False)[0]["loc"])) or "line"
            raise SetupError(
                f"{file}, line {number}: {at} is missing, unknown or of the wrong type."
            ) from None
        except ValueError:
            raise SetupError(f"{file}, line {number}: not JSON.") from None
        if line.label not in labels:
            raise SetupError(f"{file}, line {number}: label is none of {', '.join(sorted(labels))}.")
        yield number, line


def _report(lines: Counter[str], right: Counter[str], wrong: list[dict[str, Any]]) -> None:
    table = Table("label", "lines", "as labelled", "share", box=None)
    for label in sorted(lines):
        share = right[label] / lines[label]
        table.add_row(
            label,
            str(lines[label]),
            str(right[label]),
            Text(f"{share:.1%}", "green" if share == 1 else "red"),
        )
    console.print(table)
    for each in wrong:
        rule = f" ({each['rule']})" if each["rule"] else ""
        console.print(
            f"line {each['line']}: {each['label']}, judged {each['outcome']}{rule}",
            markup=False,
            highlight=False,
        )
