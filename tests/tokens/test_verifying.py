"""Which tokens count: signature, exp, aud and iss are checked; the rest is read strictly or ignored."""

from __future__ import annotations

import base64
import hmac
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from joserfc import jws
from joserfc.jwk import ECKey, OKPKey, RSAKey

from ledger import tokens as module
from ledger.core.model import Tier
from ledger.errors import LedgerError, Unauthenticated, WrongScope
from ledger.tokens import Scope, Tokens
from ledger.tokens.key_sets import PublicKey, read

from .conftest import SEALING, SIGNING, Ledger, identify, sign

ED = OKPKey.generate_key("Ed25519", parameters={"kid": "ed"})
EC = ECKey.generate_key("P-256", parameters={"kid": "ec"})
RSA = RSAKey.generate_key(2048, parameters={"kid": "rsa"})
JWKS = {"keys": [key.as_dict(private=False) for key in (ED, EC, RSA)]}


class Fixed:
    def __init__(self, document: object = JWKS) -> None:
        self.keys = read(document)

    async def find(self, kid: str | None) -> PublicKey | None:
        return self.keys.get(kid or "")


@pytest.fixture
def ledger() -> Ledger:
    return Ledger(outside=(Fixed(),))


def refused(ledger: Ledger, token: str, error: type[LedgerError] = Unauthenticated) -> None:
    with pytest.raises(error):
        ledger.verify(token)


def good(ledger: Ledger, **changes: Any) -> str:
    return sign(ledger.claims(**changes), ED, "Ed25519", "ed")


def part(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


# ── Signatures ───────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("key", "alg", "kid"),
    [
        (ED, "Ed25519", "ed"),
        (EC, "ES256", "ec"),
        (RSA, "RS256", "rsa"),
        (RSA, "PS256", "rsa"),
    ],
)
def test_a_token_of_another_issuer_names_the_principal_by_his_outside_id(
    ledger: Ledger, key: Any, alg: str, kid: str
) -> None:
    claims = ledger.verify(sign(ledger.claims(), key, alg, kid, custom="header"))
    assert claims.principal == identify("alex")
    assert claims.scopes == {Scope.AGENT}
    assert (claims.max_tier, claims.topics) == (Tier.FULL, None)


@pytest.mark.filterwarnings("ignore:EdDSA is deprecated")
def test_the_older_name_of_the_algorithm_is_understood(ledger: Ledger) -> None:
    token = sign(ledger.claims(), ED, "EdDSA", "ed")
    assert ledger.verify(token).principal == identify("alex")


def test_every_changed_character_voids_a_token(ledger: Ledger) -> None:
    token = good(ledger)
    for at in range(0, len(token), 7):
        other = "A" if token[at] != "A" else "B"
        refused(ledger, token[:at] + other + token[at + 1 :])


def test_no_algorithm_is_no_signature(ledger: Ledger) -> None:
    for alg in ("none", "None", "NONE", ""):
        refused(ledger, f"{part({'alg': alg, 'kid': 'ed'})}.{part(ledger.claims())}.")
        own = {"alg": alg, "kid": SIGNING.thumbprint()}
        refused(ledger, f"{part(own)}.{part(ledger.claims(iss='answer-ledger'))}.")


def test_a_public_key_is_never_taken_for_a_shared_secret(ledger: Ledger) -> None:
    for public in (
        RSA.as_pem(private=False),
        RSA.as_der(private=False),
        json.dumps(RSA.as_dict(private=False)).encode(),
    ):
        for kid in ("rsa", SIGNING.thumbprint()):
            text = f"{part({'alg': 'HS256', 'kid': kid})}.{part(ledger.claims())}"
            mac = hmac.digest(public, text.encode(), "sha256")
            refused(ledger, f"{text}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}")


def test_a_key_verifies_its_own_algorithms_only(ledger: Ledger) -> None:
    pinned = {"keys": [{**RSA.as_dict(private=False), "alg": "RS256"}]}
    ledger = Ledger(outside=(Fixed(pinned),))
    assert ledger.verify(sign(ledger.claims(), RSA, "RS256", "rsa"))
    refused(ledger, sign(ledger.claims(), RSA, "PS256", "rsa"))


