"""Reading a JSON body, strictly and within bounds.

A body is `application/json`, UTF-8, at most 64 KiB, counted while it arrives and before anything is
parsed. What JSON it may hold, `core.strict_json` says.

Source: RFC 8725; RFC 9110 sections 8.3 and 15.5.
"""

from __future__ import annotations

from typing import Any

from starlette.requests import Request

from ledger.api.problems import BodyTooLarge, MalformedJson, UnsupportedMediaType
from ledger.core.strict_json import MAX_DEPTH, NotStrict, decode

__all__ = ["MAX_BYTES", "MAX_DEPTH", "parse", "read", "read_bytes"]

MAX_BYTES = 64 * 1024

_TOO_LARGE = f"A body has at most {MAX_BYTES} bytes."
_MEDIA_TYPES = frozenset({"application/json", "application/json;charset=utf-8"})


async def read(request: Request) -> Any:
    """The parsed body. Raises UnsupportedMediaType, BodyTooLarge, MalformedJson."""
    media_type = request.headers.get("content-type", "").replace(" ", "").replace('"', "").lower()
    if media_type not in _MEDIA_TYPES or "content-encoding" in request.headers:
        raise UnsupportedMediaType(
            "Send the body as Content-Type: application/json, in UTF-8 and not compressed."
        )
    return parse(await read_bytes(request))


async def read_bytes(request: Request) -> bytes:
    """The body as it came. Raises BodyTooLarge as soon as it is, also when it comes in chunks."""
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and (len(announced) > 9 or int(announced) > MAX_BYTES):
        raise BodyTooLarge(_TOO_LARGE)
    body = b""
    async for chunk in request.stream():
        body += chunk
        if len(body) > MAX_BYTES:
            raise BodyTooLarge(_TOO_LARGE)
    return body


def parse(body: bytes) -> Any:
    """The value of a JSON text. Raises MalformedJson, which never repeats any of it."""
    try:
        return decode(body, "body")
    except NotStrict as wrong:
        raise MalformedJson(str(wrong)) from None
