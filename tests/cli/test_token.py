"""`token` prints a token that works, and knows those of backends by an id."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta
from typing import Any
from uuid import uuid4

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


def test_tenants_that_share_their_keys_share_no_token(command: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    made = {}
    for tenant in ("north", "south"):
        monkeypatch.setenv("LEDGER_TENANT", tenant)
        made[tenant] = [
            command("token", "--scope", "agent", "--principal", "ann").out.strip(),
            command("token", "--scope", "operator").out.strip(),
            command("token", "--scope", "issuer").out.strip(),
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
def test_a_token_of_an_operator_or_a_backend_names_no_principal(command: Any, scope: str) -> None:
    said, _ = claims(command("token", "--scope", scope).out.strip())
    assert {*said.scopes} == {scope}
    assert said.principal is None
    assert command("token", "--scope", scope, "--principal", "ann").code == 2


@pytest.mark.parametrize(("ttl", "days"), [("90d", 90), ("12h", 1), ("30m", 1), ("3600", 1), ("366d", 366)])
def test_a_credential_of_a_backend_is_printed_alone_listed_and_revoked(
    command: Any, ttl: str, days: int
) -> None:
    assert command("token", "list").out.startswith("There is none.")
    done = command("token", "--scope", "issuer", "--ttl", ttl)
    said, _ = claims(done.out.strip())
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert f"answer-ledger token revoke {said.credential}" in done.err

    (one,) = command("token", "list", "--json").json
    assert (one["id"], one["revoked"]) == (str(said.credential), False)
    assert date.fromisoformat(one["expires_on"]) - date.fromisoformat(one["issued_on"]) == timedelta(days)
    assert "revoked" not in command("token", "list").out

    for _ in range(2):
        assert command("token", "revoke", one["id"]).code == 0
        shown = command("token", "list").out
        assert one["id"] in shown and "revoked" in shown


def test_to_revoke_what_there_is_not_is_1(command: Any) -> None:
    assert command("token", "revoke", str(uuid4())).code == 1


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
