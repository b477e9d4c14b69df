"""Tokens: issuing our own, and verifying ours and those of the application's identity provider.

A token is a JWT of three parts with an asymmetric signature. Ours are signed with Ed25519 and told
from others by their key id.

What two agents can learn by comparing the tokens that they hold for one principal: nothing that says
so. `sub` is his uuid, encrypted anew for each token, of one length for everybody; there is no `iat`, `nbf`
or `jti`; `exp` falls on a grid that all tokens of that life-time share, so that it says less than the
moment at which the agent was handed the token, which no token can hide. What the host puts into
`max_tier` and `topics` it decides itself.

A token of the scope issuer is a *credential* of the host's: it may live for a year, and has an id (`jti`), by which the database
knows it and it is revoked (service/credentials.py). No token that is issued to it has anything of that id.

Source: RFC 7515, 7516, 7519, 8725 (best practices), 9864 (Ed25519); DESIGN section 8.
"""

from __future__ import annotations

import hmac
import json
import secrets
import time
from collections import OrderedDict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Any, Self
from uuid import UUID

from joserfc import jwe, jws
from joserfc.errors import JoseError, UnsupportedAlgorithmError
from joserfc.jwk import OctKey, OKPKey
from joserfc.util import urlsafe_b64decode

from ledger.core import strict_json
from ledger.core.model import Tier
from ledger.errors import InvalidRequest, Problem, Unauthenticated
from ledger.keys import Keys
from ledger.settings import Settings
from ledger.tokens.claims import (
    OF_A_PRINCIPAL,
    Claims,
    Scope,
    check,
    credential_of,
    may_be_narrowed,
    narrowing_of,
    one_kind,
    scopes_of,
)
from ledger.tokens.key_sets import FetchedKeys, FileKeys, KeySource, PublicKey

__all__ = ["Claims", "FetchedKeys", "FileKeys", "Issued", "KeySource", "Scope", "Tokens", "one_kind"]

MAX_LENGTH = 8192  # characters of a token
MAX_TTL = 3600  # seconds
MAX_TTL_OF_ISSUERS = 366 * 86_400  # seconds; a credential can be revoked
CACHE_SIZE = 4096  # verified tokens, a worker
TRUSTED_FOR = 600.0  # seconds without verifying again: a key that was withdrawn counts that long

_OWN_ALGORITHM = "Ed25519"
_EXTENSIONS = frozenset({"crit", "b64"})  # RFC 7515 section 4.1.11, RFC 7797
_SEAL = {"alg": "dir", "enc": "A256GCM"}


@dataclass(frozen=True, slots=True)
class Issued:
    token: str
    expires_in: int  # whole seconds


class _Registry(jws.JWSRegistry):
    """Only the algorithms given. A key that is bound to Ed25519 makes the name `EdDSA` unambiguous."""

    max_header_length = 4096

    def get_alg(self, name: str) -> Any:
        if name not in (self.allowed or ()):
            raise UnsupportedAlgorithmError
        return self.algorithms[name]


def refuse_wrong(
    scopes: Collection[Scope],
    *,
    of_principal: bool,
    ttl: int = MAX_TTL,
    max_tier: Tier | None = None,
    topics: Collection[str] | None = None,
) -> None:
    """Raises InvalidRequest for a token that nobody is given."""
    if not one_kind(scopes):
        raise InvalidRequest("A token has one scope; only agent and capture go together.")
    narrowing = [name for name, value in (("max_tier", max_tier), ("topics", topics)) if value is not None]
    if narrowing and not may_be_narrowed(scopes):
        raise InvalidRequest(
            "Only a token whose scope is agent alone can be narrowed.",
            [Problem(name, "goes with the scope agent alone") for name in narrowing],
        )
    if of_principal != OF_A_PRINCIPAL.issuperset(scopes):
        raise InvalidRequest("A principal goes with the scopes agent, capture and principal, and no other.")
    check_ttl(scopes, ttl)


