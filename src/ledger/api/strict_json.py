"""Reading a JSON body, strictly and within bounds.

A body is `application/json`, UTF-8, at most 64 KiB, counted while it arrives and before anything is
parsed. Refused besides what JSON itself does not allow: a key that stands twice in an object (of two
values the last would win silently), NaN and Infinity, also as a number too large (1e999), more than 32
levels, and text that can't be stored or encoded: U+0000 and lone surrogates.

Source: RFC 8259 sections 4, 6, 8 and 9; RFC 8725; RFC 9110 sections 8.3 and 15.5.
"""

from __future__ import annotations

import json
import math
from typing import Any

from starlette.requests import Request

from ledger.api.problems import BodyTooLarge, MalformedJson, UnsupportedMediaType

MAX_BYTES = 64 * 1024
MAX_DEPTH = 32

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
        value = _decode(body.decode("utf-8"))
    except MalformedJson:
        raise
    except UnicodeDecodeError:
        raise MalformedJson("The body is not UTF-8.") from None
    except RecursionError:
        raise MalformedJson(f"The body is nested deeper than {MAX_DEPTH} levels.") from None
    except ValueError:
        raise MalformedJson("The body is not JSON.") from None
    # Without a \u escape no NUL and no lone surrogate can be in it (the parser refuses control characters
    # and the decoder surrogates), and without 32 brackets no depth of 32.
    if b"\\u" in body or body.count(b"[") + body.count(b"{") > MAX_DEPTH:
        _check(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise MalformedJson("A key stands twice in one object.")
    return found


def _constant(_name: str) -> Any:
    raise MalformedJson("NaN and Infinity are no JSON.")


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise MalformedJson("A number is too large.")
    return number


_decode = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_number).decode


def _check(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for one in level:
            if isinstance(one, str):
                _check_text(one)
            elif isinstance(one, dict):
                inner += one.keys()
                inner += one.values()
            elif isinstance(one, list):
                inner += one
        if not inner:
            return
        level = inner
    raise MalformedJson(f"The body is nested deeper than {MAX_DEPTH} levels.")


def _check_text(text: str) -> None:
    if "\0" in text:
        raise MalformedJson("The body has the character U+0000 in it.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise MalformedJson("The body has half a surrogate pair in it.") from None
