"""A ledger's tokens, a clock that the tests turn, and an identity provider beside it."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import UUID

import pytest
from joserfc import jws
from joserfc.jwk import OKPKey

from ledger.errors import InvalidRequest
from ledger.tokens import KeySource, Tokens

T = TypeVar("T")
SIGNING = OKPKey.generate_key("Ed25519")
SEALING = bytes(range(32))
AUDIENCE = "answer-ledger"
PROVIDER = "https://login.example"


@dataclass
class Clock:
    now: float = 1_800_000_000.5

    def __call__(self) -> float:
        return self.now


def identify(outside_id: str) -> UUID:
    if not outside_id.strip():
        raise InvalidRequest("A principal is named by an id that is not blank.")
    return UUID(bytes=hashlib.sha256(outside_id.encode()).digest()[:16])


def wait(awaitable: Awaitable[T]) -> T:
    async def main() -> T:
        return await awaitable

    return asyncio.run(main())


@dataclass
class Ledger:
    """Tokens of one deployment, the clock they go by, and what an outside issuer would write."""

    clock: Clock = field(default_factory=Clock)
    outside: tuple[KeySource, ...] = ()

    def __post_init__(self) -> None:
        self.tokens = Tokens(
            SIGNING,
            SEALING,
            issuer="answer-ledger",
            audience=AUDIENCE,
            identify=identify,
            outside=self.outside,
            outside_issuer=PROVIDER,
            clock=self.clock,
        )

    def claims(self, **changes: Any) -> dict[str, Any]:
        """What a good outside token says, with changes; a change to None leaves the claim out."""
        good = {
            "iss": PROVIDER,
            "aud": AUDIENCE,
            "exp": int(self.clock()) + 600,
            "scope": "agent",
            "sub": "alex",
        }
        return {name: value for name, value in {**good, **changes}.items() if value is not None}

    def verify(self, token: str) -> Any:
        return wait(self.tokens.verify(token))


def sign(payload: object, key: Any, alg: str, kid: str | None = None, **header: Any) -> str:
    head = {"alg": alg, **({"kid": kid} if kid else {}), **header}
    text = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    registry = jws.JWSRegistry(algorithms=[alg], strict_check_header=False)
    return jws.serialize_compact(head, text, key, registry=registry)


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


Verify = Callable[[str], Any]