class Tokens:
    """Issues and verifies. `identify` turns an outside id into a principal and raises InvalidRequest
    where it can't be one; `outside` are the key sets of other issuers, whose `iss` is `outside_issuer`.
    """

    def __init__(
        self,
        signing: OKPKey,
        sealing: bytes,
        *,
        issuer: str,
        audience: str,
        identify: Callable[[str], UUID],
        outside: Sequence[KeySource] = (),
        outside_issuer: str | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._signing = signing
        self._kid = signing.thumbprint()
        self._own = PublicKey(signing, frozenset({_OWN_ALGORITHM}))
        self._sealing = OctKey.import_key(sealing)
        self._issuer = issuer
        self._audience = audience
        self._identify = identify
        self._outside = tuple(outside)
        self._outside_issuer = outside_issuer or issuer
        self._clock = clock
        # Known to this process alone: what its memory holds of a token tells nobody which token that was.
        self._memory_key = secrets.token_bytes(32)
        self._verified: OrderedDict[bytes, tuple[float, Claims]] = OrderedDict()

    @classmethod
    def open(cls, settings: Settings, keys: Keys, identify: Callable[[str], UUID]) -> Self:
        """The tokens of a deployment. Raises SetupError where the JWKS file can't be used."""
        outside: list[KeySource] = []
        if settings.jwks_file is not None:
            outside.append(FileKeys(settings.jwks_file))
        if settings.jwks_url is not None:
            outside.append(FetchedKeys(settings.jwks_url))
        return cls(
            keys.signing,
            keys.sealing,
            issuer=settings.issuer,
            audience=settings.audience,
            identify=identify,
            outside=outside,
            outside_issuer=settings.jwks_issuer,
        )

    def issue(
        self,
        scopes: Collection[Scope],
        *,
        principal: UUID | None = None,
        ttl: int = MAX_TTL,
        max_tier: Tier | None = None,
        topics: Collection[str] | None = None,
        credential: UUID | None = None,
    ) -> Issued:
        """A token of at most `ttl` seconds: `exp` is rounded down to a grid of ttl / 10, a minute at most.

        `principal` is given if and only if the scopes are of a principal, `max_tier` and `topics` only where the
        scope is agent alone, `credential`, the id that it is registered by, if and only if the scope is issuer.
        Raises InvalidRequest.
        """
        refuse_wrong(scopes, of_principal=principal is not None, ttl=ttl, max_tier=max_tier, topics=topics)
        now = self._clock()
        grid = min(60, max(1, ttl // 10))
        expires = int(now + ttl) // grid * grid
        payload: dict[str, Any] = {
            "iss": self._issuer,
            "aud": self._audience,
            "exp": expires,
            "scope": " ".join(sorted(scopes)),
        }
        if principal is not None:
            payload["sub"] = jwe.encrypt_compact(
                _SEAL, principal.bytes, self._sealing, algorithms=list(_SEAL.values())
            )
        if (credential is not None) != (set(scopes) == {Scope.ISSUER}):
            raise InvalidRequest(
                "A token of the scope issuer has an id by which it is registered, and no other has."
            )
        if credential is not None:
            payload["jti"] = str(credential)
        if max_tier not in (None, Tier.FULL):
            payload["max_tier"] = max_tier
        if topics is not None:
            payload["topics"] = sorted(topics)
        token = jws.serialize_compact(
            {"alg": _OWN_ALGORITHM, "kid": self._kid, "typ": "JWT"},
            json.dumps(payload, separators=(",", ":")),
            self._signing,
            registry=_Registry(algorithms=self._own.algorithms),
        )
        return Issued(token, max(0, int(expires - now)))

    async def verify(self, token: str) -> Claims:
        """What the token says. Raises Unauthenticated, WrongScope (none, or several kinds), Unavailable."""
        now = self._clock()
        name = hmac.digest(self._memory_key, token.encode("utf-8", "replace"), "sha256")
        known = self._verified.get(name)
        if known is not None and now < known[0]:
            return known[1]
        claims = await self._verify(token, name, now)
        self._remember(name, claims, now)
        return claims

    def _remember(self, name: bytes, claims: Claims, now: float) -> None:
        """Keep what a token says until it ends, for ten minutes at most; the oldest goes where there are too many."""
        kept = self._verified
        kept.pop(name, None)
        kept[name] = (min(claims.expires, now + TRUSTED_FOR), claims)
        while len(kept) > CACHE_SIZE or next(iter(kept.values()))[0] <= now:
            kept.popitem(last=False)

    async def _verify(self, token: str, name: bytes, now: float) -> Claims:
        if len(token) > MAX_LENGTH:
            raise Unauthenticated(f"The token is longer than {MAX_LENGTH} characters.")
        kid = _header(token).get("kid")
        own = kid == self._kid
        key = self._own if own else await self._find(kid)
        if key is None:
            raise Unauthenticated("The token is signed with a key that is not known here.")
        payload = _verified_payload(token, key)
        issuer = self._issuer if own else self._outside_issuer
        expires = check(payload, issuer=issuer, audience=self._audience, now=now)
        scopes = scopes_of(payload)
        principal = self._principal(payload, own) if scopes <= OF_A_PRINCIPAL else None
        credential = credential_of(payload) if own and scopes == {Scope.ISSUER} else None
        return Claims(scopes, principal, *narrowing_of(payload, scopes), expires, name, credential)

    async def _find(self, kid: object) -> PublicKey | None:
        if not isinstance(kid, str | None):
            return None
        for source in self._outside:
            if (key := await source.find(kid)) is not None:
                return key
        return None

    def _principal(self, payload: dict[str, Any], own: bool) -> UUID:
        sub = payload.get("sub")
        try:
            if not isinstance(sub, str):
                raise ValueError
            if not own:
                return self._identify(sub)
            opened = jwe.decrypt_compact(sub, self._sealing, algorithms=list(_SEAL.values()))
            return UUID(bytes=opened.plaintext)
        except (JoseError, ValueError, InvalidRequest):
            raise Unauthenticated("The token's `sub` does not name a principal.") from None


def check_ttl(scopes: Collection[Scope], ttl: int) -> None:
    """Raises InvalidRequest for a life-time (seconds) that no token of these scopes has."""
    if set(scopes) == {Scope.ISSUER}:
        if not 1 <= ttl <= MAX_TTL_OF_ISSUERS:
            raise InvalidRequest("A token of the scope issuer lives from a second to 366 days.")
    elif not 1 <= ttl <= MAX_TTL:
        raise InvalidRequest(f"A token lives from 1 to {MAX_TTL} seconds; only the scope issuer has longer.")


def _header(token: str) -> dict[str, Any]:
    """What stands in front of a token, before anything of it is verified. Raises Unauthenticated."""
    try:
        signed = jws.extract_compact(token.encode("ascii"), registry=_Registry())
        header = _strictly(urlsafe_b64decode(signed.segments["header"]))
    except (JoseError, ValueError, TypeError, AttributeError, RecursionError):
        raise Unauthenticated("The bearer token is no signed JWT.") from None
    if not _EXTENSIONS.isdisjoint(header):
        raise Unauthenticated("The token's header asks for an extension, and none is understood here.")
    return header


def _verified_payload(token: str, key: PublicKey) -> dict[str, Any]:
    registry = _Registry(algorithms=key.algorithms, strict_check_header=False)
    try:
        signed = jws.deserialize_compact(token, key.key, registry=registry)
    except (JoseError, ValueError, TypeError, RecursionError):
        raise Unauthenticated("The token's signature does not verify.") from None
    return _strictly(signed.payload or b"")


def _strictly(text: bytes) -> dict[str, Any]:
    """A header or the claims. Of two members of one name another reader may take the other, so there is one.

    Raises Unauthenticated. Source: RFC 7515 section 4, RFC 7519 section 4.
    """
    try:
        value = strict_json.decode(text, "token")
    except strict_json.NotStrict as wrong:
        raise Unauthenticated(f"The token can't be read. {wrong}") from None
    if not isinstance(value, dict):
        raise Unauthenticated("The token does not carry a JSON object.")
    return value
