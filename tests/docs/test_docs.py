"""What the docs show is run, and where they point there is something."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from api.world import Api

from ledger.api import workers
from ledger.service.deployment import Deployment
from ledger.service.ledger import Ledger
from ledger.service.person import Person
from ledger.settings import Settings

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
    database.passwords.keep(tmp_path / "data")
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


def test_a_backend_with_a_key_of_its_own_gets_tokens_as_shown(database, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (ROOT / "docs" / "operations" / "credentials.md").read_text("utf-8")
    made = {}
    for program in SNIPPET.findall(page):
        exec(compile(program, "credentials.md", "exec"), made)  # noqa: S102
    for setting in re.findall(r"`LEDGER_(JWKS_FILE|JWKS_ISSUER)=(.+?)`", page):
        monkeypatch.setenv(f"LEDGER_{setting[0]}", setting[1])
    database.passwords.keep(tmp_path / "data")
    deployment = Deployment.open(Settings.load(database_url=database.url, data_dir=tmp_path / "data"))
    api = Api(deployment, database)
    asked = {"principal": "alex", "scope": ["agent"]}
    bearer = [("Authorization", f"Bearer {made['token']}")]
    assert api.call("POST", "/v1/tokens", asked, headers=bearer).status_code == 200
    assert (tmp_path / "backend.jwk").stat().st_mode & 0o077 == 0
    api.close()
    deployment.close()


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


def test_systemd_waits_until_the_last_worker_has_ended():
    page = (ROOT / "docs" / "operations" / "serving.md").read_text("utf-8")
    (given,) = re.findall(r"(?m)^TimeoutStopSec=(\d+)$", page)
    assert int(given) >= Settings.model_fields["grace_s"].default + workers.LEAVE_S + 10


def test_the_proxys_limits_are_those_of_the_service():
    """A proxy that keeps a connection longer sends requests on one that is closed at that moment."""
    page = (ROOT / "docs" / "operations" / "serving.md").read_text("utf-8")
    said = dict(re.findall(r"(?m)^ +(\w+) (\d+)[sk];", page))
    assert int(said["keepalive_timeout"]) < Settings.model_fields["idle_timeout_s"].default
    assert int(said["client_header_timeout"]) == Settings.model_fields["head_timeout_s"].default
    assert int(said["client_body_timeout"]) == Settings.model_fields["body_timeout_s"].default
    assert int(said["client_max_body_size"]) == int(said["client_body_buffer_size"]) == 64
    assert "access_log off;" in page and "location = /metrics { return 404; }" in page


def test_the_project_speaks_of_itself_alone():
    """No path of somebody's machine stands in what is shipped."""
    for page in PAGES:
        assert not re.search(r"/(home|root|Users|work)/\w", page.read_text("utf-8")), page