def test_a_known_key_id_with_another_key_is_refused(ledger: Ledger) -> None:
    stranger = OKPKey.generate_key("Ed25519")
    for kid in ("ed", SIGNING.thumbprint()):
        refused(ledger, sign(ledger.claims(), stranger, "Ed25519", kid))


def test_a_key_in_the_header_is_not_looked_at(ledger: Ledger) -> None:
    stranger = OKPKey.generate_key("Ed25519")
    refused(ledger, sign(ledger.claims(), stranger, "Ed25519", jwk=stranger.as_dict(private=False)))


def test_a_critical_header_that_is_not_understood_voids_a_token(ledger: Ledger) -> None:
    registry = jws.JWSRegistry(algorithms=["Ed25519"], strict_check_header=False)
    registry.check_header = lambda header: None  # type: ignore[method-assign]
    head = {"alg": "Ed25519", "kid": "ed", "crit": ["http://example/x"], "http://example/x": True}
    refused(ledger, jws.serialize_compact(head, json.dumps(ledger.claims()), ED, registry=registry))


@pytest.mark.parametrize(
    "token", ["", ".", "..", "a.b.c", "é.ü.ñ", "\ud800", "x" * 9000, "e30.e30.e30", "bnVsbA.e30.e30"]
)
def test_what_is_no_token_is_refused(ledger: Ledger, token: str) -> None:
    refused(ledger, token)


def test_deep_json_in_a_token_is_refused(ledger: Ledger) -> None:
    deep = b"[" * 4000
    refused(ledger, f"{base64.urlsafe_b64encode(deep).decode().rstrip('=')}.e30.e30")
    refused(ledger, sign(b'{"a":' + deep, ED, "Ed25519", "ed"))


@given(st.text(max_size=200))
def test_no_text_makes_verifying_fail_in_another_way(text: str) -> None:
    refused(Ledger(), text)
    refused(Ledger(), f"{text}.{text}.{text}")


# ── Claims ───────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("exp", [None, "2100-01-01", True, [], -1, 0, float("inf"), float("nan")])
def test_it_ends(ledger: Ledger, exp: object) -> None:
    refused(ledger, good(ledger, exp=exp))


def test_it_ends_at_the_second_even_when_it_was_verified_before(ledger: Ledger) -> None:
    token = good(ledger, exp=int(ledger.clock.now) + 5)
    assert ledger.verify(token)
    ledger.clock.now = int(ledger.clock.now) + 5
    refused(ledger, token)


@pytest.mark.parametrize("aud", [None, "other", ["other"], "", [], {"answer-ledger": 1}, "answer-ledger "])
def test_it_is_meant_for_this_ledger(ledger: Ledger, aud: object) -> None:
    refused(ledger, good(ledger, aud=aud))


def test_it_may_be_meant_for_others_too(ledger: Ledger) -> None:
    assert ledger.verify(good(ledger, aud=["other", "answer-ledger"]))


@pytest.mark.parametrize("iss", [None, "answer-ledger", "https://login.example/", ["https://login.example"]])
def test_a_key_speaks_for_its_own_issuer_only(ledger: Ledger, iss: object) -> None:
    refused(ledger, good(ledger, iss=iss))


def test_our_own_key_does_not_speak_for_another_issuer(ledger: Ledger) -> None:
    refused(ledger, sign(ledger.claims(), SIGNING, "Ed25519", SIGNING.thumbprint()))


@pytest.mark.parametrize("sub", [None, "", " ", "\u2003", 7, ["alex"]])
def test_a_token_of_a_principal_names_one(ledger: Ledger, sub: object) -> None:
    for scope in ("agent", "capture", "principal", "agent capture"):
        refused(ledger, good(ledger, sub=sub, scope=scope))


