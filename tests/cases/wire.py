"""From the words of the cases to the fields and routes of our API."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .collection import Step

ROUTES = {
    "<write>": ("POST", "/v1/captures"),
    "<read P1>": ("POST", "/v1/recall"),
    "<reconfirm kids>": ("POST", "/v1/reconfirmations"),
    "<list>": ("GET", "/v1/me/entries"),
    "<export P1>": ("GET", "/v1/me/export"),
    "<erase>": ("DELETE", "/v1/me"),
    "<window kids>": ("PATCH", "/v1/operator/topics/kids"),
}
BODIES = {"<read P1>": b"{}"}


@dataclass(frozen=True)
class Call:
    method: str
    path: str
    body: bytes | None


def call(step: Step, today: str) -> Call:
    method, path = ROUTES[step["path"]]
    if step["method"] in ("OPTIONS", "HEAD"):
        return Call(step["method"], path, None)
    return Call(method, path, body(step, today))


def body(step: Step, today: str) -> bytes | None:
    if "body_text" in step:
        try:
            told = json.loads(step["body_text"])
        except ValueError:
            told_raw: str = step["body_text"]
            return told_raw.encode()
    elif "body" in step:
        told = step["body"]
    else:
        return BODIES.get(step["path"])
    match step["path"]:
        case "<write>":
            told = fields(told)
        case "<window kids>":
            told = window(told)
        case "<reconfirm kids>":
            told = {"topic": "kids", "said_on": today, **told}
    # json leaves escapes of halves of a surrogate pair, U+0000 and NaN as they came
    return json.dumps(told).encode()


def fields(told: Step) -> dict[str, Any]:
    """The body of a capture. Who it is about stands in the token; what we do not know stays, to be refused."""
    known = {"principal", "topic", "message", "span", "said_at"}
    sent: dict[str, Any] = {name: value for name, value in told.items() if name not in known}
    if "message" in told:
        sent["message"] = told["message"]
    if "said_at" in told:
        sent["said_on"] = told["said_at"][:10]
    sent["candidates"] = [{name: told[name] for name in ("topic", "span") if name in told}]
    return sent


def capture(step: Step, asked: str | None) -> dict[str, Any]:
    """A write as a capture. The contract has no idempotency key: it would be a way to tell captures apart."""
    known = ("principal", "topic", "message", "span", "said_at", "avoid")
    assert step.keys() <= {*known, "op", "as", "idempotency_key"}
    told = fields({name: step[name] for name in known if name in step})
    return told if asked is None else told | {"asked": asked}


def narrowed(labels: Sequence[str] | None) -> dict[str, Any]:
    return {} if labels is None else {"topics": list(labels)}


def decision(tier: Any) -> Any:
    """`full` is granted and `none` revoked; what is misspelt stays misspelt in the same way."""
    if isinstance(tier, list):
        return [decision(one) for one in tier]
    if not isinstance(tier, str):
        return tier
    words = {"full": "granted", "FULL": "GRANTED", "none": "revoked"}
    return tier.replace(tier.strip(), words.get(tier.strip(), tier.strip())) if tier.strip() else tier


def window(told: Step) -> dict[str, Any]:
    """The days of a window; a name that we do not know stays."""
    return {name.removesuffix("_days"): value for name, value in told.items()}
