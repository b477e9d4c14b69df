"""What the ledger puts into a token, and what two holders can learn by comparing theirs."""

from __future__ import annotations

import base64
import json
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.core.model import Tier
from ledger.errors import InvalidRequest, Unauthenticated
from ledger.tokens import Scope
from ledger.tokens.claims import OF_A_PRINCIPAL

from .conftest import SIGNING, Clock, Ledger, identify, sign

ALEX, KIM = identify("alex"), identify("kim")
AGENT = [Scope.AGENT]


def parts(token: str) -> tuple[dict[str, object], dict[str, object]]:
    head, payload, _signature = token.split(".")
    return tuple(json.loads(base64.urlsafe_b64decode(part + "==")) for part in (head, payload))  # type: ignore[return-value]


def test_a_token_is_a_signed_jwt_of_three_parts(ledger: Ledger) -> None:
    head, payload = parts(ledger.tokens.issue(AGENT, principal=ALEX).token)
    assert head["alg"] == "Ed25519"
    assert (payload["iss"], payload["aud"], payload["scope"]) == ("answer-ledger", "answer-ledger", "agent")


def test_it_says_of_the_principal_nothing_but_his_uuid_encrypted(ledger: Ledger) -> None:
    _, payload = parts(ledger.tokens.issue(AGENT, principal=ALEX).token)
    assert payload.keys() == {"iss", "aud", "exp", "scope", "sub"}
    assert str(ALEX) not in json.dumps(payload)
    assert len(str(payload["sub"]).split(".")) == 5  # a compact JWE


def test_two_tokens_of_one_principal_share_nothing_that_two_of_different_ones_do_not(ledger: Ledger) -> None:
    def told(principal: object) -> list[object]:
        head, payload = parts(ledger.tokens.issue(AGENT, principal=principal).token)  # type: ignore[arg-type]
        sub = str(payload.pop("sub"))
        _, _, nonce, sealed, tag = sub.split(".")
        assert not {nonce, sealed, tag} & seen
        seen.update((nonce, sealed, tag))
        return [head, payload, sub.split(".")[0], len(sub)]

    seen: set[str] = set()
    assert told(ALEX) == told(ALEX) == told(KIM)


def test_tokens_issued_within_a_minute_or_so_end_at_the_same_moment(ledger: Ledger) -> None:
    ends = set()
    for _ in range(60):
        ends.add(parts(ledger.tokens.issue(AGENT, principal=ALEX).token)[1]["exp"])
        ledger.clock.now += 1
    assert len(ends) <= 2


@given(st.integers(1, 3600), st.floats(1e9, 3e9))
def test_no_token_lives_longer_than_asked_nor_much_shorter(ttl: int, now: float) -> None:
    ledger = Ledger(Clock(now))
    issued = ledger.tokens.issue(AGENT, principal=ALEX, ttl=ttl)
    ends = parts(issued.token)[1]["exp"]
    assert isinstance(ends, int)
    assert now + ttl - max(1, min(60, ttl / 10)) - 1 <= ends <= now + ttl
    assert issued.expires_in == max(0, int(ends - now))


def test_what_was_issued_verifies_to_what_was_asked_for(ledger: Ledger) -> None:
    issued = ledger.tokens.issue(AGENT, principal=ALEX, max_tier=Tier.TOPICS, topics=["kids", "diet"])
    claims = ledger.verify(issued.token)
    assert claims.principal == ALEX
    assert claims.scopes == {Scope.AGENT}
    assert claims.max_tier is Tier.TOPICS
    assert claims.topics == {"kids", "diet"}
    both = ledger.verify(ledger.tokens.issue([Scope.AGENT, Scope.CAPTURE], principal=ALEX).token)
    assert (both.scopes, both.max_tier, both.topics) == ({Scope.AGENT, Scope.CAPTURE}, Tier.FULL, None)


NARROWINGS: list[dict[str, Any]] = [{"max_tier": tier} for tier in Tier] + [
    {"topics": []},
    {"topics": ["kids"]},
]


