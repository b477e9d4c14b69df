"""The public keys of the application's own identity provider, from a file or a URL (JWKS).

A key verifies the algorithms that its type and its `alg` allow, and no other: the header of a token
never chooses. Symmetric keys, encryption keys, RSA keys under 2048 bits and curves that are not listed
here are left out of a set, so that no token can be made to verify with them.

Source: RFC 7517 (JWK), RFC 7638 (thumbprint), RFC 8725 sections 3.1, 3.2 and 3.10.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import httpx
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, JWKRegistry, OKPKey, RSAKey

from ledger.core import strict_json
from ledger.errors import SetupError, Unavailable

REFRESH_AFTER = 600.0  # seconds; a key that its provider withdrew is gone by then
RETRY_AFTER = 30.0  # seconds between two fetches, however many unknown keys are named
MAX_BYTES = 256 * 1024
TIMEOUT = 5.0  # seconds

_RSA = frozenset({"RS256", "RS384", "RS512", "PS256", "PS384", "PS512"})
_BY_CURVE = {
    "Ed25519": frozenset({"Ed25519", "EdDSA"}),
    "Ed448": frozenset({"Ed448", "EdDSA"}),
    "P-256": frozenset({"ES256"}),
    "P-384": frozenset({"ES384"}),
    "P-521": frozenset({"ES512"}),
}


@dataclass(frozen=True, slots=True)
class PublicKey:
    key: ECKey | OKPKey | RSAKey
    algorithms: frozenset[str]


class KeySource(Protocol):
    """Where the keys of outside tokens are."""

    async def find(self, kid: str | None) -> PublicKey | None:
        """The key of this id; of no id, the only key. None: there is none. Raises Unavailable."""


def read(document: object) -> dict[str, PublicKey]:
    """The usable keys of a JWKS, or of a single JWK, by key id (RFC 7638's where it has none).

    Raises ValueError where it is neither.
    """
    if not isinstance(document, dict):
        raise ValueError("not a JSON object")
    members = document.get("keys", [document])
    if not isinstance(members, list):
        raise ValueError("`keys` is not a list")
    found: dict[str, PublicKey] = {}
    for member in members:
        key = _usable(member)
        if key is not None:
            kid = member.get("kid")
            found.setdefault(kid if isinstance(kid, str) else key.key.thumbprint(), key)
    return found


def _usable(member: Any) -> PublicKey | None:
    if not isinstance(member, dict) or member.get("use", "sig") != "sig":
        return None
    try:
        key = JWKRegistry.import_key(member)
    except (JoseError, ValueError, TypeError, KeyError):
        return None  # a provider may publish kinds of keys that we do not know
    algorithms: frozenset[str]
    if isinstance(key, RSAKey):
        algorithms = _RSA if key.public_key.key_size >= 2048 else frozenset()
    elif isinstance(key, ECKey | OKPKey):
        algorithms = _BY_CURVE.get(key.curve_name, frozenset())
    else:
        return None
    if "alg" in member:
        algorithms &= {member["alg"]}
    return PublicKey(key, algorithms) if algorithms else None


def _pick(keys: Mapping[str, PublicKey], kid: str | None) -> PublicKey | None:
    if kid is not None:
        return keys.get(kid)
    return next(iter(keys.values())) if len(keys) == 1 else None


class FileKeys:
    """A JWKS file, read once. Raises SetupError where it can't be used."""

    def __init__(self, path: Path) -> None:
        try:
            self._keys = read(strict_json.decode(path.read_bytes(), "file"))
        except (OSError, ValueError) as error:
            raise SetupError(
                "The JWKS file can't be read as JSON keys; check its path and content."
            ) from error
        if not self._keys:
            raise SetupError("The JWKS file holds no public key that can sign tokens (Ed25519, EC or RSA).")

    async def find(self, kid: str | None) -> PublicKey | None:
        return _pick(self._keys, kid)


class FetchedKeys:
    """A JWKS behind a URL: fetched when first needed, then every ten minutes, and at an unknown key id.

    At most one fetch in 30 seconds. Keys that were fetched once keep serving while the URL does not answer.
    """

    def __init__(
        self,
        url: str,
        *,
        clock: Callable[[], float] = time.monotonic,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._url = url
        self._clock = clock
        self._transport = transport
        self._keys: dict[str, PublicKey] = {}
        self._tried: float | None = None
        self._failed = False
        self._loop: asyncio.AbstractEventLoop | None = None

    async def find(self, kid: str | None) -> PublicKey | None:
        key = _pick(self._keys, kid)
        if self._due(REFRESH_AFTER if key else RETRY_AFTER):
            async with self._turn():
                if self._due(REFRESH_AFTER if key else RETRY_AFTER):
                    await self._refresh()
            key = _pick(self._keys, kid)
        if key is None and self._failed:
            raise Unavailable("The key set that tokens are checked with can't be fetched right now.", 30)
        return key

    def _turn(self) -> asyncio.Lock:
        # a lock is one event loop's: what another one left held, as in the parent of a fork, is held for ever
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._lock = loop, asyncio.Lock()
        return self._lock

    def _due(self, after: float) -> bool:
        return self._tried is None or self._clock() - self._tried >= (RETRY_AFTER if self._failed else after)

    async def _refresh(self) -> None:
        try:
            self._keys = read(strict_json.decode(await self._fetch(), "key set"))
            self._failed = False
        except (httpx.HTTPError, httpx.InvalidURL, ValueError):
            self._failed = True
        self._tried = self._clock()

    async def _fetch(self) -> bytes:
        body = b""
        async with (
            httpx.AsyncClient(timeout=TIMEOUT, transport=self._transport) as client,
            client.stream("GET", self._url) as response,
        ):
            response.raise_for_status()
            if not response.is_success:
                raise ValueError("neither an error nor a document")  # a redirect is not followed
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > MAX_BYTES:
                    raise ValueError("too large")
        return body
