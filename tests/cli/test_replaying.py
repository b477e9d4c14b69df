"""`replay`, as it is called: in a ledger of its own, whatever is set."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture
def chats(tmp_path: Path) -> str:
    lines = [
        {"principal": "ann", "thread": thread, "said_on": day, "question": "Do you have pets?",
         "message": "I have two cats.", "answers": [{"topic": "pets", "span": "I have two cats."}]}
        for thread, day in (("one", "2026-03-01"), ("two", "2026-03-02"))
    ]  # fmt: skip
    (tmp_path / "chats.jsonl").write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return "chats.jsonl"


def test_the_report_reads_at_a_glance(bare: Any, chats: str) -> None:
    done = bare("replay", chats)
    assert done.code == 0
    assert "asked again by another counterparty" in done.out
    assert "spared in tier full (100%)" in done.out
    assert "Next" not in done.out and "docs/guides/application.md" in done.out.splitlines()[-1]


def test_a_refusal_has_a_next_step(bare: Any, chats: str, tmp_path: Path) -> None:
    file = tmp_path / chats
    file.write_text(
        file.read_text("utf-8").replace('"span": "I have two cats."', '"span": "I own cats"'), "utf-8"
    )
    done = bare("replay", chats)
    assert "refused: not_verbatim" in done.out
    assert "Next: see why a span is refused" in done.out


def test_the_guides_lines_play_as_they_stand(bare: Any, tmp_path: Path) -> None:
    guide = Path(__file__).resolve().parents[2] / "docs" / "guides" / "replay.md"
    _, _, lines = guide.read_text("utf-8").partition("<<'END'\n")
    (tmp_path / "chats.jsonl").write_text(lines.partition("END\n")[0], "utf-8")
    done = bare("replay", "chats.jsonl", "--json")
    assert (done.code, done.json["captures"]) == (0, {"accepted": 2})
    assert done.json["spared"]["full"] == done.json["asked_again"] == 1


def test_a_ledger_that_is_set_is_not_touched(command: Any, database: Any, chats: str) -> None:
    clock = database.rows("select pg_get_functiondef('ledger.today()'::regprocedure)")
    assert command("replay", chats, "--json").json["captures"] == {"accepted": 2}
    assert database.rows("select count(*) from ledger.topic") == [(0,)]
    assert database.rows("select count(*) from ledger.consent") == [(0,)]
    assert database.rows("select pg_get_functiondef('ledger.today()'::regprocedure)") == clock
