"""The host's own credential: it gets tokens for months, and none from the moment on at which it is revoked."""

from __future__ import annotations

import base64
import json
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

from ledger.keys import Keys
from ledger.service import credentials, sweeps
from ledger.service.deployment import Deployment
from ledger.tokens import Scope

from .world import Api

BODY = {"principal": "alex", "scope": ["agent"], "ttl_s": 600}
QUARTER = 90 * 86_400  # seconds


def credential(api: Api, ttl: int = QUARTER) -> tuple[UUID, str]:
    id = api.run(credentials.register(ttl))
    return id, api.app.state.tokens.issue([Scope.ISSUER], ttl=ttl, credential=id).token


def ask(api: Api, token: str, body: Any = BODY) -> Any:
    return api.call("POST", "/v1/tokens", body, headers=[("Authorization", f"Bearer {token}")])


def test_it_is_good_for_as_long_as_was_asked_for(api: Api) -> None:
    _, token = credential(api)
    claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    left = datetime.fromtimestamp(claims["exp"], UTC) - datetime.now(UTC)
    assert timedelta(days=90) - timedelta(minutes=2) < left <= timedelta(days=90)
    assert ask(api, token).status_code == 200


def test_one_that_was_revoked_gets_no_token_and_the_others_go_on(api: Api) -> None:
    lost, token = credential(api)
    _, other = credential(api)
    assert ask(api, token).status_code == 200  # verified, and remembered as such by this process
    api.run(credentials.revoke(lost))
    refused = ask(api, token)
    assert (refused.status_code, refused.json()["type"].rpartition(":")[2]) == (401, "unauthenticated")
    assert "token --scope issuer" in refused.json()["detail"]
    assert ask(api, other).status_code == 200


def test_one_that_is_not_in_this_database_gets_none(api: Api) -> None:
    """Signed with the right key: made on a ledger of which an older backup was put back, or beside any."""
    token = api.app.state.tokens.issue([Scope.ISSUER], credential=uuid4()).token
    assert ask(api, token).status_code == 401


def test_it_is_looked_up_before_the_body_is_read(api: Api) -> None:
    id, token = credential(api)
    assert ask(api, token, {"nonsense": 1}).status_code == 422
    api.run(credentials.revoke(id))
    assert ask(api, token, {"nonsense": 1}).status_code == 401


def test_its_id_stands_in_no_token_that_it_gets(api: Api) -> None:
    id, token = credential(api)
    issued = ask(api, token).json()["token"]
    parts = b"".join(base64.urlsafe_b64decode(part + "==") for part in issued.split("."))
    assert id.bytes not in parts and str(id).encode() not in parts and b"jti" not in parts


def test_its_use_leaves_nothing_behind(api: Api) -> None:
    _, token = credential(api)

    def stored() -> list[Any]:
        tables = ("credential", "audit", "sweep_mark", "piece_mark", "setting")
        return [api.database.rows(f"select xmin, ctid, * from ledger.{table} order by 3") for table in tables]

    before = stored()
    assert ask(api, token).status_code == 200
    assert stored() == before


def test_the_database_keeps_days_alone_and_the_sweep_takes_it_away_after_the_last(api: Api) -> None:
    id, _ = credential(api)
    short, _ = credential(api, 43_200)
    api.run(credentials.revoke(short))
    assert api.database.rows("select * from ledger.credential order by expires_on") == [
        (short, date(2026, 9, 1), date(2026, 9, 2), True),
        (id, date(2026, 9, 1), date(2026, 11, 30), False),
    ]
    for day, left in (
        (date(2026, 9, 2), 2),
        (date(2026, 9, 3), 1),
        (date(2026, 11, 30), 1),
        (date(2026, 12, 1), 0),
    ):
        api.database.day(day)
        assert len(api.run(credentials.listing())) == left
        api.run(sweeps.sweep())
        assert api.database.rows("select count(*) from ledger.credential") == [(left,)]


def test_a_token_of_another_issuer_is_not_looked_up(api: Api) -> None:
    """Whoever signs with a key of their own ends their tokens by their own means."""
    claims = api.runner.run(api.app.state.tokens.verify(credential(api)[1]))
    assert claims.credential is not None
    claims = api.runner.run(api.app.state.tokens.verify(api.token("operator")))
    assert claims.credential is None


def test_another_signing_key_ends_every_token_at_once(database: Any, settings_for: Any) -> None:
    settings = settings_for(database)
    with_old = Deployment.open(settings)
    api = Api(with_old, database)
    _, issuer = credential(api)
    agent = ask(api, issuer).json()["token"]
    assert (
        api.call("POST", "/v1/coverage", {}, headers=[("Authorization", f"Bearer {agent}")]).status_code
        == 200
    )
    api.close()
    with_old.close()

    (settings.data_dir / "keys" / "signing.jwk").unlink()
    assert Keys.open(settings.data_dir, settings).made_now
    with_new = Deployment.open(settings)
    api = Api(with_new, database)
    try:
        for path, token in (("/v1/coverage", agent), ("/v1/tokens", issuer)):
            answer = api.call("POST", path, {}, headers=[("Authorization", f"Bearer {token}")])
            assert answer.status_code == 401
        assert ask(api, credential(api)[1]).status_code == 200
    finally:
        api.close()
        with_new.close()
