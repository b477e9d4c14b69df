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


def test_one_that_is_not_is_1_and_named_by_its_number(bare: Any, tmp_path: Path) -> None:
    wrong = {"message": "I don't want kids", "span": "want kids", "label": "keep"}
    other = {"message": "my boss says I snore", "span": "I snore", "label": "meaning_cut"}
    file = written(tmp_path, [GOOD[0], wrong, other])
    done = bare("gate", "check", file)
    assert done.code == 1
    assert "line 2: keep, judged meaning_cut (negation)" in done.out
    assert "line 3: meaning_cut, judged not_own_words (speech)" in done.out
    assert "want kids" not in done.out
    assert len(bare("gate", "check", file, "--show", "0").out.splitlines()) < len(done.out.splitlines())


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "line 1: not JSON"),
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


def test_a_file_that_is_not_there_is_2(bare: Any, tmp_path: Path) -> None:
    assert bare("gate", "check", str(tmp_path / "none.jsonl")).code == 2
