"""`migrate` makes an empty database a ledger, and no command takes one that belongs to another pepper."""

from __future__ import annotations

from typing import Any

import pytest


def test_migrate_makes_an_empty_database_a_ledger_once(
    command: Any, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.installer.execute("drop schema ledger cascade")
    assert "ran" in command("migrate").out
    assert command("doctor").code == 0
    assert "nothing to do" in command("migrate").out


def test_migrate_without_a_database_says_which_one_is_meant(keyed: Any) -> None:
    done = keyed("migrate")
    assert done.code == 2
    assert "--database" in done.err


def test_a_database_of_another_pepper_is_refused(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEDGER_PEPPER", "YW5vdGhlciBwZXBwZXIgYW5vdGhlciBwZXBwZXIgISE=")
    command("topics", "list")
    monkeypatch.setenv("LEDGER_PEPPER", "eWV0IGFub3RoZXIgcGVwcGVyIHlldCBhbm90aGVyICEhIQ==")
    done = command("topics", "list")
    assert done.code == 2
    assert "pepper" in done.err


def test_the_first_migrate_says_where_the_keys_lie_and_what_their_loss_means(
    bare: Any, database: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.installer.execute("drop schema ledger cascade")
    database.passwords.keep(tmp_path / "data")
    monkeypatch.setenv("LEDGER_DATABASE_URL", database.url)
    first = bare("migrate")
    assert first.code == 0
    assert str(tmp_path / "data" / "keys") in first.err
    assert "nobody's answers are found again" in first.err and "logins.json" in first.err
    assert bare("migrate").err == ""
