"""JSON that means one thing to everybody who reads it.

Refused besides what JSON itself does not allow: bytes that are not UTF-8, a key that stands twice in an object (of
two values the last would win silently), NaN and Infinity, also as a number too large (1e999), more than 32 levels, and
text that can't be stored or encoded: U+0000 and lone surrogates.

Source: RFC 8259 sections 4, 6, 8 and 9; RFC 7519 section 4 (claim names), RFC 7515 section 4 (header names).
"""

from __future__ import annotations

import json
import math
from typing import Any

MAX_DEPTH = 32


class NotStrict(ValueError):
    """A text that is no such JSON; the sentence says why, and repeats none of it."""


def decode(text: bytes, what: str) -> Any:
    """The value of a JSON text, which errors call "the `what`". Raises NotStrict."""
    try:
        value = _decode(text.decode("utf-8"))
    except NotStrict:
        raise
    except UnicodeDecodeError:
        raise NotStrict(f"The {what} is not UTF-8.") from None
    except RecursionError:
        raise NotStrict(_too_deep(what)) from None
    except ValueError:
        raise NotStrict(f"The {what} is not JSON.") from None
    # Without a \u escape no NUL and no lone surrogate can be in it (the parser refuses control characters
    # and the decoder surrogates), and without 32 brackets no depth of 32.
    if b"\\u" in text or text.count(b"[") + text.count(b"{") > MAX_DEPTH:
        _check(value, what)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NotStrict("A key stands twice in one object.")
    return found


def _constant(_name: str) -> Any:
    raise NotStrict("NaN and Infinity are no JSON.")


def _number(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise NotStrict("A number is too large.")
    return number


_decode = json.JSONDecoder(object_pairs_hook=_object, parse_constant=_constant, parse_float=_number).decode


def _check(value: Any, what: str) -> None:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        inner: list[Any] = []
        for one in level:
            if isinstance(one, str):
                _check_text(one, what)
            elif isinstance(one, dict):
                inner += one.keys()
                inner += one.values()
            elif isinstance(one, list):
                inner += one
        if not inner:
            return
        level = inner
    raise NotStrict(_too_deep(what))


def _check_text(text: str, what: str) -> None:
    if "\0" in text:
        raise NotStrict(f"The {what} has the character U+0000 in it.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise NotStrict(f"The {what} has half a surrogate pair in it.") from None


def _too_deep(what: str) -> str:
    return f"The {what} is nested deeper than {MAX_DEPTH} levels."
