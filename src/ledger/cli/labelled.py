"""Labelled lines: read, judged, and what is judged otherwise than labelled; shares by kind and language."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError
from rich.table import Table
from rich.text import Text

from ledger import languages
from ledger.cli.common import text_of
from ledger.cli.terminal import console, say
from ledger.core.gate import Gate
from ledger.core.model import Reason, Verdict
from ledger.errors import SetupError

KEEP, REFUSE = "keep", "refuse"
LABELS = (KEEP, REFUSE, *map(str, Reason))


class Labelled(BaseModel):
    """A line of the file. `label` is `keep`, `refuse`, or the reason of the refusal (`meaning_cut`)."""

    model_config = ConfigDict(extra="forbid", strict=True)

    message: str
    span: str
    label: str
    question: str | None = None
    asked: str | None = None
    avoid: list[str] = []
    lang: str | None = None
    kind: str | None = None  # of the line, in the words of whoever labels: shares are told by it

    def fits(self, verdict: Verdict) -> bool:
        return verdict.accepted == (self.label == KEEP) and self.label in (KEEP, REFUSE, verdict.reason)


@dataclass(frozen=True, slots=True)
class Wrong:
    """A line that is judged otherwise; `line` is counted from 1."""

    line: int
    said: Labelled
    verdict: Verdict

    @property
    def outcome(self) -> str:
        return KEEP if self.verdict.accepted else str(self.verdict.reason)


def is_near(span: str, verdict: Verdict) -> bool:
    """Whether a span is kept: as it is, or through a `nearest` that holds it and is at most 1.5 times as long or 40 characters longer."""
    if verdict.accepted:
        return True
    wider = verdict.nearest
    return wider is not None and span.strip() in wider and len(wider) <= max(1.5 * len(span), len(span) + 40)


@dataclass(slots=True)
class Shares:
    """How many of some lines are to be kept, and are, as they are or nearly; how many are to be refused, and are."""

    keep: int = 0
    kept: int = 0
    near: int = 0
    refuse: int = 0
    refused: int = 0

    def count(self, line: Labelled, verdict: Verdict) -> None:
        if line.label == KEEP:
            self.keep += 1
            self.kept += verdict.accepted
            self.near += is_near(line.span, verdict)
        else:
            self.refuse += 1
            self.refused += not verdict.accepted


@dataclass(slots=True)
class Score:
    by_kind: dict[str, Shares] = field(default_factory=dict)  # "" are lines without a kind
    by_lang: dict[str, Shares] = field(default_factory=dict)
    all: Shares = field(default_factory=Shares)
    lines: Counter[str] = field(default_factory=Counter)  # by label
    right: Counter[str] = field(default_factory=Counter)  # of these, judged as labelled
    wrong: list[Wrong] = field(default_factory=list)  # in the order of the file

    def document(self) -> dict[str, Any]:
        """For a machine, and so perhaps for a log: numbers, and nothing of what the lines hold."""
        return {
            "labels": {
                label: {"lines": self.lines[label], "right": self.right[label]}
                for label in sorted(self.lines)
            },
            "all": asdict(self.all),
            "kinds": {kind: asdict(shares) for kind, shares in sorted(self.by_kind.items())},
            "languages": {lang: asdict(shares) for lang, shares in sorted(self.by_lang.items())},
            "wrong": [
                {
                    "line": one.line,
                    "label": one.said.label,
                    "outcome": one.outcome,
                    "rule": one.verdict.rule or None,
                }
                for one in self.wrong
            ],
        }


def score(file: Path, avoid: Sequence[str]) -> Score:
    """Judges each line of a file; `avoid` are names besides those of the line. Raises SetupError as `_lines` does."""
    judge = Gate(languages.load()).judge
    found = Score()
    for number, line in _lines(file):
        verdict = judge(
            line.message,
            line.span,
            question=line.question,
            asked=line.asked,
            avoid=(*avoid, *line.avoid),
            lang=line.lang,
        )
        for shares in (
            found.all,
            found.by_kind.setdefault(line.kind or "", Shares()),
            found.by_lang.setdefault(line.lang or "", Shares()),
        ):
            shares.count(line, verdict)
        found.lines[line.label] += 1
        if line.fits(verdict):
            found.right[line.label] += 1
        else:
            found.wrong.append(Wrong(number, line, verdict))
    return found


def _lines(file: Path) -> Iterator[tuple[int, Labelled]]:
    """The lines of a file, counted from 1. Raises SetupError with the number of one that is not as it should be."""
    for number, written in enumerate(text_of(file).split("\n"), 1):
        if not written.strip():
            continue
        try:
            line = Labelled.model_validate(json.loads(written))
        except ValidationError as bad:
            at = ".".join(map(str, bad.errors(include_url=False, include_input=False)[0]["loc"])) or "line"
            raise SetupError(
                f"{file}, line {number}: {at} is missing, unknown or of the wrong type."
            ) from None
        except (ValueError, RecursionError):
            raise SetupError(f"{file}, line {number}: not JSON.") from None
        if line.label not in LABELS:
            raise SetupError(f"{file}, line {number}: label is none of {', '.join(sorted(LABELS))}.")
        yield number, line


def show(found: Score, most: int) -> None:
    """The table of labels, then the lines that are judged otherwise: at most so many, with their text, since the file is
    that of who asks."""
    table = Table("label", "lines", "as labelled", "share", box=None)
    for label in sorted(found.lines):
        share = found.right[label] / found.lines[label]
        table.add_row(
            label,
            str(found.lines[label]),
            str(found.right[label]),
            Text(f"{share:.1%}", "green" if share == 1 else "red"),
        )
    console.print(table)
    console.print(_shares(found))
    for one in found.wrong[:most]:
        rule = f" ({one.verdict.rule})" if one.verdict.rule else ""
        say(f"\nline {one.line}: expected {one.said.label}, judged {one.outcome}{rule}")
        say(f"  message     {one.said.message}")
        say(f"  span        {one.said.span}")
        if one.verdict.nearest is not None:
            say(f"  would pass  {one.verdict.nearest}")
    if len(found.wrong) > most:
        say(f"\nand {len(found.wrong) - most} more lines (--show N lists N of them)")


def _shares(found: Score) -> Table:
    """What is kept, kept or near, and refused, by kind and by language."""
    table = Table("", "to keep", "kept", "or near", "to refuse", "refused", box=None)
    rows = [("all", found.all)]
    rows += [(f"kind {kind or '-'}", shares) for kind, shares in sorted(found.by_kind.items())]
    rows += [(f"lang {lang or '-'}", shares) for lang, shares in sorted(found.by_lang.items())]
    for title, shares in rows:
        table.add_row(
            title,
            str(shares.keep),
            _share(shares.kept, shares.keep),
            _share(shares.near, shares.keep),
            str(shares.refuse),
            _share(shares.refused, shares.refuse),
        )
    return table


def _share(part: int, whole: int) -> str:
    return f"{part / whole:.1%}" if whole else "-"
