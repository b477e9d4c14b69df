"""A replay counts what a ledger would have saved, on transcripts whose outcome is known."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import SetupError
from ledger.service import replay
from ledger.service.ledger import Ledger
from ledger.service.replay import Report

Play = Callable[..., Report]


def line(
    thread: str,
    day: str | None,
    message: str = "I have two cats.",
    topic: str = "pets",
    span: str | None = None,
    question: str | None = "Do you have pets?",
    **more: Any,
) -> dict[str, Any]:
    return {
        "principal": "ann", "thread": thread, "said_on": day, "question": question, "message": message,
        "answers": [{"topic": topic, "span": span or message}], **more,
    }  # fmt: skip


@pytest.fixture
def play(ledger: Ledger, tmp_path: Path) -> Play:
    def run(*lines: Any) -> Report:
        raw = [one if isinstance(one, str) else json.dumps(one) for one in lines]
        (tmp_path / "chats.jsonl").write_text("".join(f"{one}\n" for one in raw), "utf-8")
        found, broken = replay.read([tmp_path / "chats.jsonl"])
        report = replay.play(ledger, found)
        report.broken = sorted([*broken, *report.broken])
        return report

    return run


@pytest.mark.parametrize("question", ["Any pets?\nOr none?", "Do you have pets? " * 40, "   ", "\x07"])
def test_what_was_asked_and_can_be_no_question_of_a_topic_stops_nothing(play: Play, question: str) -> None:
    report = play(line("one", "2026-03-01", question=question), line("two", "2026-03-05", question=question))
    assert report.captures == {"accepted": 2}
    assert report.spared["full"] == 1


def test_a_question_that_another_counterparty_asks_again_is_spared_in_every_tier_but_none(play: Play) -> None:
    report = play(line("one", "2026-03-01"), line("two", "2026-03-05"), line("three", "2026-03-09"))
    assert (report.messages, report.principals, report.threads) == (3, 1, 3)
    assert (report.asked, report.asked_again) == (3, 2)
    assert report.spared == {"none": 0, "topics": 2, "full": 2}
    assert report.captures == {"accepted": 3}


def test_a_question_asked_again_in_its_own_thread_is_none_asked_again(play: Play) -> None:
    assert play(line("one", "2026-03-01"), line("one", "2026-03-05")).asked_again == 0


def test_nothing_is_spared_for_another_principal(play: Play) -> None:
    report = play(line("one", "2026-03-01"), line("two", "2026-03-05", principal="bob"))
    assert (report.asked_again, report.principals) == (0, 2)


@pytest.mark.parametrize(
    ("later", "covered", "known", "as_a_question"),
    [
        ("2024-04-30", 1, 1, 0),  # 120 days
        ("2024-05-01", 0, 0, 1),  # 121
        ("2025-06-23", 0, 0, 1),  # 539
        ("2025-06-24", 0, 0, 0),  # 540
    ],
)
def test_each_line_is_played_on_its_day(
    play: Play, later: str, covered: int, known: int, as_a_question: int
) -> None:
    report = play(line("one", "2024-01-01"), line("two", later))
    assert report.asked_again == 1
    assert report.spared == {"none": 0, "topics": covered, "full": known}
    assert report.as_a_question == as_a_question


def test_a_sensitive_topic_is_spared_with_consent_alone(play: Play) -> None:
    faith = {"topic": "religion", "message": "I go to church.", "question": "Are you religious?"}
    report = play(line("one", "2026-03-01", **faith), line("two", "2026-03-05", **faith))
    assert report.spared == {"none": 0, "topics": 0, "full": 1}


def test_refused_captures_are_counted_by_reason_and_spare_nothing(play: Play) -> None:
    cut = line("one", "2026-03-01", "I don't want pets.", span="want pets")
    paraphrase = line("two", "2026-03-02", "I don't want pets.", span="no pets wanted")
    label = line("three", "2026-03-03", topic="mail me at a@b.example")
    report = play(cut, paraphrase, label)
    assert report.captures == {"meaning_cut": 1, "not_verbatim": 1, "bad_label": 1}
    assert report.spared == {"none": 0, "topics": 0, "full": 0}


def test_a_bare_answer_counts_with_its_question(play: Play) -> None:
    asked = {"question": "Do you smoke?", "topic": "smoking"}
    report = play(line("one", "2026-03-01", "No.", **asked), line("two", "2026-03-02", "No.", **asked))
    assert report.captures == {"accepted": 2}
    assert report.spared["full"] == 1


def test_two_labels_of_one_topic_are_one_question(play: Play) -> None:
    report = play(line("one", "2026-03-01", topic="Pets"), line("two", "2026-03-02", topic="pets"))
    assert (report.asked_again, report.spared["full"]) == (1, 1)


def test_lines_are_played_in_the_order_of_their_days(play: Play) -> None:
    report = play(line("two", "2026-03-05"), line("one", "2024-01-01"))
    assert (report.asked_again, report.spared["full"]) == (1, 0)


def test_a_line_without_a_day_is_of_today(play: Play) -> None:
    assert play(line("one", None), line("two", None)).spared["full"] == 1


def test_what_he_says_unasked_is_no_question_and_yet_was_heard(play: Play) -> None:
    unasked = line("one", "2026-03-01", asked=[])
    assert play(unasked).asked == 0
    report = play(unasked, line("two", "2026-03-02"))
    assert (report.asked, report.asked_again, report.spared["full"]) == (1, 1, 1)


def test_what_the_other_side_asked_for_counts_although_it_was_not_answered(play: Play) -> None:
    silent = {**line("two", "2026-03-02"), "answers": [], "asked": ["pets"]}
    report = play(line("one", "2026-03-01"), silent)
    assert (report.asked, report.asked_again, report.spared["topics"]) == (2, 1, 1)


def test_no_thread_is_handed_to_the_ledger(play: Play, database: Any) -> None:
    play(line("zebra-1", "2026-03-01"), line("zebra-2", "2026-03-02"))
    tables = [name for (name,) in database.rows("select relname from pg_class where relnamespace = 'ledger'::regnamespace and relkind = 'r'")]  # fmt: skip
    assert tables
    for table in tables:
        assert "zebra" not in str(database.rows(f"select * from ledger.{table}"))


@pytest.mark.parametrize(
    "broken",
    [
        "{",
        "[]",
        "null",
        '{"principal": "zebra"}',
        json.dumps({**line("one", "2026-03-01"), "said_on": "zebra"}),
        json.dumps({**line("one", "2026-03-01"), "answers": [{"topic": "zebra"}]}),
        json.dumps({**line("one", "2026-03-01"), "asked": "zebra"}),
        json.dumps({**line("one", "2026-03-01"), "message": 7}),
        json.dumps({**line("one", "2026-03-01"), "message": "\ud800zebra"}),
        json.dumps({**line("one", "2026-03-01"), "message": "ze\x00bra"}),
        json.dumps({**line("one", "2026-03-01"), "principal": " "}),
        "[" * 100_000,
    ],
    ids=range(12),
)
def test_a_broken_line_is_named_by_its_number_and_the_rest_is_played(play: Play, broken: str) -> None:
    report = play(line("one", "2026-03-01"), broken, line("two", "2026-03-02"))
    assert (report.messages, report.spared["full"]) == (2, 1)
    assert [place.line for place in report.broken] == [2]


def test_a_file_that_is_not_there_is_told_and_not_repeated() -> None:
    with pytest.raises(SetupError) as refused:
        replay.read([Path("zebra.jsonl")])
    assert "zebra" not in refused.value.detail
