"""What an inspection gives back."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at: what it is, whether it is well, what was seen, what to do.

    `about` is a noun, so that it reads right with either verdict before it and with what was seen behind it: the thing
    itself ("server version", 18.6), or what should not be there ("extensions that keep statements", none).

    `residue`: well as far as the ledger promises, and still something that the threat model names; `todo` says
    what closes it.

    `commands`: lines of SQL (they end in `;`) or of a shell that mend it as they stand, one for each thing that was seen.
    """

    about: str
    well: bool
    seen: str
    todo: str = ""
    residue: bool = False
    commands: tuple[str, ...] = ()


Query = Callable[..., list[tuple[Any, ...]]]
"""Runs a statement with its parameters; gives the rows."""


def none(about: str, wrong: Iterable[tuple[Any, ...]], todo: str) -> Finding:
    """Well where nothing is wrong; else a row says what is, and with a second column the line that mends it."""
    seen, commands = _told(wrong)
    return Finding(about, not seen, seen or "none", todo, commands=commands)


def known(about: str, left: Iterable[tuple[Any, ...]], todo: str) -> Finding:
    """Well either way, and a residue where something is left."""
    seen, commands = _told(left)
    return Finding(about, True, seen or "none", todo, residue=bool(seen), commands=commands)


def _told(rows: Iterable[tuple[Any, ...]]) -> tuple[str, tuple[str, ...]]:
    ordered = sorted({tuple(map(str, row)) for row in rows})
    lines = dict.fromkeys(row[1] for row in ordered if len(row) > 1)
    return ", ".join(dict.fromkeys(row[0] for row in ordered)), tuple(lines)
