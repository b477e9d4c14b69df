"""What a verified token says: what its holder may do, for whom, and how much of it.

`scope` is one kind a token: agent, capture, principal, operator or issuer; an application that is
both may hold `agent capture`. Two claims narrow a token: `max_tier` and `topics` (keys). A narrowing
that is not understood makes the whole token invalid, so that it can never widen; so does one in a token
whose scope is not `agent` alone, since nothing but the reads of agents heeds it, and its issuer takes the
holder for narrowed. Everything else that stands in a token is ignored, and so is every word of `scope` that
is none of ours.

Source: RFC 7519 (JWT) section 4.1, RFC 8693 section 4.2 (scope).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from uuid import UUID

from ledger.core.model import Tier
from ledger.errors import Unauthenticated, WrongScope


class Scope(StrEnum):
    AGENT = "agent"  # reads and coins, for one principal
    CAPTURE = "capture"  # the application that carries his chats; never an agent
    PRINCIPAL = "principal"  # himself
    OPERATOR = "operator"  # the product team
    ISSUER = "issuer"  # a backend that asks for tokens


OF_A_PRINCIPAL = frozenset({Scope.AGENT, Scope.CAPTURE, Scope.PRINCIPAL})
_BOTH = frozenset({Scope.AGENT, Scope.CAPTURE})
_WORDS = frozenset(scope.value for scope in Scope)
_NARROWING = frozenset({"max_tier", "topics"})
# The year 9999, in seconds since the epoch. What lies beyond is in other units, or beyond what a float holds.
_LATEST = 253_402_300_799


@dataclass(frozen=True, slots=True)
class Claims:
    """Of a token whose signature, `exp`, `aud` and `iss` have been checked."""

    scopes: frozenset[Scope]
    principal: UUID | None  # None for operators and issuers
    max_tier: Tier
    topics: frozenset[str] | None  # keys; None: not narrowed
    expires: float  # seconds since the epoch, UTC
    token: bytes  # a digest that tells tokens apart
    credential: UUID | None = (
        None  # of an issuer that the ledger itself let in: what it is looked up by, at each call
    )


def one_kind(scopes: Collection[Scope]) -> bool:
    """One kind a token: a single scope, or `agent` and `capture` together."""
    return len(set(scopes)) == 1 or set(scopes) == _BOTH


def may_be_narrowed(scopes: Collection[Scope]) -> bool:
    """Whether `max_tier` and `topics` mean anything in a token of these scopes: of `agent` alone."""
    return set(scopes) == {Scope.AGENT}


def scopes_of(payload: Mapping[str, Any]) -> frozenset[Scope]:
    """The scopes of ours in `scope`, a space-separated string or a list of strings.

    Raises WrongScope where they are none, or of several kinds.
    """
    words = payload.get("scope", "")
    if isinstance(words, str):
        words = words.split(" ")
    if not isinstance(words, list):
        raise Unauthenticated("The token's `scope` is neither a string nor a list of strings.")
    scopes = frozenset(Scope(word) for word in words if isinstance(word, str) and word in _WORDS)
    if not one_kind(scopes):
        raise WrongScope(
            "The token's `scope` must be exactly one of agent, capture, principal, operator and issuer; "
            "only agent and capture go together."
        )
    return scopes


def check(payload: Mapping[str, Any], *, issuer: str, audience: str, now: float) -> float:
    """Check `iss`, `aud`, `exp` and `nbf`, and return `exp`. Raises Unauthenticated."""
    expires = _instant(payload, "exp")
    if expires is None:
        raise Unauthenticated("The token needs `exp`, a number of seconds.")
    if expires <= now:
        raise Unauthenticated("The token has expired; ask for a new one.")
    if (begins := _instant(payload, "nbf")) is not None and begins > now:
        raise Unauthenticated("The token is not valid yet, by its `nbf` and the clock here.")
    if payload.get("iss") != issuer:
        raise Unauthenticated("The token's `iss` is not the issuer that is trusted here.")
    heard = payload.get("aud")
    if heard != audience and not (isinstance(heard, list) and audience in heard):
        raise Unauthenticated("The token's `aud` does not name this ledger.")
    return expires


def _instant(payload: Mapping[str, Any], claim: str) -> float | None:
    """Seconds since the epoch, UTC; None where the claim is absent. Raises Unauthenticated."""
    if claim not in payload:
        return None
    value = payload[claim]
    # compared before anything is computed of it: an integer may be too large to be made a float
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _LATEST:
        raise Unauthenticated(f"The token's `{claim}` must be a number of seconds since 1970.")
    return float(value)


def credential_of(payload: Mapping[str, Any]) -> UUID:
    """The id of a credential of the host's. Raises Unauthenticated."""
    try:
        return UUID(payload.get("jti"))
    except (ValueError, TypeError, AttributeError):
        raise Unauthenticated("The token has the scope issuer and no `jti` by which it is known.") from None


def narrowing_of(payload: Mapping[str, Any], scopes: Collection[Scope]) -> tuple[Tier, frozenset[str] | None]:
    """`max_tier`, or full where it is absent; `topics`, or None where it is. Raises Unauthenticated."""
    if not may_be_narrowed(scopes) and not _NARROWING.isdisjoint(payload):
        raise Unauthenticated("`max_tier` and `topics` stand only in a token whose scope is agent alone.")
    return _tier_of(payload), _topics_of(payload)


def _tier_of(payload: Mapping[str, Any]) -> Tier:
    """`max_tier`, or full where it is absent. Raises Unauthenticated."""
    tier = payload.get("max_tier", Tier.FULL)
    if not isinstance(tier, str) or tier not in list(Tier):
        raise Unauthenticated("The token's `max_tier` must be none, topics or full.")
    return Tier(tier)


def _topics_of(payload: Mapping[str, Any]) -> frozenset[str] | None:
    """`topics`, keys, or None where it is absent. Raises Unauthenticated."""
    if "topics" not in payload:
        return None
    topics = payload["topics"]
    if not isinstance(topics, list) or not all(isinstance(topic, str) for topic in topics):
        raise Unauthenticated("The token's `topics` must be a list of topic keys.")
    return frozenset(topics)
