"""The functions and the policies of a live database, word for word those of this release.

What a function is called and who may call it says nothing of what it does. Here its text, its settings and its marks (STRICT,
SECURITY DEFINER) are held against the schema files, which are installed with the program; the texts of policies against
their list below.

Source: PostgreSQL, sections 53.39 (pg_proc) and 54.18 (pg_policies); schema/.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache

from ledger.db import expected
from ledger.db.inspection.finding import Finding, Query, none
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

_OF_ALL_DEFINERS = frozenset({"debug_print_parse=off", "debug_print_rewritten=off", "debug_print_plan=off"})
"""What 10_grants.sql adds to each function that a surface calls; else its plans, rows in them, may be printed."""
_OF_THE_PATIENT = frozenset({"lock_timeout=2s"})
"""What it adds to those that it lists, for the sake of those who wait."""


@dataclass(frozen=True, slots=True)
class Declared:
    text: str
    settings: frozenset[str]
    strict: bool
    definer: bool
    leakproof: bool  # it would see rows before a policy does: none of ours is
    kind: tuple[str, str]  # language, and how its result may change: immutable, stable, volatile
    statements: str = field(default="", compare=False)  # what makes it so again


@cache
def declared() -> dict[str, Declared]:
    """What the schema files say of each function."""
    found = {}
    grants = (schema_folder() / "10_grants.sql").read_text("utf-8")
    (patient,) = re.findall(r"foreach n in array array\[(.*?)\]", grants, re.S)
    for path in sorted(schema_folder().glob("[0-9]*.sql")):
        _, *pieces = path.read_text("utf-8").split("create function ledger.")
        for piece in pieces:
            name = re.match(r"\w+", piece)
            if name is not None:
                found[name[0]] = _declared(name[0], piece, f"'{name[0]}'" in patient)
    return found


def _declared(name: str, piece: str, is_patient: bool) -> Declared:
    head, _, rest = piece.partition("as $$")
    if ";" in head:  # one expression, up to the end of the statement
        start = head.index("\n  return ")
        end = head.index(";\n", start)
        text = in_short(head[start:end])
        made = f"create or replace function ledger.{head[:end]};"
        return Declared(text, frozenset(), " strict" in head[:start], False, False, _kind(head[:start]), made)
    given = re.findall(r"^\s+set ([\w.]+) = (.+?)\s*$", head, re.M)
    definer = "security definer" in head
    granted = (_OF_ALL_DEFINERS if definer else frozenset()) | (
        _OF_THE_PATIENT if is_patient else frozenset()
    )
    body = rest.partition("$$;")[0]
    pairs = (setting.partition("=") for setting in sorted(granted))
    more = (f"\nalter function ledger.{name} set {key} = '{value}';" for key, _, value in pairs)
    return Declared(
        body,
        frozenset(f"{setting}={value.strip(chr(39))}" for setting, value in given) | granted,
        re.search(r"\bstrict\b", head) is not None,
        definer,
        False,
        _kind(head),
        f"create or replace function ledger.{head}as $${body}$$;{''.join(more)}",
    )


def _kind(head: str) -> tuple[str, str]:
    language = re.search(r"\blanguage (\w+)", head)
    changes = re.search(r"\b(immutable|stable)\b", head)
    return language[1] if language else "", changes[1] if changes else "volatile"


def _unescaped(literal: re.Match[str]) -> str:
    """A string with Unicode escapes as the server shows it. Source: PostgreSQL, section 4.1.2.3."""
    return re.sub(r"\\([0-9A-Fa-f]{4})", lambda escape: chr(int(escape[1], 16)), literal[1])


def in_short(expression: str) -> str:
    """One form for an expression as it was written and as the server writes it."""
    plain = re.sub(r"\bU&('(?:[^']|'')*')", _unescaped, expression)
    listed = re.sub(r"\bin \(([^()]*)\)", r"= any (array[\1])", plain.lower())
    return re.sub(r"::text(\[\])?|[\s()]", "", listed)


def functions(rows: Query) -> Iterator[Finding]:
    """None is left out, the clock neither: whoever turns it back brings back what is past its window."""
    ours = declared()
    there: dict[str, list[tuple[str, Declared]]] = {}
    for name, signature, source, expression, settings, strict, definer, leakproof, language, changes in rows(
        """select p.proname, p.oid::regprocedure::text, p.prosrc, pg_get_function_sqlbody(p.oid),
                  coalesce(p.proconfig, '{}'), p.proisstrict, p.prosecdef, p.proleakproof, l.lanname,
                  case p.provolatile when 'i' then 'immutable' when 's' then 'stable' else 'volatile' end
             from pg_proc p join pg_language l on l.oid = p.prolang
            where p.pronamespace = 'ledger'::regnamespace"""
    ):
        text = source if expression is None else in_short(expression)
        found = Declared(text, frozenset(settings), strict, definer, leakproof, (language, changes))
        there.setdefault(name, []).append((signature, found))
    wrong = [(name, ours[name].statements) for name in ours.keys() - there.keys()]
    for name, those in there.items():
        for signature, found in those:
            if found != ours.get(name):
                is_one_too_many = name not in ours or len(those) > 1
                wrong.append(
                    (name, f"drop function {signature};" if is_one_too_many else ours[name].statements)
                )
        if len({found.text for _, found in those}) < len(those):
            wrong.append((name, f"-- {' or '.join(signature for signature, _ in those)}: one is too many"))
    yield none(
        "functions other than those of this release",
        wrong,
        "make them anew (their owners and rights: schema/10_grants.sql), and find out who changed them",
    )


def policies(rows: Query) -> Iterator[Finding]:
    wrong = [
        (f"{table}.{name}",)
        for table, name, lets_through, lets_in in rows(
            """select tablename, policyname, coalesce(qual, ''), coalesce(with_check, '')
                 from pg_policies where schemaname = 'ledger' and tablename = any(%s)""",
            list(expected.OF_PRINCIPALS),
        )
        if (in_short(lets_through), in_short(lets_in)) != tuple(map(in_short, _POLICIES.get(name, ("", ""))))
    ]
    yield none("policies with another text than the reviewed", wrong, "compare with schema/03_policies.sql")


LOOKS = (functions, policies)
