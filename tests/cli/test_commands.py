"""Each command does one thing, prints it, and says by its exit code whether the answer is yes."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import pytest

from ledger import Candidate, Decision, Ledger
from ledger.service import principals
from ledger.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
TODAY = datetime.now(UTC).date()


@pytest.fixture
def said(database, environment):
    """Somebody said two things, as the commands' deployment knows him."""
    settings = Settings(database_url=database.url, data_dir=Path(environment["LEDGER_DATA_DIR"]))
    with Ledger.open(settings) as ledger:
        person = ledger.principal("ann")
        for topic, message in {"kids": "I want two kids", "pets": "I have two cats"}.items():
            person.capture(message, TODAY, [Candidate(topic, message)])
        ledger.run(principals.decide_consent(ledger.context, person.id, Decision.GRANTED, "v1"))
    return database


def test_version(run):
    assert run("--version").stdout == f"answer-ledger {version('answer-ledger')}\n"


@pytest.mark.parametrize("words", [(), ("gate",), ("topics",), ("windows",), ("legal-hold",)])
def test_without_words_it_teaches(run, words):
    shown = run(*words)
    assert "Usage:" in shown.stdout + shown.stderr


def test_every_command_is_documented_with_an_example(run):
    """docs/reference/cli.md names every command, and every command shows an example."""
    page = (ROOT / "docs" / "reference" / "cli.md").read_text("utf-8")
    commands = re.findall(r"^│ ([a-z-]+) ", run("--help").stdout, re.M)
    assert {
        "serve",
        "demo",
        "replay",
        "token",
        "migrate",
        "sweep",
        "doctor",
        "why",
        "export",
        "erase",
    } <= set(commands)
    for command in commands:
        assert f"`{command}" in page, command
        if command not in ("topics", "windows", "gate", "legal-hold"):
            assert "Example:" in run(command, "--help").stdout, command


