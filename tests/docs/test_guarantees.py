"""The specification, docs/guarantees.md: what cites it finds its section, and each guarantee has its tests."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "guarantees.md").read_text("utf-8")
SECTIONS = {
    heading.lower().replace(" ", "-"): body
    for heading, body in re.findall(r"^##+ ([\w ]+)\n(.*?)(?=^##+ |\Z)", PAGE, re.M | re.S)
}
GUARANTEES = [name for name in SECTIONS if re.fullmatch(r"g\d", name)]
CITATION = re.compile(r"docs/guarantees\.md((?:(?:, | and | to )?#[\w-]+)+)")
NAMED_TEST = re.compile(r"`(tests/[\w/.]+)::(\w+)`")


def cited(text: str) -> set[str]:
    """The sections of docs/guarantees.md that a text cites."""
    return {section for many in CITATION.findall(text) for section in re.findall(r"#([\w-]+)", many)}


def test_a_citation_is_read_whole():
    text = "Source: docs/guarantees.md#g1, #g3 and #gate-rule-7; RFC 9457. See docs/guarantees.md#the-wire."
    assert cited(text) == {"g1", "g3", "gate-rule-7", "the-wire"}


@pytest.mark.parametrize("folder", ["src", "schema", "tests"])
def test_every_section_that_is_cited_is_there(folder):
    files = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".sql", ".toml")]
    assert len(files) > 10
    lost = {
        (str(path.relative_to(ROOT)), section)
        for path in files
        if path != Path(__file__)
        for section in cited(path.read_text("utf-8")) - SECTIONS.keys()
    }
    assert lost == set()


def test_there_are_eight_guarantees():
    assert [f"g{number}" for number in range(1, 9)] == GUARANTEES


@pytest.mark.parametrize("guarantee", GUARANTEES)
def test_a_guarantee_says_how_it_could_break_and_names_its_tests(guarantee):
    assert "\nHow it could break: " in SECTIONS[guarantee]
    named = NAMED_TEST.findall(SECTIONS[guarantee].partition("\nTests: ")[2])
    assert len(named) >= 3
    for file, test in named:
        assert f"def {test}(" in (ROOT / file).read_text("utf-8"), (file, test)


def test_what_the_proof_prints_as_evidence_is_for_a_guarantee_that_is_there():
    proof = [path.read_text("utf-8") for path in (ROOT / "src" / "ledger" / "proof").glob("*.py")]
    claimed = {
        name.lower()
        for text in proof
        for many in re.findall(r'"(G\d(?: G\d)*)"', text)
        for name in many.split()
    }
    assert len(claimed) > 3
    assert claimed <= set(GUARANTEES)