@pytest.mark.parametrize("narrowing", NARROWINGS, ids=str)
@pytest.mark.parametrize("scope", ["capture", "principal", "agent capture", "operator", "issuer"])
def test_only_a_token_of_agent_alone_is_narrowed(
    ledger: Ledger, scope: str, narrowing: dict[str, Any]
) -> None:
    scopes = [Scope(word) for word in scope.split()]
    principal = ALEX if OF_A_PRINCIPAL.issuperset(scopes) else None
    credential = uuid4() if scope == "issuer" else None
    assert ledger.tokens.issue(scopes, principal=principal, credential=credential)
    with pytest.raises(InvalidRequest, match="agent alone"):
        ledger.tokens.issue(scopes, principal=principal, credential=credential, **narrowing)
    assert ledger.tokens.issue(AGENT, principal=ALEX, **narrowing)


@pytest.mark.parametrize("scope", [Scope.OPERATOR, Scope.ISSUER])
def test_operators_and_issuers_are_nobody_s_principal(ledger: Ledger, scope: Scope) -> None:
    credential = uuid4() if scope is Scope.ISSUER else None
    claims = ledger.verify(ledger.tokens.issue([scope], credential=credential).token)
    assert (claims.scopes, claims.principal, claims.credential) == ({scope}, None, credential)


def test_an_issuer_alone_is_known_by_an_id_and_always_is(ledger: Ledger) -> None:
    with pytest.raises(InvalidRequest):
        ledger.tokens.issue([Scope.ISSUER])
    with pytest.raises(InvalidRequest):
        ledger.tokens.issue([Scope.OPERATOR], credential=uuid4())
    with pytest.raises(InvalidRequest):
        ledger.tokens.issue(AGENT, principal=ALEX, credential=uuid4())


@pytest.mark.parametrize("jti", [None, "", "7", 7, ["6f1d2c9a-5b0e-4c37-9d21-0f6a8e4b7c15"]], ids=repr)
def test_an_issuer_of_ours_without_a_readable_id_is_refused(ledger: Ledger, jti: object) -> None:
    """Such as one of a release that had no ids: nobody could revoke it."""
    claims = ledger.claims(iss="answer-ledger", scope="issuer", jti=jti)
    token = sign(claims, SIGNING, "Ed25519", SIGNING.thumbprint())
    with pytest.raises(Unauthenticated):
        ledger.verify(token)


def test_an_issuer_alone_lives_longer_than_an_hour(ledger: Ledger) -> None:
    year = 366 * 86_400
    issued = ledger.tokens.issue([Scope.ISSUER], ttl=year, credential=uuid4())
    assert year - 61 <= issued.expires_in <= year
    with pytest.raises(InvalidRequest):
        ledger.tokens.issue([Scope.ISSUER], ttl=year + 1, credential=uuid4())
    with pytest.raises(InvalidRequest):
        ledger.tokens.issue([Scope.OPERATOR], ttl=3601)


@pytest.mark.parametrize("scopes", [[], ["agent", "principal"], ["capture", "operator"], list(Scope)])
def test_one_kind_a_token(ledger: Ledger, scopes: list[Scope]) -> None:
    with pytest.raises(InvalidRequest):
        ledger.tokens.issue(scopes, principal=ALEX)


def test_a_principal_goes_with_the_scopes_of_a_principal_only(ledger: Ledger) -> None:
    with pytest.raises(InvalidRequest):
        ledger.tokens.issue([Scope.AGENT])
    with pytest.raises(InvalidRequest):
        ledger.tokens.issue([Scope.OPERATOR], principal=ALEX)


@pytest.mark.parametrize("ttl", [0, -1, 3601])
def test_from_a_second_to_an_hour(ledger: Ledger, ttl: int) -> None:
    with pytest.raises(InvalidRequest):
        ledger.tokens.issue(AGENT, principal=ALEX, ttl=ttl)
