"""`token` prints a token that works; `migrate` makes an empty database a ledger."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ledger.identity import Identity
from ledger.keys import Keys
from ledger.settings import Settings
from ledger.tokens import Tokens


def claims(token: str) -> Any:
    settings = Settings.load()
    keys = Keys.open(settings.data_dir, settings)
    identify = Identity(keys.pepper, settings.tenant).principal
    return asyncio.run(Tokens.open(settings, keys, identify).verify(token)), identify


@pytest.mark.parametrize("scope", ["agent", "capture", "principal", "agent capture"])
def test_a_token_of_a_principal(bare: Any, scope: str) -> None:
    done = bare("token", "--scope", scope, "--principal", "ann", "--ttl", "60", "--max-tier", "topics")
    assert done.code == 0
    assert done.out.count("\n") == 1
    said, identify = claims(done.out.strip())
    assert {*said.scopes} == set(scope.split())
    assert said.principal == identify("ann")
    assert said.max_tier == "topics"


@pytest.mark.parametrize("scope", ["operator", "issuer"])
def test_a_token_of_an_operator_or_a_backend_names_no_principal(bare: Any, scope: str) -> None:
    said, _ = claims(bare("token", "--scope", scope).out.strip())
    assert {*said.scopes} == {scope}
    assert said.principal is None
    assert bare("token", "--scope", scope, "--principal", "ann").code == 2


def test_a_token_of_nobody_says_what_is_missing(bare: Any) -> None:
    done = bare("token", "--scope", "agent capture")
    assert done.code == 2
    assert "--principal ID" in done.err


def test_the_first_token_makes_the_keys_and_says_so_beside_it(bare: Any, tmp_path: Any) -> None:
    done = bare("token", "--scope", "operator")
    assert done.out.count(".") == 2
    assert str(tmp_path / "data" / "keys") in done.err
    assert bare("token", "--scope", "operator").err == ""


def test_migrate_makes_an_empty_database_a_ledger_once(
    command: Any, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    database.installer.execute("drop schema ledger cascade")
    assert "ran" in command("migrate").out
    assert command("doctor").code == 0
    assert "nothing to do" in command("migrate").out


def test_migrate_without_a_database_says_which_one_is_meant(bare: Any) -> None:
    done = bare("migrate")
    assert done.code == 2
    assert "--database" in done.err


def test_a_database_of_another_pepper_is_refused(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEDGER_PEPPER", "YW5vdGhlciBwZXBwZXIgYW5vdGhlciBwZXBwZXIgISE=")
    command("topics", "list")
    monkeypatch.setenv("LEDGER_PEPPER", "eWV0IGFub3RoZXIgcGVwcGVyIHlldCBhbm90aGVyICEhIQ==")
    done = command("topics", "list")
    assert done.code == 2
    assert "pepper" in done.err
