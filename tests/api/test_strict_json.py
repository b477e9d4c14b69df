"""What counts as a JSON body, and what is refused before any of it is used."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.api.problems import MalformedJson
from ledger.api.strict_json import MAX_BYTES, MAX_DEPTH, parse

texts = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=20)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63)
    | st.floats(allow_nan=False, allow_infinity=False)
    | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=20,
)


@given(values, st.booleans())
def test_json_is_read_as_json(value: Any, escaped: bool) -> None:
    assert parse(json.dumps(value, ensure_ascii=escaped).encode()) == value


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" ",
        b"{",
        b'{"a":1,}',
        b"{'a':1}",
        b'{"a":1} {"b":2}',
        b'"\t"',
        b'"a\0b"',
        b"\xef\xbb\xbf{}",
        b"1" * 5000,
        b"nul",
    ],
)
def test_what_is_no_json_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedJson):
        parse(body)


@pytest.mark.parametrize(
    "body", [b'"\xff"', b'"\xed\xa0\xbd"', b'"\xc0\x80"', '{"a":"é"}'.encode("utf-16"), "{}".encode("utf-32")]
)
def test_what_is_not_utf_8_is_refused(body: bytes) -> None:
    with pytest.raises(MalformedJson):
        parse(body)


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "-1e999"])
def test_numbers_are_finite(number: str) -> None:
    with pytest.raises(MalformedJson):
        parse(f'{{"a":{number}}}'.encode())


@pytest.mark.parametrize("body", ['{"a":1,"a":1}', '{"a":{"b":1,"c":2,"b":3}}', '[{"\\u0061":1,"a":2}]'])
def test_a_key_stands_once(body: str) -> None:
    with pytest.raises(MalformedJson, match="twice"):
        parse(body.encode())


@pytest.mark.parametrize("bad", ["\\u0000", "\\ud83d", "\\ude00", "\\ude00\\ud83d"])
@pytest.mark.parametrize("place", ['"{}"', '{{"a":"x{}y"}}', '{{"{}":1}}', '[[["{}"]]]'])
def test_text_can_be_stored(bad: str, place: str) -> None:
    with pytest.raises(MalformedJson):
        parse(place.format(bad).encode())


def test_a_whole_pair_is_a_character() -> None:
    assert parse(b'"\\ud83d\\ude00"') == "\U0001f600"


@pytest.mark.parametrize(("left", "right"), [("[", "]"), ('{"a":', "}")])
def test_nesting_has_an_end(left: str, right: str) -> None:
    def nested(depth: int) -> bytes:
        return (left * depth + "1" + right * depth).encode()

    parse(nested(MAX_DEPTH))
    for depth in (MAX_DEPTH + 1, 500, 5_000):
        with pytest.raises(MalformedJson, match="nested"):
            parse(nested(depth))


def test_brackets_without_an_end_are_refused_and_nothing_else_happens() -> None:
    for opening in (b"[", b'{"a":', b'[{"a":'):
        with pytest.raises(MalformedJson):
            parse(opening * (MAX_BYTES // len(opening)))


def test_width_is_not_depth() -> None:
    assert parse(b"[" + b"[]," * 5_000 + b"[]]") == [[]] * 5_001


@given(st.binary(max_size=60) | st.text('[]{}":,\\u0dabcef 1e.-', max_size=60).map(str.encode))
def test_no_body_makes_reading_fail_in_another_way_nor_is_repeated(body: bytes) -> None:
    said = None
    try:
        parse(body)
    except MalformedJson as refusal:
        said = refusal.detail
    assert said in KNOWN


KNOWN = {
    None,
    "The body is not UTF-8.",
    "The body is not JSON.",
    "A key stands twice in one object.",
    "NaN and Infinity are no JSON.",
    "A number is too large.",
    "The body has the character U+0000 in it.",
    "The body has half a surrogate pair in it.",
    f"The body is nested deeper than {MAX_DEPTH} levels.",
}
