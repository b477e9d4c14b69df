"""What the docs show is run, and where they point there is something."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ledger.service.ledger import Ledger

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?://|#)([^)#]+)")
SNIPPET = re.compile(r"```python\n(.*?)```", re.S)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    broken = [link for link in LINK.findall(page.read_text("utf-8")) if not (page.parent / link).exists()]
    assert broken == []


def test_the_readmes_program_runs_as_shown(ledger, monkeypatch, capsys):
    monkeypatch.setattr(Ledger, "open", classmethod(lambda cls: ledger))
    (program,) = SNIPPET.findall((ROOT / "README.md").read_text("utf-8"))
    exec(compile(program, "README.md", "exec"), {})  # noqa: S102
    out = capsys.readouterr().out
    assert out.startswith("meaning_cut -> don't want kids\n") and "I want two kids" in out


def test_every_test_that_the_threat_model_names_is_there():
    text = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
    named = re.findall(r"`(tests/[\w/.]*)(?:::(\w+))?`", text)
    assert len(named) > 30
    for file, test in named:
        assert (ROOT / file).exists(), file
        assert not test or f"def {test}(" in (ROOT / file).read_text("utf-8"), test


def test_everything_that_is_kept_is_held_both_ways():
    text = (ROOT / "docs" / "threat-model.md").read_text("utf-8")
    rows = [line.split("|")[1:-1] for line in text.splitlines() if re.match(r"\| \d+ \|", line)]
    assert len(rows) == 15
    assert [
        number for number, _, holds, notices in rows if "tests/" not in holds or "tests/" not in notices
    ] == []


def test_the_project_speaks_of_itself_alone():
    """No path of somebody's machine stands in what is shipped."""
    for page in PAGES:
        assert not re.search(r"/(home|root|Users|work)/\w", page.read_text("utf-8")), page
