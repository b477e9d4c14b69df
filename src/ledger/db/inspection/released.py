"""The functions and the policies of a live database, word for word those of this release.

What a function is called and who may call it says nothing of what it does. Here its text, its settings and its marks (STRICT,
SECURITY DEFINER) are held against the schema files, which are installed with the program; the texts of policies against
their list below.

Source: PostgreSQL, sections 53.39 (pg_proc) and 54.18 (pg_policies); schema/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from ledger.db import expected
from ledger.db.inspection.finding import Finding, Query, known, none
from ledger.db.migrations import schema_folder

_HIS = "principal = ledger.me()"
_NOT_KEPT_BACK = "topic <> all (ledger.kept_back())"
_POLICIES: dict[str, tuple[str, str]] = {
    "writer": (_HIS, _HIS),
    "own": (_HIS, ""),
    "gate": (_HIS, ""),
    "custodian": ("true", "true"),
    "keys": (f"{_HIS} and ledger.tier() in ('topics', 'full') and {_NOT_KEPT_BACK}", ""),
    "content": (f"{_HIS} and ledger.tier() = 'full' and {_NOT_KEPT_BACK}", ""),
}
"""Policy -> which rows it lets through, and which it lets in; the same on each table that has it."""

_CLOCK = "today"
_OF_ALL_DEFINERS = frozenset({"debug_print_parse=off", "debug_print_rewritten=off", "debug_print_plan=off"})
"""What 10_grants.sql adds to each function that a surface calls; else its plans, rows in them, may be printed."""
_BESIDES = frozenset({"lock_timeout=2s"})
"""What it adds to some, for the sake of those who wait."""


@dataclass(frozen=True, slots=True)
class Declared:
    text: str
    settings: frozenset[str]
    strict: bool
    definer: bool
    kind: tuple[str, str]  # language, and how its result may change: immutable, stable, volatile


@cache
def declared() -> dict[str, Declared]:
    """What the schema files say of each function."""
    found = {}
    for path in sorted(schema_folder().glob("[0-9]*.sql")):
        _, *pieces = path.read_text("utf-8").split("create function ledger.")
        for piece in pieces:
            name = re.match(r"\w+", piece)
            if name is not None:
                found[name[0]] = _declared(piece)
    return found


def _declared(piece: str) -> Declared:
    head, _, rest = piece.partition("as $$")
    if ";" in head:  # one expression, up to the end of the statement
        start = head.index("\n  return ")
        text = _in_short(head[start : head.index(";\n", start)])
        return Declared(text, frozenset(), " strict" in head[:start], False, _kind(head[:start]))
    given = re.findall(r"^\s+set ([\w.]+) = (.+?)\s*$", head, re.M)
    settings = frozenset(f"{name}={value.strip(chr(39))}" for name, value in given)
    definer = "security definer" in head
    return Declared(
        rest.partition("$$;")[0],
        settings | _OF_ALL_DEFINERS if definer else settings,
        re.search(r"\bstrict\b", head) is not None,
        definer,
        _kind(head),
    )


def _kind(head: str) -> tuple[str, str]:
    language = re.search(r"\blanguage (\w+)", head)
    changes = re.search(r"\b(immutable|stable)\b", head)
    return language[1] if language else "", changes[1] if changes else "volatile"


def _unescaped(literal: re.Match[str]) -> str:
    """A string with Unicode escapes as the server shows it. Source: PostgreSQL, section 4.1.2.3."""
    return re.sub(r"\\([0-9A-Fa-f]{4})", lambda escape: chr(int(escape[1], 16)), literal[1])


def _in_short(expression: str) -> str:
    """One form for an expression as it was written and as the server writes it."""
    plain = re.sub(r"\bU&('(?:[^']|'')*')", _unescaped, expression)
    listed = re.sub(r"\bin \(([^()]*)\)", r"= any (array[\1])", plain.lower())
    return re.sub(r"::text|[\s()]", "", listed)


def functions(rows: Query) -> Iterator[Finding]:
    ours = declared()
    there: dict[str, Declared] = {}
    twice = set()
    for name, source, expression, settings, strict, definer, language, changes in rows(
        """select p.proname, p.prosrc, pg_get_function_sqlbody(p.oid), coalesce(p.proconfig, '{}'), p.proisstrict,
                  p.prosecdef, l.lanname,
                  case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end
             from pg_proc p join pg_language l on l.oid = p.prolang
            where p.pronamespace = 'ledger'::regnamespace"""
    ):
        if name in there:
            twice.add(name)  # with other arguments
        text = source if expression is None else _in_short(expression)
        there[name] = Declared(text, frozenset(settings) - _BESIDES, strict, definer, (language, changes))
    changed = twice | {name for name in there.keys() | ours.keys() if there.get(name) != ours.get(name)}
    yield none(
        "functions other than those of this release",
        [(name,) for name in changed - {_CLOCK}],
        "run answer-ledger migrate; else create them anew from schema/, and find out who changed them",
    )
    yield known(
        "clock other than the server's",
        [("ledger.today()",)] if _CLOCK in changed else [],
        "create ledger.today() anew from schema/04_tools.sql, unless this ledger is for tests",
    )


def policies(rows: Query) -> Iterator[Finding]:
    wrong = [
        (f"{table}.{name}",)
        for table, name, lets_through, lets_in in rows(
            """select tablename, policyname, coalesce(qual, ''), coalesce(with_check, '')
                 from pg_policies where schemaname = 'ledger' and tablename = any(%s)""",
            list(expected.OF_PRINCIPALS),
        )
        if (_in_short(lets_through), _in_short(lets_in))
        != tuple(map(_in_short, _POLICIES.get(name, ("", ""))))
    ]
    yield none("policies with another text than the reviewed", wrong, "compare with schema/03_policies.sql")


LOOKS = (functions, policies)
