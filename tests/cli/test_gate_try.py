"""`gate try`: a verdict, explained, without a database."""

from __future__ import annotations

from typing import Any


def test_a_span_that_passes_is_0(bare: Any) -> None:
    done = bare("gate", "try", "Hi! I want two kids.", "I want two kids")
    assert done.code == 0
    assert "accepted" in done.out


def test_a_cut_negation_is_1_and_shows_what_was_left_behind_and_what_would_pass(bare: Any) -> None:
    done = bare("gate", "try", "I don't want kids", "want kids")
    assert done.code == 1
    assert "meaning_cut (negation)" in done.out
    assert "left behind: don't" in done.out
    assert "would pass: don't want kids" in done.out


def test_a_bare_answer_needs_its_question(bare: Any) -> None:
    asked = ("--question", "Do you smoke?", "--asked", "Hi! Do you smoke?")
    assert bare("gate", "try", "no", "no").code == 1
    assert bare("gate", "try", "no", "no", *asked).code == 0


def test_names_to_avoid_are_refused(bare: Any) -> None:
    done = bare("gate", "try", "I told Marta that I smoke", "I told Marta that I smoke", "--avoid", "Marta")
    assert done.code == 1
    assert "names_counterparty" in done.out


def test_machine_output_is_the_verdict(bare: Any) -> None:
    done = bare("gate", "try", "I don't want kids", "want kids", "--json")
    assert done.code == 1
    assert done.json["reason"] == "meaning_cut"
    assert done.json["nearest"] == "don't want kids"
    assert done.json["left_behind"] == [2, 7]


def test_no_folder_and_no_database_is_made(bare: Any, tmp_path: Any) -> None:
    bare("gate", "try", "I smoke", "I smoke")
    assert not list(tmp_path.iterdir())


def test_markup_in_a_message_is_only_text(bare: Any) -> None:
    done = bare("gate", "try", "[bold]I smoke[/] [red]", "I smoke")
    assert "[bold]I smoke[/] [red]" in done.out


def test_the_names_of_the_deployment_are_refused_too(bare: Any, tmp_path: Any, monkeypatch: Any) -> None:
    names = tmp_path / "names.txt"
    names.write_text("Acme\n", "utf-8")
    monkeypatch.setenv("LEDGER_AVOID_FILE", str(names))
    done = bare("gate", "try", "I work at Acme", "I work at Acme")
    assert done.code == 1
    assert "names_counterparty" in done.out
