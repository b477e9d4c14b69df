"""What lies between a surface and the server: nothing, or a pooler that shares sessions among clients."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from typing import Any

import psycopg

from ledger.db.inspection.finding import Finding
from ledger.db.operation import Surface

_ABOUT = "pooler before the server"


def findings(logins: Mapping[Surface, str], *, prepared_statements: bool) -> list[Finding]:
    """How each surface reaches the server. Raises psycopg.Error where one does not."""
    seen: dict[str, list[str]] = {}
    wrong: list[str] = []
    for surface, login in logins.items():
        mode, fault = _mode(login, prepared_statements)
        seen.setdefault(mode, []).append(surface.value)
        wrong += [fault] if fault else []
    told = "; ".join(mode if len(seen) == 1 else f"{', '.join(who)}: {mode}" for mode, who in seen.items())
    shared = any(mode != "none" for mode in seen)
    return [
        Finding(
            _ABOUT,
            not wrong,
            told,
            "; ".join(dict.fromkeys(wrong))
            or "let no raw login through the pooler: what it sets stays for the next client",
            residue=shared and not wrong,
        )
    ]


def _mode(login: str, prepared: bool) -> tuple[str, str]:
    """The mode, and what has to be changed for it."""
    with _client(login) as one, _client(login) as other:
        ((backend,),) = one.execute("select pg_backend_pid()").fetchall()
        if backend == one.info.backend_pid:
            return "none", ""  # a pooler makes up the number by which a client may cancel
        try:
            with one.transaction():
                one.execute("select 1")
        except psycopg.errors.Error:
            return (
                "statement",
                "set pool_mode to transaction: an operation is one statement, a migration is not",
            )
        fault = ""
        if prepared:
            fault = _prepares_badly(login)
        left = secrets.token_hex(8)
        one.execute("select set_config('ledger.doctor', %s, false)", (left,))
        ((found,),) = other.execute("select current_setting('ledger.doctor', true)").fetchall()
        one.execute("select set_config('ledger.doctor', '', false)")
        if found == left:
            return "transaction: what one client sets for its session stays for the next", fault
        return "session, or transaction with sessions to spare", fault


def _prepares_badly(login: str) -> str:
    try:
        for _ in range(2):
            with psycopg.connect(
                login, autocommit=True, prepare_threshold=0, connect_timeout=5
            ) as connection:
                for _ in range(2):
                    connection.execute("select 1")
    except psycopg.Error:
        return "set LEDGER_PREPARED_STATEMENTS=false: this pooler mixes up prepared statements"
    return ""


def _client(login: str) -> psycopg.Connection[Any]:
    return psycopg.connect(login, autocommit=True, prepare_threshold=None, connect_timeout=5)
