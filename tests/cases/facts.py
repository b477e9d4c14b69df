"""What a step came to, as facts: `expectations` compares them with what it must come to."""

from __future__ import annotations

from typing import Any

import httpx

Facts = dict[str, Any]
OK: Facts = {"outcome": "ok"}


def came_to(response: httpx.Response) -> str:
    if response.status_code >= 500:
        return "error"
    return "rejected" if response.status_code >= 400 else "ok"


def answered(response: httpx.Response) -> Facts:
    """What every response tells."""
    return {
        "outcome": came_to(response),
        "http": response.status_code,
        "body": response.text,
        "headers": response.headers,
    }
