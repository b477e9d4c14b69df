"""`prove` shows a page, and its exit code says whether everything holds."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import pytest

from ledger.proof import prove as whole
from ledger.proof.report import Line, Page, line
from ledger.proof.stage import Stage

HOLDS = Line("a claim", "G1", True, "200 histories")
TOLD = Line("a residue", "residue", None, "+0.61; keep it short")
LEAKS = line("another claim", "G3", [f"reply {n} differs" for n in range(9)], "60 replies")


@pytest.fixture
def page(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[whole.Size]]:
    """Puts a page in place of what is played; gives the sizes that were asked for."""

    def put(*lines: Line) -> list[whole.Size]:
        asked: list[whole.Size] = []

        def played(_stage: Any, size: whole.Size, transcripts: Any, advance: Any, begin: Any) -> Page:
            asked.append(size)
            begin("A section")
            advance(size.histories)
            made = Page()
            made.add("A section", lines)
            return made

        monkeypatch.setattr(whole, "prove", played)
        monkeypatch.setattr(Stage, "alone", lambda: nullcontext(None))
        return asked

    return put


def test_a_page_on_which_everything_holds_is_0(page: Any, bare: Any) -> None:
    asked = page(HOLDS, TOLD)
    done = bare("prove", "--histories", "60", "--seed", "7", "--jobs", "2")
    assert done.code == 0
    assert "A section" in done.out and "a claim: 200 histories" in done.out and "Nothing leaks." in done.out
    (size,) = asked
    assert (list(size.worlds), size.people, size.jobs) == ([7, 8], 30, 2)


def test_what_it_is_at_is_told_on_the_standard_error(page: Any, bare: Any) -> None:
    """Where nobody sees a bar: the page alone is on the standard output."""
    page(HOLDS)
    done = bare("prove", "--histories", "60", "--jobs", "1", "--json")
    assert "Playing 60 histories, three times each, in 1 process" in done.err and "A section ..." in done.err
    assert "yours is not touched" in " ".join(done.err.split())
    assert done.json["well"] is True


def test_a_claim_that_does_not_hold_is_1_and_named(page: Any, bare: Any) -> None:
    page(HOLDS, LEAKS)
    done = bare("prove")
    assert done.code == 1
    assert "LEAKS" in done.out and "reply 0 differs" in done.out and "and 3 more" in done.out


def test_as_json(page: Any, bare: Any) -> None:
    page(HOLDS, TOLD, LEAKS)
    document = bare("prove", "--json").json
    assert document["well"] is False
    (section,) = document["sections"]
    assert [one["well"] for one in section["lines"]] == [True, None, False]
    assert section["lines"][2]["details"][-1] == "and 3 more"


def test_a_transcript_that_can_not_be_read_is_2(page: Any, bare: Any) -> None:
    page(HOLDS)
    done = bare("prove", "--transcripts", "absent.jsonl")
    assert done.code == 2
    assert done.err.startswith("error: ")
