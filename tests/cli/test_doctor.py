"""`doctor`: what was looked at reads right with its verdict; what leaks is the exit code; what mends it can be pasted.

What a look at the database finds is in tests/inspection, what one at the disk finds in test_doctor_disk.py.
"""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from psycopg.conninfo import conninfo_to_dict

from ledger.db.operation import Surface


def leaks(done: Any) -> dict[str, str]:
    return {one["about"]: one["seen"] for one in done.json if not one["well"]}


def test_a_fresh_database_is_well(command: Any) -> None:
    done = command("doctor", "--json")
    assert leaks(done) == {}
    assert done.code == 0


def test_the_default_ledger_is_well_and_its_keys_want_a_backup_of_their_own(bare: Any) -> None:
    bare("topics", "import", "dating")
    done = bare("doctor", "--json")
    assert (done.code, leaks(done)) == (0, {})
    known = {one["about"]: one["seen"] for one in done.json if one["residue"]}
    assert known.keys() == {
        "who reads every row, past row-level security",
        "where pepper and keys lie",
        "where the record lies",
    }
    assert known["where pepper and keys lie"].endswith("keys, beside the database")


def test_a_database_without_a_record_leaks(command: Any, monkeypatch: Any) -> None:
    monkeypatch.delenv("LEDGER_TAKEN_DIR")
    done = command("doctor", "--json")
    assert done.code == 1 and list(leaks(done)) == ["record of what was taken away"]


def test_each_finding_is_a_line_of_a_table_and_the_last_line_counts_them(command: Any) -> None:
    found = command("doctor", "--json").json
    known = sum(one["residue"] for one in found)
    done = command("doctor")
    assert done.code == 0
    for about in ("server version", "columns", "log_statement", "pepper"):
        assert f"\nwell  {about} " in done.out
    told = f"{len(found)} looked at: {len(found) - known} well, {known} known, 0 leaking. "
    assert done.out.splitlines()[-1].startswith(told)


def test_no_name_is_cut_off_on_a_narrow_terminal(command: Any, run: Any) -> None:
    table, _, _ = run("doctor", COLUMNS="80").stdout.rpartition("\n\n")
    assert "log_parameter_max_length_on_error " in table
    assert "…" not in table and max(map(len, table.splitlines())) <= 80


def test_what_leaks_stands_last_with_what_to_do_and_is_the_exit_code(command: Any, database: Any) -> None:
    database.installer.execute("grant select on ledger.entry to ledger_agent")
    done = command("doctor")
    assert done.code == 1
    table, mending, summary = done.out.split("\n\n")
    assert mending.splitlines()[-1] == "revoke select on ledger.entry from ledger_agent;"
    _, _, last = table.rpartition("leaks ")
    assert " ".join(last.split()) == (
        "rights on tables other than the reviewed ledger_agent: SELECT on entry compare with schema/10_grants.sql"
    )
    assert "1 leaking. Next: do what stands below" in summary
    done = command("doctor", "--json")
    assert done.code == 1
    assert leaks(done).keys() == {"rights on tables other than the reviewed"}


def test_what_is_known_is_shown_so_with_what_would_close_it_and_leaves_the_exit_code_0(command: Any) -> None:
    done = command("doctor")
    assert done.code == 0
    _, _, known = done.out.partition("\nknown ")
    assert "postgres (superuser)" in known and "keep these logins" in known


def test_without_the_installers_password_it_says_that_it_is_missing(
    command: Any, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With which the surfaces get in all the same."""
    password = quote(str(conninfo_to_dict(database.conninfo)["password"]), safe="")
    monkeypatch.setenv("LEDGER_DATABASE_URL", database.url.replace(password, "not-this-one"))
    assert command("topics", "list").code == 0
    done = command("doctor")
    assert done.code == 2
    assert "refuses this user or password" in done.err and "not-this-one" not in done.err


def test_without_the_installer_it_can_not_look(
    command: Any, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("LEDGER_DATABASE_URL")
    for surface, login in database.logins.items():
        parts = conninfo_to_dict(login)
        url = f"postgresql://{parts['user']}:{parts['password']}@{quote(str(parts['host']), safe='')}:{parts['port']}/{parts['dbname']}"
        monkeypatch.setenv(f"LEDGER_DATABASE_URL_{Surface(surface).value.upper()}", url)
    done = command("doctor")
    assert done.code == 2
    assert "LEDGER_DATABASE_URL" in done.err


def test_what_mends_it_stands_on_lines_of_its_own_unbroken(run: Any, database: Any) -> None:
    database.installer.execute(
        "create table public.a_table_with_a_rather_long_name_of_its_own_that_holds_answers as table ledger.entry"
    )
    run("topics", "import", "dating")  # the keys are there from then on
    done = run("doctor", COLUMNS="80")
    mending = "drop table public.a_table_with_a_rather_long_name_of_its_own_that_holds_answers;"
    assert mending in done.stdout.splitlines()
    database.installer.execute(mending)
    assert run("doctor").returncode == 0


@pytest.mark.parametrize(
    "setting", ["statement_timeout = 1", "default_transaction_read_only = on", "idle_session_timeout = 1"]
)
def test_what_keeps_a_ledger_from_opening_is_found_and_migrate_mends_it(
    command: Any, database: Any, setting: str
) -> None:
    name = database.rows("select current_database()")[0][0]
    for surface in Surface:
        database.installer.execute(f"alter role {surface.role} in database {name} set {setting}")
    found = leaks(command("doctor", "--json"))
    about = "settings of the ledger's logins other than this release gives them"
    assert f"ledger_operator: {setting.split()[0]}" in found[about]
    assert command("migrate").code == 0
    assert leaks(command("doctor", "--json")) == {}


def test_a_server_that_is_away_is_no_finding(command: Any) -> None:
    done = command("doctor", "--database", "postgresql://zebra:secret@127.0.0.1:1/ledger")
    assert (done.code, done.out) == (2, "")
