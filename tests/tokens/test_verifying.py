"""Which tokens count: signature, exp, aud and iss are checked; the rest is read strictly or ignored."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import replace
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
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


def by_hand(header: str, payload: str) -> str:
    """A token whose signature is right, whatever its parts are."""
    text = f"{base64.urlsafe_b64encode(header.encode()).rstrip(b'=').decode()}.{payload}"
    assert isinstance(ED.private_key, Ed25519PrivateKey)
    signature = ED.private_key.sign(text.encode())
    return f"{text}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


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
    "header",
    [
        {"crit": []},
        {"crit": ["b64"], "b64": False},
        {"crit": ["b64"], "b64": True},
        {"crit": ["exp"], "exp": 1},
        {"crit": None},
        {"b64": False},
        {"b64": True},
    ],
    ids=str,
)
def test_no_extension_is_understood(ledger: Ledger, header: dict[str, Any]) -> None:
    # signed by hand: the extensions that the library knows are none of ours either
    head = {"alg": "Ed25519", "kid": "ed", **header}
    for payload in (part(ledger.claims()), json.dumps(ledger.claims()).replace(".", "_")):
        refused(ledger, by_hand(json.dumps(head), payload))


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


# What is no instant of this calendar: text, truth, structures, what no float holds, and milliseconds.
NO_INSTANTS: list[object] = [
    "2100-01-01",
    True,
    False,
    [],
    {},
    -1,
    -(10**400),
    10**400,
    10**30,
    1e300,
    1_900_000_000_000,
    float("inf"),
    float("-inf"),
    float("nan"),
]


@pytest.mark.parametrize("exp", [None, 0, *NO_INSTANTS], ids=lambda value: str(value)[:20])
def test_it_ends(ledger: Ledger, exp: object) -> None:
    refused(ledger, good(ledger, exp=exp))


@pytest.mark.parametrize("number", ["1" * 5000, "1e400", "-1e400", "1e99999999", "0x7fffffff", "null"])
def test_a_number_that_can_t_be_one_is_no_end(ledger: Ledger, number: str) -> None:
    claims = json.dumps(ledger.claims(exp=7)).replace('"exp": 7', f'"exp": {number}')
    refused(ledger, sign(claims.encode(), ED, "Ed25519", "ed"))


@pytest.mark.parametrize("nbf", NO_INSTANTS, ids=lambda value: str(value)[:20])
def test_a_beginning_that_is_no_instant_voids_it(ledger: Ledger, nbf: object) -> None:
    refused(ledger, good(ledger, nbf=nbf))
    refused(ledger, sign({**ledger.claims(), "nbf": None}, ED, "Ed25519", "ed"))


def test_it_is_not_valid_before_its_beginning(ledger: Ledger) -> None:
    begins = int(ledger.clock.now) + 5
    for nbf in (begins, float(begins), begins - 0.25):
        token = good(ledger, nbf=nbf)
        refused(ledger, token)
        ledger.clock.now += 5
        assert ledger.verify(token)
        ledger.clock.now -= 5
    assert ledger.verify(good(ledger, nbf=0))


@pytest.mark.parametrize("claim", ["iat", "jti", "auth_time", "azp", "counterparty"])
@pytest.mark.parametrize("value", [10**400, True, "x", -1, 1e300, []], ids=lambda value: str(value)[:20])
def test_what_is_not_read_has_no_effect(ledger: Ledger, claim: str, value: object) -> None:
    assert ledger.verify(good(ledger, **{claim: value})) == replace(
        ledger.verify(good(ledger)), token=ledger.verify(good(ledger, **{claim: value})).token
    )


CLAIMS = ["iss", "aud", "exp", "nbf", "scope", "sub", "max_tier", "topics", "iat", "counterparty"]


@pytest.mark.parametrize("claim", CLAIMS)
def test_a_claim_stands_once(ledger: Ledger, claim: str) -> None:
    good_one = ledger.claims(nbf=1, max_tier="topics", topics=["kids"], iat=1, counterparty="x")
    text = json.dumps(good_one)
    assert ledger.verify(sign(text.encode(), ED, "Ed25519", "ed"))
    again = json.dumps({claim: good_one[claim]})[1:-1]
    escaped = again.replace(claim, f"\\u{ord(claim[0]):04x}{claim[1:]}", 1)
    assert json.loads(f"{{{escaped}}}") == {claim: good_one[claim]}
    for second in (again, escaped):
        refused(ledger, sign(f"{text[:-1]}, {second}}}".encode(), ED, "Ed25519", "ed"))
        refused(ledger, sign(f"{{{second}, {text[1:]}".encode(), ED, "Ed25519", "ed"))
    inside = f'{text[:-1]}, "act": {{"{claim}": 1, "{claim}": 1}}}}'
    refused(ledger, sign(inside.encode(), ED, "Ed25519", "ed"))


@pytest.mark.parametrize("member", ["alg", "kid", "typ"])
def test_a_member_of_the_header_stands_once(ledger: Ledger, member: str) -> None:
    head = {"alg": "Ed25519", "kid": "ed", "typ": "JWT"}
    text = json.dumps(head)
    assert ledger.verify(by_hand(text, part(ledger.claims())))
    again = json.dumps({member: head[member]})[1:-1]
    refused(ledger, by_hand(f"{text[:-1]}, {again}}}", part(ledger.claims())))
    refused(ledger, by_hand(f'{{"{member}": "other", {text[1:]}', part(ledger.claims())))


@pytest.mark.parametrize("text", ["\\ud800", "\\udc00x", "\\u0000"])
def test_text_that_is_none_voids_it(ledger: Ledger, text: str) -> None:
    for claim in ("sub", "scope", "counterparty"):
        claims = json.dumps(ledger.claims(**{claim: "~"})).replace("~", text)
        refused(ledger, sign(claims.encode(), ED, "Ed25519", "ed"))
    refused(ledger, by_hand(f'{{"alg":"Ed25519","kid":"ed","typ":"{text}"}}', part(ledger.claims())))


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_a_token_is_utf_8(ledger: Ledger, encoding: str) -> None:
    refused(ledger, sign(json.dumps(ledger.claims()).encode(encoding), ED, "Ed25519", "ed"))


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


@pytest.mark.parametrize("narrowing", [{"max_tier": tier} for tier in Tier] + [{"topics": []}], ids=str)
@pytest.mark.parametrize(
    "scope", ["capture", "principal", "agent capture", ["capture", "agent"], "operator", "issuer"], ids=str
)
def test_only_a_token_of_agent_alone_is_narrowed(
    ledger: Ledger, scope: object, narrowing: dict[str, Any]
) -> None:
    assert ledger.verify(good(ledger, scope=scope))
    refused(ledger, good(ledger, scope=scope, **narrowing))
    refused(
        ledger, sign({**ledger.claims(scope=scope), next(iter(narrowing)): None}, ED, "Ed25519", "ed")
    )  # JSON null
    assert ledger.verify(good(ledger, scope="openid agent", **narrowing))


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
    assert len(vars(ledger.tokens)["_verified"]) == 3


def test_what_is_kept_of_a_token_is_named_by_a_hash_that_only_this_process_can_make(ledger: Ledger) -> None:
    token = good(ledger)
    first, second = ledger.verify(token).token, Ledger(outside=(Fixed(),)).verify(token).token
    assert first != second
    assert hashlib.sha256(token.encode()).digest() not in (first, second)


def test_what_has_ended_is_forgotten_when_the_next_one_comes(ledger: Ledger) -> None:
    kept = vars(ledger.tokens)["_verified"]
    now = int(ledger.clock.now)
    for n in range(3):
        ledger.verify(good(ledger, sub=f"p{n}", exp=now + 5))
    assert len(kept) == 3
    ledger.clock.now = now + 5
    ledger.verify(good(ledger, exp=now + 3600))
    assert len(kept) == 1
    ledger.clock.now += module.TRUSTED_FOR
    ledger.verify(good(ledger, sub="kim", exp=now + 3600))
    assert len(kept) == 1


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