def test_an_error_is_one_line_with_the_next_step_and_no_traceback(run):
    refused = run("sweep", LEDGER_DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")
    assert refused.returncode == 2
    assert refused.stderr.startswith("error: ") and "Traceback" not in refused.stderr
    unknown = run("sweep", LEDGER_TIER="none")
    assert (unknown.returncode, "LEDGER_TIER" in unknown.stderr) == (2, True)


def test_token_prints_the_token_alone(run):
    printed = run("token", "--scope", "agent", "--principal", "ann").stdout
    assert printed.count(".") == 2 and printed.count("\n") == 1
    assert run("token", "--scope", "agent").returncode == 2, "an agent's token is of a principal"
    assert run("token", "--scope", "king").returncode == 2


def test_gate_try_explains_a_refusal_and_offers_what_would_pass(run):
    refused = run("gate", "try", "I don't want kids", "want kids")
    assert refused.returncode == 1
    assert "meaning_cut" in refused.stdout and "would pass: don't want kids" in refused.stdout
    assert run("gate", "try", "I don't want kids", "don't want kids").returncode == 0
    assert json.loads(run("gate", "try", "I want kids", "kids", "--json").stdout)["accepted"] is True


def test_topics_import_lists_a_pack_and_may_be_repeated(run):
    for _ in range(2):
        assert run("topics", "import", "recruiting").returncode == 0
    listed = {one["key"]: one for one in json.loads(run("topics", "list", "--json").stdout)}
    assert listed["other_offers"]["handling"] == "forbidden" and listed["other_offers"]["listed"]
    assert run("topics", "import", "no such pack").returncode == 2


def test_topics_set_previews_what_it_destroys(run, said):
    assert run("topics", "set", "kids", "--listed", "--question", "Do you want kids?").returncode == 0
    asked = run("topics", "set", "kids", "--question", "How many kids?")
    assert asked.returncode == 1 and "destroys" in asked.stderr
    assert run("topics", "set", "kids", "--question", "How many kids?", "--yes").returncode == 0
    assert run("topics", "merge", "pets", "kids", "--yes").returncode == 0
    assert "pets" in run("topics", "list").stdout


def test_windows(run, said):
    assert run("windows", "set", "90", "365").returncode == 0
    assert run("windows", "set", "30", "60", "--topic", "kids").returncode == 0
    assert json.loads(run("windows", "show", "--json").stdout) == {
        "default": {"reconfirm_after": 90, "drop_after": 365},
        "topics": {"kids": [30, 60]},
    }
    assert run("windows", "set", "90", "30").returncode == 2


def test_why_says_every_reason(run, said):
    told = run("why", "ann", "kids")
    assert told.returncode == 1 and "unlisted" in told.stdout
    run("topics", "set", "kids", "--listed")
    assert run("why", "ann", "kids").returncode == 0
    assert "nothing kept" in run("why", "bob", "kids").stdout


def test_export_and_erase(run, said):
    taken = json.loads(run("export", "ann").stdout)
    assert {one["topic"]: one["answer"] for one in taken["entries"]} == {
        "kids": "I want two kids",
        "pets": "I have two cats",
    }
    assert run("erase", "ann").returncode == 1, "not without being asked"
    assert json.loads(run("erase", "ann", "--yes", "--json").stdout)["entries"] == 2
    assert json.loads(run("export", "ann").stdout)["count"] == 0


def test_a_legal_hold_makes_an_erasure_wait(run, said):
    run("legal-hold", "place", "ann")
    assert "legal hold" in run("erase", "ann", "--yes").stdout
    assert said.rows("select count(*) from ledger.entry") == [(2,)]
    run("legal-hold", "lift", "ann")
    assert said.rows("select count(*) from ledger.entry") == [(0,)]


def test_sweep_counts_before_it_deletes(run, said):
    said.installer.execute("update ledger.entry set as_of = as_of - 600 where topic = 'kids'")
    assert json.loads(run("sweep", "--dry-run", "--json").stdout)["entries"] == 1
    assert json.loads(run("sweep", "--json").stdout)["entries"] == 1
    assert said.rows("select topic from ledger.entry") == [("pets",)]


def test_migrate_sets_up_a_database_of_yours(run, wheel_server, environment):
    from psycopg.conninfo import conninfo_to_dict

    empty = conninfo_to_dict(wheel_server.empty())
    url = environment["LEDGER_DATABASE_URL"].rpartition("/")[0] + f"/{empty['dbname']}"
    assert "migrate" in run("sweep", LEDGER_DATABASE_URL=url).stderr
    assert "ran 0001" in run("migrate", "--database", url).stdout
    assert "nothing to do" in run("migrate", "--database", url).stdout
    assert run("sweep", LEDGER_DATABASE_URL=url).returncode == 0


def test_doctor_is_well_on_the_embedded_server_and_sees_what_leaks(run, database):
    well = run("doctor", "--json")
    leaks = [one["about"] for one in json.loads(well.stdout) if not one["well"]]
    assert (leaks, well.returncode) == ([], 0)
    for breach in (
        "alter table ledger.entry add column said_at timestamptz",
        "alter table ledger.entry no force row level security",
        "grant select on ledger.entry to ledger_agent",
        "create policy open on ledger.withheld using (true)",
        "grant execute on function ledger.recall to public",
    ):
        database.installer.execute(breach)
    seen = run("doctor")
    assert seen.returncode == 1
    for word in ("said_at", "entry", "ledger_agent", "withheld.open", "PUBLIC: recall"):
        assert word in seen.stdout


def test_a_wrong_pepper_is_found_at_start(run, said):
    refused = run("sweep", LEDGER_PEPPER="b3RoZXIgb3RoZXIgb3RoZXIgb3RoZXIgb3RoZXIgISE=")
    assert refused.returncode == 2 and "pepper" in refused.stderr


def test_serve_serves_until_it_is_told_to_stop(environment, tmp_path):
    process = subprocess.Popen(
        [sys.executable, "-c", "from ledger.cli import main; main()", "serve", "--port", "0"],
        env=environment | {"PYTHONUNBUFFERED": "1"},
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        printed = ""
        while "serving at" not in printed:
            line = process.stdout.readline()
            assert line, printed
            printed += line
        assert "back it up" in printed, "the first start tells what the loss of the keys means"
        url = re.search(r"serving at (\S+),", printed)[1]
        with urllib.request.urlopen(f"{url}/readyz", timeout=10) as answer:
            assert answer.status == 200
            assert "server" not in {name.lower() for name in answer.headers}
        keys = Path(environment["LEDGER_DATA_DIR"]) / "keys"
        assert {path.stat().st_mode & 0o777 for path in keys.iterdir()} == {0o600}
        assert url.startswith("http://127.0.0.1:")
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) in (0, -signal.SIGTERM)


def test_a_port_in_use_is_said(run):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        refused = run("serve", "--port", str(taken.getsockname()[1]))
    assert refused.returncode == 2 and "--port" in refused.stderr


def test_nothing_of_ours_is_in_the_environment():
    assert not [name for name in os.environ if name.startswith("LEDGER_")]
