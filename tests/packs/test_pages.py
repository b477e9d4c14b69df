"""The pages about the registry and the prompt block show what the code does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ledger.core import prompt
from ledger.core.registry.label import normalise
from ledger.core.registry.near import Listed
from ledger.errors import BadLabel
from ledger.packs import load_pack, near_lists

DOCS = Path(__file__).resolve().parents[2] / "docs"
REGISTRY = (DOCS / "reference" / "registry.md").read_text(encoding="utf-8")
BLOCK = (DOCS / "reference" / "prompt-block.md").read_text(encoding="utf-8")


def snippets(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)


def test_the_pack_on_the_page_is_taken() -> None:
    [text] = snippets(REGISTRY, "yaml")
    assert [topic.key for topic in load_pack(text).topics] == [
        "move_in_date",
        "household_size",
        "credit_score",
    ]


def test_the_labels_on_the_page_give_their_keys() -> None:
    table = REGISTRY.split("These labels are refused")[0]
    rows = re.findall(r"^\| (`.*`) \| `([a-z_]+)` \|$", table, re.MULTILINE)
    assert len(rows) == 4
    for labels, key in rows:
        for label in re.findall(r"`([^`]+)`", labels):
            assert normalise(label) == key


@pytest.mark.parametrize("label", ["!!!", "kids/money", "<b>", "c++", "see example.com", "order 12345", "555-1234", "kіds", "расе"])  # fmt: skip
def test_the_labels_that_the_page_calls_refused_are(label: str) -> None:
    with pytest.raises(BadLabel):
        normalise(label)


@pytest.mark.parametrize(
    ("listed", "same", "far"),
    [
        ("kids", "kid", "no kids"),
        ("notice_period", "period of notice", "without notice period"),
        ("notice_period", "notice peroid", "notice period 2"),
        ("notice_period", "noticeperiod", "notice period b"),
        ("date_of_birth", "birth date", "second date of birth"),
        ("smoking", "smokng", "smoke free"),
        ("start_date", "start dates", "end date"),
        ("wife", "wifes", "husband"),
        ("max_price", "price max", "min price"),
    ],
)
def test_what_the_page_calls_the_same_is_and_what_it_calls_never_near_is_not(
    listed: str, same: str, far: str
) -> None:
    near = Listed({listed: listed}, near_lists()).near
    assert near(normalise(same)).kind == "same"
    assert near(normalise(far)).kind == "far"


def test_the_block_on_the_page_is_one() -> None:
    [text] = snippets(BLOCK, "text")
    entries = prompt.parse(text.removesuffix("\n"))
    assert [entry.topic for entry in entries] == ["kids", "pets", "smoking"]


def test_the_python_on_the_page_runs() -> None:
    [code] = snippets(BLOCK, "python")
    exec(compile(code, "prompt-block.md", "exec"), {})  # noqa: S102 - our own page
