"""A backend asks for tokens, and what comes back opens what it was asked for."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from joserfc import jws

from .world import Api


def issue(api: Api, status: int = 200, **body: Any) -> Any:
    response = api.call(
        "POST", "/v1/tokens", {"principal": "alex", "scope": ["agent"], "ttl_s": 600, **body}, as_="issuer"
    )
    assert response.status_code == status, response.text
    return response.json()


def bearer(token: str) -> list[tuple[str, str]]:
    return [("Authorization", f"Bearer {token}")]


def test_a_token_is_of_the_principal_that_was_named(api: Api) -> None:
    api.capture("kids", "I want two kids")
    api.decide("granted")
    token = issue(api)["token"]
    found = api.call("POST", "/v1/recall", {}, headers=bearer(token)).json()
    assert [one["quote"] for one in found["entries"]] == ["I want two kids"]
    hers = issue(api, principal="kim")["token"]
    assert api.call("POST", "/v1/recall", {}, headers=bearer(hers)).json()["entries"] == []


def test_it_ends_within_the_time_asked_for(untouched: Api) -> None:
    for ttl in (1, 60, 600, 3600):
        issued = issue(untouched, ttl_s=ttl)
        assert 0 <= issued["expires_in"] <= ttl
        assert issued["expires_in"] >= ttl * 0.9 - 2


@pytest.mark.parametrize("scope", [["agent"], ["capture"], ["principal"], ["agent", "capture"]])
def test_it_has_the_scope_asked_for(api: Api, scope: list[str]) -> None:
    token = issue(api, scope=scope)["token"]
    for kind, method, path, body in (
        ("agent", "POST", "/v1/coverage", {}),
        ("capture", "POST", "/v1/captures", {"message": "x", "said_on": "2026-08-20", "candidates": []}),
        ("principal", "GET", "/v1/me/entries", None),
    ):
        status = api.call(method, path, body, headers=bearer(token)).status_code
        assert status == (200 if kind in scope else 403)


@pytest.mark.parametrize(
    "body",
    [
        {"scope": ["operator"]},
        {"scope": ["issuer"]},
        {"scope": []},
        {"scope": ["agent", "principal"]},
        {"scope": ["capture", "principal"]},
        {"scope": "agent"},
        {"scope": None},
        {"ttl_s": 0},
        {"ttl_s": 3601},
        {"ttl_s": "600"},
        {"principal": ""},
        {"principal": " "},
        {"principal": "x" * 257},
        {"principal": None},
        {"max_tier": "FULL"},
        {"topics": "kids"},
        {"topics": ["kids/money"]},
        *(
            {"scope": scope, **narrowing}
            for scope in (["capture"], ["principal"], ["agent", "capture"])
            for narrowing in (
                {"max_tier": "topics"},
                {"max_tier": "full"},
                {"topics": ["kids"]},
                {"topics": []},
            )
        ),
        {"counterparty": "Marta"},
    ],
)
def test_what_can_t_be_issued_is_refused(untouched: Api, body: dict[str, Any]) -> None:
    assert "Marta" not in str(issue(untouched, 422, **body))


def test_it_may_be_narrowed(api: Api) -> None:
    api.capture("kids", "I want two kids")
    api.capture("smoking", "I smoke")
    api.decide("granted")

    def seen(**narrowed: Any) -> tuple[int, int]:
        headers = bearer(issue(api, **narrowed)["token"])
        recalled = api.call("POST", "/v1/recall", {}, headers=headers).json()["entries"]
        covered = api.call("POST", "/v1/coverage", {}, headers=headers).json()["covered"]
        return len(recalled), len(covered)

    assert seen() == (2, 2)
    assert seen(max_tier="topics") == (0, 2)
    assert seen(max_tier="none") == (0, 0)
    assert seen(topics=["Kids"]) == (1, 1)
    assert seen(topics=[]) == (0, 0)
    assert seen(topics=None, max_tier="full") == (2, 2)


def test_what_no_issuer_made_is_refused_at_use_and_breaks_nothing(api: Api) -> None:
    tokens = api.app.state.tokens
    sub = json.loads(base64.urlsafe_b64decode(api.token("agent").split(".")[1] + "=="))["sub"]
    good = {
        "iss": "answer-ledger",
        "aud": "answer-ledger",
        "exp": 4_000_000_000,
        "scope": "agent",
        "sub": sub,
    }
    head = {"alg": "Ed25519", "kid": vars(tokens)["_kid"]}

    def status(text: str) -> int:
        registry = jws.JWSRegistry(algorithms=["Ed25519"])
        token = jws.serialize_compact(head, text, vars(tokens)["_signing"], registry=registry)
        return api.call("POST", "/v1/recall", {}, headers=bearer(token)).status_code

    assert status(json.dumps(good)) == 200
    for changes in (
        {"exp": 10**400},
        {"nbf": 4_000_000_000},
        {"nbf": 10**400},
        {"scope": "agent capture", "max_tier": "topics"},
        {"scope": "capture", "topics": ["kids"]},
    ):
        assert status(json.dumps({**good, **changes})) == 401
    assert status(json.dumps(good)[:-1] + ', "scope": "operator"}') == 401


def test_no_two_tokens_say_that_they_are_of_one_person(untouched: Api) -> None:
    mine, again, hers = (
        issue(untouched)["token"],
        issue(untouched)["token"],
        issue(untouched, principal="kim")["token"],
    )
    assert len({mine, again, hers}) == 3
    assert len(mine) == len(again) == len(hers)
