"""Two agents that compare the tokens which they hold for one principal learn nothing that says so."""

from __future__ import annotations

import base64
import itertools
import json

import pytest
from api.world import Api

RUN = 6  # bytes; two random parts of a token share a run of six by chance once in some 10^10 pairs


def issue(api: Api, principal: str, **more: object) -> str:
    body = {"principal": principal, "scope": ["agent"], "ttl_s": 600, **more}
    answer = api.call("POST", "/v1/tokens", body, as_="issuer")
    assert answer.status_code == 200
    token: str = answer.json()["token"]
    return token


def opened(token: str) -> tuple[bytes, dict[str, object], list[bytes]]:
    """What is the same for everybody, and the parts that look random, as bytes."""
    head, payload, signature = (base64.urlsafe_b64decode(part + "==") for part in token.split("."))
    claims = json.loads(payload)
    kind, *sealed = str(claims.pop("sub")).split(".")
    return (
        head,
        claims | {"sub": kind},
        [*(base64.urlsafe_b64decode(part + "==") for part in sealed), signature],
    )


def runs(parts: list[bytes]) -> set[bytes]:
    return {part[at : at + RUN] for part in parts for at in range(len(part) - RUN + 1)}


def test_no_two_tokens_share_a_run_of_bytes_but_what_all_have(lone: Api) -> None:
    people = ["ann", "ben", "a very long outside id " * 8]
    tokens = {(who, n): opened(issue(lone, who)) for who in people for n in range(12)}
    assert len({head for head, _, _ in tokens.values()}) == 1
    ends = {claims.pop("exp") for _, claims, _ in tokens.values()}
    assert len(ends) <= 2, "the moment at which all tokens of a minute end"
    assert len({json.dumps(claims) for _, claims, _ in tokens.values()}) == 1
    assert len({tuple(map(len, parts)) for _, _, parts in tokens.values()}) == 1, "one length for everybody"
    for one, other in itertools.combinations(tokens.values(), 2):
        assert not runs(one[2]) & runs(other[2])


@pytest.mark.parametrize("bit", range(0, 128, 9))
def test_no_bit_of_a_token_is_that_of_a_principal(lone: Api, bit: int) -> None:
    """A bit that were the principal's would be the same in all his tokens."""
    sealed = [opened(issue(lone, "ann"))[2] for _ in range(24)]
    for part in range(1, len(sealed[0])):
        values = {one[part][bit // 8 % len(one[part])] >> bit % 8 & 1 for one in sealed if one[part]}
        assert values in ({0, 1}, set())


def test_narrowed_alike_they_are_alike(lone: Api) -> None:
    """What the host narrows a token to it decides itself, and it is written in the open, the same for all."""
    kinds = {
        json.dumps({name: value for name, value in opened(issue(lone, who, max_tier="topics", topics=["kids"]))[1].items() if name != "exp"})
        for who in ("ann", "ben")
    }  # fmt: skip
    assert len(kinds) == 1
