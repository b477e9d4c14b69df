"""Where there is no ledger a command says so, with the next step, and makes none: not a key, not a folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from test_manners import commands

MAKES_ONE = {"serve", "migrate", "restore", "topics import"}
"""What makes a ledger. `demo`, `replay` and `prove` play on one of their own, which is gone afterwards."""
PLAYS = {"demo", "replay", "prove"}
NEEDS_NONE = {"gate try", "gate check"}

WORDS = {
    "token": ["--scope", "operator"], "why": ["ann", "kids"], "export": ["ann"], "erase": ["ann", "--yes"],
    "legal-hold place": ["ann"], "legal-hold lift": ["ann"], "topics set": ["kids", "--new"], "topics merge": ["kids", "children"],
    "windows set": ["90", "365", "--yes"], "sweep": [], "doctor": [], "topics list": [], "windows show": [],
    "reconcile": [], "backup": ["kept"], "token list": [], "token revoke": ["6f1d2c9a-5b0e-4c37-9d21-0f6a8e4b7c15"],
}  # fmt: skip
"""With which words a command is called, where it needs some."""

others = pytest.mark.parametrize(
    "name", [name for name, _ in commands() if name not in MAKES_ONE | PLAYS | NEEDS_NONE]
)


def everything_in(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*"))


def test_every_command_is_on_one_of_these_lists() -> None:
    """A new one is to be thought about."""
    assert {name for name, _ in commands()} == {*WORDS, *MAKES_ONE, *PLAYS, *NEEDS_NONE}


@others
@pytest.mark.parametrize("pepper", [None, "YW5vdGhlciBwZXBwZXIgYW5vdGhlciBwZXBwZXIgISE="])
def test_in_an_empty_folder_it_says_that_there_is_none_and_leaves_it_empty(
    name: str, pepper: str | None, bare: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if pepper:
        monkeypatch.setenv("LEDGER_PEPPER", pepper)
    done = bare(*name.split(), *WORDS[name])
    assert (done.code, done.out) == (1, "")
    assert f"There is no ledger in {tmp_path / 'data'}" in done.err
    assert "answer-ledger serve" in done.err, "the next step"
    assert everything_in(tmp_path) == []


@pytest.mark.parametrize("name", [name for name in WORDS if name != "token"])  # which needs the keys alone
def test_beside_a_database_without_a_ledger_too(
    name: str, keyed: Any, database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.installer.execute("drop schema ledger cascade")
    database.passwords.keep(tmp_path / "data")
    monkeypatch.setenv("LEDGER_DATABASE_URL", database.url)
    before = everything_in(tmp_path)
    done = keyed(*name.split(), *WORDS[name])
    assert (done.code, done.out) == (1, "")
    assert "There is no ledger in this database" in done.err and "answer-ledger migrate" in done.err
    assert everything_in(tmp_path) == before


@pytest.mark.parametrize("name", ["erase", "export"])
def test_nobody_of_an_id_is_said_and_is_no_success(name: str, command: Any, database: Any) -> None:
    done = command(name, "a mistyped id", *(["--yes"] if name == "erase" else []))
    assert (done.code, done.out) == (1, "")
    assert "Nobody of this id is known" in done.err and "mistyped" not in done.err
    assert database.rows("select count(*) from ledger.audit") == [(0,)]


def test_a_pepper_that_was_lost_is_asked_for_and_no_new_one_is_made(bare: Any, tmp_path: Path) -> None:
    assert bare("topics", "import", "dating").code == 0
    pepper = tmp_path / "data" / "keys" / "pepper"
    pepper.unlink()
    for words in (("topics", "list"), ("topics", "import", "dating"), ("erase", "ann", "--yes")):
        done = bare(*words)
        assert done.code == 2
        assert f"{pepper} is missing" in done.err
        assert not pepper.exists()
