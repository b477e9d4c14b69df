"""Tokens with claims of a case: those that the ledger itself issues, but for these, and signed with its key."""

from __future__ import annotations

import json
import re
import time
from typing import Any

from joserfc import jws
from joserfc.util import urlsafe_b64decode

from .collection import Step
from .facts import Facts, answered
from .world import World


def token(world: World, step: Step) -> Facts:
    """A read with such a token. What is to be null is once null, and once not there."""
    changed = {claim: meant(value) for claim, value in step["claims"].items()}
    facts = tried(world, changed)
    if None in changed.values():
        assert tried(world, changed, leave_out=True)["http"] == facts["http"]
    return facts


def tried(world: World, changed: dict[str, Any], *, leave_out: bool = False) -> Facts:
    issued: str = world.issue("P1", "agent").json()["token"]
    header, claims = (json.loads(urlsafe_b64decode(part.encode())) for part in issued.split(".")[:2])
    assert claims.keys() >= changed.keys() - {"nbf"}
    claims |= changed
    if leave_out:
        claims = {claim: value for claim, value in claims.items() if value is not None}
    signed = jws.serialize_compact(
        header, json.dumps(claims), world.deployment.keys.signing, algorithms=[header["alg"]]
    )
    return answered(
        world.send("anon", "POST", "/v1/coverage", {}, headers=[("Authorization", f"Bearer {signed}")])
    )


def meant(value: Any) -> Any:
    """The instants and the large number of the cases are told in words."""
    if isinstance(value, str) and (power := re.fullmatch(r"(\d+)\*\*(\d+) \(an integer\)", value)):
        return int(power[1]) ** int(power[2])
    if isinstance(value, str) and (seconds := re.fullmatch(r"now([+-]\d+)", value)):
        return int(time.time()) + int(seconds[1])
    return value
