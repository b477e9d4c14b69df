"""`token` prints a token that works; `migrate` makes an empty database a ledger."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ledger.errors import Unauthenticated
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
def test_a_token_of_a_principal(keyed: Any, scope: str) -> None:
    done = keyed("token", "--scope", scope, "--principal", "ann", "--ttl", "60")
    assert done.code == 0
    assert done.out.count("\n") == 1
    said, identify = claims(done.out.strip())
    assert {*said.scopes} == set(scope.split())
    assert said.principal == identify("ann")
    assert said.max_tier == "full"


def test_a_token_of_an_agent_and_nobody_else_may_be_narrowed(keyed: Any) -> None:
    given = ("--principal", "ann", "--max-tier", "topics")
    said, _ = claims(keyed("token", "--scope", "agent", *given).out.strip())
    assert said.max_tier == "topics"
    for scope in ("capture", "principal", "agent capture"):
        done = keyed("token", "--scope", scope, *given)
        assert (done.code, done.out) == (2, "")
        assert "agent alone" in done.err
    assert keyed("token", "--scope", "operator", "--max-tier", "full").code == 2


def test_tenants_that_share_their_keys_share_no_token(keyed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {}
    for tenant in ("north", "south"):
        monkeypatch.setenv("LEDGER_TENANT", tenant)
        made[tenant] = [
            keyed("token", "--scope", "agent", "--principal", "ann").out.strip(),
            keyed("token", "--scope", "operator").out.strip(),
            keyed("token", "--scope", "issuer").out.strip(),
        ]
    for tenant in made:
        monkeypatch.setenv("LEDGER_TENANT", tenant)
        for owner, tokens in made.items():
            for token in tokens:
                if owner == tenant:
                    assert claims(token)
                else:
                    with pytest.raises(Unauthenticated):
                        claims(token)


@pytest.mark.parametrize("scope", ["operator", "issuer"])
def test_a_token_of_an_operator_or_a_backend_names_no_principal(keyed: Any, scope: str) -> None:
    said, _ = claims(keyed("token", "--scope", scope).out.strip())
    assert {*said.scopes} == {scope}
    assert said.principal is None
    assert keyed("token", "--scope", scope, "--principal", "ann").code == 2


def test_a_token_of_nobody_says_what_is_missing(keyed: Any) -> None:
    done = keyed("token", "--scope", "agent capture")
    assert done.code == 2
    assert "--principal ID" in done.err


def test_where_there_are_no_keys_no_token_is_made_with_new_ones(bare: Any, tmp_path: Any) -> None:
    for pepper in (None, "YW5vdGhlciBwZXBwZXIgYW5vdGhlciBwZXBwZXIgISE="):
        with pytest.MonkeyPatch.context() as patch:
            if pepper:
                patch.setenv("LEDGER_PEPPER", pepper)
            done = bare("token", "--scope", "operator")
        assert (done.code, done.out) == (1, "")
        assert f"There is no ledger in {tmp_path / 'data'}" in done.err
        assert not (tmp_path / "data").exists()


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
