"""`demo` and `replay`, as they are pasted from the README."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"


def test_the_demo_tells_the_whole_story(run):
    told = run("demo", LEDGER_DATABASE_URL="", LEDGER_DATA_DIR="")
    assert told.returncode == 0, told.stderr
    for said in (
        "is spared  kids",
        "“I do not want any kids”: not_verbatim",
        "“want kids”: meaning_cut",
        "“smokes”: meaning_cut",
        "knows      kids     “I don't want kids, to be honest.”",
        "the same bytes",
        "reconfirms weekend",
        "asks       diet",
        "1 entry deleted",
        "Now say who heard what",
    ):
        assert said in told.stdout, said
    for name in ("Mira", "Nora", "Olga"):
        assert name not in told.stdout.partition("6. Everything")[2], "no counterparty is in the database"


@pytest.fixture
def transcript(tmp_path):
    """Two counterparties ask one person the same; a third asks when the answer is old."""

    def line(thread, day, answer, **more):
        answers = [{"topic": "smoking", "span": answer}] if answer else []
        return json.dumps(
            {"principal": "p", "thread": thread, "said_on": day, "question": "Do you smoke?", "message": answer or "Why do you ask?",
             "answers": answers, "asked": ["smoking"], **more}
        )  # fmt: skip

    path = tmp_path / "chats.jsonl"
    path.write_text(
        "\n".join(
            [
                line("c", "2024-09-01", None),
                line("a", "2024-01-01", "I smoke outdoors"),
                "{ not json: zebra",
                line("b", "2024-02-01", "No"),
                line("a", "2024-02-02", None),
            ]
        ),
        "utf-8",
    )
    return path


def test_a_replay_counts_what_a_ledger_would_have_saved(run, transcript):
    played = run("replay", str(transcript), "--json")
    assert played.returncode == 1, "a line is broken"
    assert "line 3" in played.stderr and "zebra" not in played.stderr + played.stdout
    report = json.loads(played.stdout)
    assert report == {
        "messages": 4, "principals": 1, "threads": 3, "captures": {"accepted": 2},
        "asked": 4, "asked_again": 3, "spared": {"none": 0, "topics": 2, "full": 2}, "as_a_question": 1,
        "broken": [{"file": str(transcript), "line": 3}],
    }  # fmt: skip


def test_a_file_that_is_not_there_is_said(run, tmp_path):
    refused = run("replay", str(tmp_path / "none.jsonl"))
    assert refused.returncode == 2 and "can't be read" in refused.stderr


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs the real conversations in ../shared/data")
def test_real_conversations_are_played(run, tmp_path):
    path = tmp_path / "telephone.jsonl"
    with (SHARED / "switchboard.jsonl").open(encoding="utf-8") as source:
        path.write_text("".join(line for _, line in zip(range(1500), source, strict=False)), "utf-8")
    report = json.loads(run("replay", str(path), "--json").stdout)
    assert report["messages"] == 1500
    assert report["captures"]["accepted"] > 0.9 * sum(report["captures"].values())