def test_our_own_tokens_never_name_a_principal_in_the_clear(ledger: Ledger) -> None:
    own = ledger.claims(iss="answer-ledger")
    refused(ledger, sign(own, SIGNING, "Ed25519", SIGNING.thumbprint()))


def test_a_seal_of_another_deployment_is_refused(ledger: Ledger) -> None:
    other = Tokens(
        SIGNING,
        bytes(32),
        issuer="answer-ledger",
        audience="answer-ledger",
        identify=identify,
        clock=ledger.clock,
    )
    assert bytes(32) != SEALING
    refused(ledger, other.issue([Scope.AGENT], principal=identify("alex")).token)


def test_an_operator_s_name_is_his_own_affair(ledger: Ledger) -> None:
    assert ledger.verify(good(ledger, scope="operator", sub=None)).principal is None


@pytest.mark.parametrize("scope", ["capture agent", ["agent", "capture"], "agent  capture"])
def test_an_application_may_be_both(ledger: Ledger, scope: object) -> None:
    assert ledger.verify(good(ledger, scope=scope)).scopes == {Scope.AGENT, Scope.CAPTURE}


def test_words_of_others_in_the_scope_are_ignored(ledger: Ledger) -> None:
    assert ledger.verify(good(ledger, scope="openid agent profile")).scopes == {Scope.AGENT}


@pytest.mark.parametrize(
    "scope",
    [
        None,
        "",
        "Agent",
        "admin",
        "agent principal",
        "capture operator",
        ["agent", "issuer"],
        "agent,capture",
        [7],
    ],
)
def test_otherwise_one_kind_a_token(ledger: Ledger, scope: object) -> None:
    refused(ledger, good(ledger, scope=scope), WrongScope)


@pytest.mark.parametrize("scope", [7, {"agent": True}, True])
def test_a_scope_is_a_string_or_a_list(ledger: Ledger, scope: object) -> None:
    refused(ledger, good(ledger, scope=scope))


def test_a_token_may_be_narrowed(ledger: Ledger) -> None:
    claims = ledger.verify(good(ledger, max_tier="none", topics=[]))
    assert (claims.max_tier, claims.topics) == (Tier.NONE, frozenset())


@pytest.mark.parametrize(
    "narrowing",
    [{"max_tier": "FULL"}, {"max_tier": 1}, {"max_tier": ["none"]}, {"topics": "kids"}, {"topics": [1]}],
)
def test_a_narrowing_that_is_not_understood_voids_it(ledger: Ledger, narrowing: dict[str, Any]) -> None:
    refused(ledger, good(ledger, **narrowing))
    payload = {**ledger.claims(), next(iter(narrowing)): None}  # JSON null
    refused(ledger, sign(payload, ED, "Ed25519", "ed"))


# ── What is kept of them ─────────────────────────────────────────────────────────────────────────


def test_a_verified_token_is_not_verified_again_for_a_while(ledger: Ledger) -> None:
    token = good(ledger, exp=int(ledger.clock.now) + 3600)
    first = ledger.verify(token)
    assert ledger.verify(token) is first
    ledger.clock.now += module.TRUSTED_FOR
    assert ledger.verify(token) is not first


def test_what_is_kept_is_bounded_and_holds_no_token(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CACHE_SIZE", 3)
    tokens = [good(ledger, sub=f"p{n}") for n in range(5)]
    kept = [ledger.verify(token) for token in tokens]
    assert ledger.verify(tokens[-1]) is kept[-1]
    assert ledger.verify(tokens[0]) is not kept[0]
    memory = repr(vars(ledger.tokens)["_verified"])
    assert not any(part in memory for token in tokens for part in token.split("."))
    assert "p4" not in memory


def test_no_refusal_repeats_what_the_token_says(ledger: Ledger) -> None:
    secret = "zebra-quartz-17"
    for changes in (
        {"iss": secret},
        {"aud": secret},
        {"scope": secret},
        {"max_tier": secret},
        {"exp": secret},
    ):
        with pytest.raises(LedgerError) as refusal:
            ledger.verify(good(ledger, **changes))
        assert secret not in str(refusal.value)
