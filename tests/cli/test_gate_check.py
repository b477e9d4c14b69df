"""`gate check`: labelled lines scored, without a database."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

GOOD = [
    {"message": "I don't want kids", "span": "want kids", "label": "refuse"},
    {"message": "I don't want kids", "span": "I don't want kids", "label": "keep"},
    {"message": "I doubt that I want kids", "span": "I want kids", "label": "meaning_cut"},
    {"message": "no", "span": "no", "label": "keep", "question": "Do you smoke?", "asked": "Do you smoke?"},
    {"message": "I like Marta", "span": "I like Marta", "label": "names_counterparty", "avoid": ["Marta"]},
    {"message": "No tengo hijos", "span": "hijos", "label": "refuse", "lang": "es"},
]


def written(folder: Path, lines: list[Any]) -> str:
    file = folder / "labelled.jsonl"
    file.write_text("\n".join(json.dumps(line) for line in lines) + "\n", "utf-8")
    return str(file)


def test_lines_that_are_judged_as_labelled_are_0(bare: Any, tmp_path: Path) -> None:
    done = bare("gate", "check", written(tmp_path, GOOD), "--json")
    assert done.code == 0
    assert done.json["wrong"] == []
    assert done.json["labels"]["keep"] == {"lines": 2, "right": 2}


def test_one_that_is_not_is_1_and_told_with_what_was_expected_and_the_verdict(
    bare: Any, tmp_path: Path
) -> None:
    wrong = {"message": "I don't want [red]kids[/]", "span": "want [red]kids[/]", "label": "keep"}
    other = {"message": "my boss says I snore", "span": "I snore", "label": "meaning_cut"}
    file = written(tmp_path, [GOOD[0], wrong, other])
    done = bare("gate", "check", file)
    assert done.code == 1
    assert (
        """
line 2: expected keep, judged meaning_cut (negation)
  message     I don't want [red]kids[/]
  span        want [red]kids[/]
  would pass  don't want [red]kids[/]

line 3: expected meaning_cut, judged not_own_words (speech)
  message     my boss says I snore
  span        I snore
"""
        in done.out
    )


def test_shares_are_told_by_kind_and_language_kept_and_near(bare: Any, tmp_path: Path) -> None:
    near = {
        "message": "I have a cat allergy",
        "span": "a cat",
        "label": "keep",
        "kind": "compound",
        "lang": "en",
    }
    far = {"message": "I want kids if " + "we " * 40, "span": "kids", "label": "keep", "kind": "compound"}
    turned = {"message": "I don't want kids", "span": "want kids", "label": "refuse", "kind": "negation"}
    done = bare("gate", "check", written(tmp_path, [near, far, turned]), "--json")
    assert done.json["kinds"]["compound"] == {"keep": 2, "kept": 0, "near": 1, "refuse": 0, "refused": 0}
    assert done.json["kinds"]["negation"] == {"keep": 0, "kept": 0, "near": 0, "refuse": 1, "refused": 1}
    assert done.json["languages"]["en"]["near"] == 1
    assert done.json["all"]["keep"] == 2
    shown = bare("gate", "check", written(tmp_path, [near, far, turned])).out
    assert "kind compound" in shown and "lang en" in shown and "50.0%" in shown


def test_it_lists_so_many_and_says_how_many_more_there_are(bare: Any, tmp_path: Path) -> None:
    wrong = {"message": "I don't want kids", "span": "want kids", "label": "keep"}
    file = written(tmp_path, [wrong, wrong, wrong])
    done = bare("gate", "check", file, "--show", "1")
    assert "line 1:" in done.out and "line 2:" not in done.out
    assert "and 2 more lines" in done.out
    assert "line 1:" not in bare("gate", "check", file, "--show", "0").out


def test_machine_output_tells_numbers_and_no_text(bare: Any, tmp_path: Path) -> None:
    """It may end in a log; the file itself is at hand."""
    wrong = {"message": "I don't want kids", "span": "want kids", "label": "keep"}
    done = bare("gate", "check", written(tmp_path, [wrong]), "--json")
    assert done.json["wrong"] == [{"line": 1, "label": "keep", "outcome": "meaning_cut", "rule": "negation"}]
    assert "kids" not in done.out


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 1: not JSON"),
        ("[" * 100_000, "line 1: not JSON"),
        ('{"message": "a", "span": "a"}', "line 1: label"),
        ('{"message": "a", "span": "a", "label": "maybe"}', "line 1: label is none of"),
        ('{"message": "a", "span": "a", "label": "keep", "topic": "x"}', "line 1: topic"),
        ("3", "line 1"),
    ],
)
def test_a_line_that_is_not_as_it_should_be_is_2(bare: Any, tmp_path: Path, line: str, says: str) -> None:
    file = tmp_path / "bad.jsonl"
    file.write_text(line, "utf-8")
    done = bare("gate", "check", str(file))
    assert done.code == 2
    assert says in " ".join(done.err.split())


def test_a_file_that_can_not_be_read_is_2_and_says_why(bare: Any, tmp_path: Path) -> None:
    (tmp_path / "latin.jsonl").write_bytes(b'{"message": "ma\xf1ana"}')
    for file, why in (
        ("none.jsonl", "There is no file none.jsonl"),
        (".", ". is a folder"),
        ("latin.jsonl", "latin.jsonl is not UTF-8 text: see its byte 15"),
    ):
        done = bare("gate", "check", file)
        assert done.code == 2
        assert why in done.err


def test_a_byte_order_mark_is_no_part_of_the_first_line(bare: Any, tmp_path: Path) -> None:
    file = tmp_path / "marked.jsonl"
    file.write_text(json.dumps(GOOD[0]), "utf-8-sig")
    assert bare("gate", "check", str(file)).code == 0
