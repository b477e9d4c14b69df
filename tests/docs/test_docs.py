"""What the docs show is run, and where they point there is something."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ledger.service.ledger import Ledger
from ledger.service.person import Person

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


def test_the_librarys_page_is_one_program_that_runs_as_shown(database, tmp_path, monkeypatch):
    monkeypatch.setenv("LEDGER_DATABASE_URL", database.url)
    monkeypatch.setenv("LEDGER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    page = ROOT / "docs" / "reference" / "python.md"
    program = page.read_text("utf-8")
    for told in SNIPPET.split(program)[
        ::2
    ]:  # each line keeps its place in the page, so that a failure names it
        program = program.replace(told, "\n" * told.count("\n"), 1)
    program = program.replace("```python", "").replace("```", "")
    exec(compile(program, str(page), "exec"), {"__name__": "page"})  # noqa: S102


def test_the_librarys_page_tells_of_every_call_of_a_person_and_a_ledger():
    page = (ROOT / "docs" / "reference" / "python.md").read_text("utf-8")
    calls = {
        name
        for kind in (Person, Ledger)
        for name in vars(kind)
        if callable(getattr(kind, name)) and not name.startswith("_")
    }
    assert len(calls) > 15
    assert [name for name in sorted(calls) if f"`{name}(" not in page] == []


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
    assert len(rows) == 20
    assert [
        number for number, _, holds, notices in rows if "tests/" not in holds or "tests/" not in notices
    ] == []


def test_the_project_speaks_of_itself_alone():
    """No path of somebody's machine stands in what is shipped."""
    for page in PAGES:
        assert not re.search(r"/(home|root|Users|work)/\w", page.read_text("utf-8")), page
