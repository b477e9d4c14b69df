"""Marked values are found wherever they stand and however they are spelled; and by no door do they stay."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from ledger.proof import doors
from ledger.proof.canary import KINDS, Marks, search

MARKS = Marks("qz00ff12ab34cd")


def found(content: bytes) -> set[tuple[str, str]]:
    return {(hit.kind, hit.spelled) for hit in search(MARKS.stem, "a file", content)}


@pytest.mark.parametrize("kind", KINDS)
def test_a_mark_is_found_and_named(kind):
    assert found(b"\0\1" + MARKS.of(kind).encode() + b"!\xff") == {(kind, "as it was")}


@pytest.mark.parametrize("before", range(5))
def test_in_base64_wherever_it_begins(before):
    raw = b"x" * before + MARKS.of("claim").encode() + b"yy"
    assert {spelled for _, spelled in found(base64.b64encode(raw))} == {"in base64"}


def test_in_hexadecimal_and_in_wide_characters():
    assert found(MARKS.of("thread").encode().hex().encode()) == {("thread", "in hexadecimal")}
    assert found(MARKS.of("thread").encode("utf-16-le")) == {("thread", "as UTF-16")}
    assert found(MARKS.of("thread").upper().encode()) == {("thread", "as it was")}


def test_nothing_is_found_where_nothing_is():
    assert found(b"qz00ff12ab34c" * 9) == set()


def test_by_no_door_does_a_marked_value_stay():
    lines = list(doors.examine())
    assert [(one.about, one.details) for one in lines if not one.well] == []
    assert len(lines) == 2


def test_a_process_that_prints_headers_is_noticed(tmp_path: Path):
    """Every process of the house is broken: the application prints who asks."""
    (tmp_path / "sitecustomize.py").write_text(
        "from ledger.api.edge import Edge\n"
        "serve = Edge.__call__\n"
        "async def printing(self, scope, receive, send):\n"
        "    print(dict(scope.get('headers', [])).get(b'user-agent'), flush=True)\n"
        "    await serve(self, scope, receive, send)\n"
        "Edge.__call__ = printing\n",
        "utf-8",
    )
    page = doors.examine({"PYTHONPATH": str(tmp_path)}, by_http_alone=True)
    (lost,) = [one for one in page if one.well is False]
    assert set(lost.details) == {"the mark of agent, as it was, in printed/serve"}
