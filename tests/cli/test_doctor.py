"""`doctor`: what was looked at reads right with its verdict; what leaks is the exit code; the keys are looked at too.

What a look at the database finds is in tests/inspection.
"""

from __future__ import annotations

from pathlib import Path
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


def test_no_name_is_cut_off_on_a_narrow_terminal(run: Any) -> None:
    table, _, _ = run("doctor", COLUMNS="80").stdout.rpartition("\n\n")
    assert "log_parameter_max_length_on_error " in table
    assert "…" not in table and max(map(len, table.splitlines())) <= 80


def test_what_leaks_stands_last_with_what_to_do_and_is_the_exit_code(command: Any, database: Any) -> None:
    database.installer.execute("grant select on ledger.entry to ledger_agent")
    done = command("doctor")
    assert done.code == 1
    table, _, summary = done.out.rpartition("\n\n")
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


def test_keys_in_the_database_s_own_folder_are_found(
    command: Any, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((data,),) = database.rows("show data_directory")
    monkeypatch.setenv("LEDGER_DATA_DIR", str(Path(data) / "ledger_keys"))
    done = command("doctor", "--json")
    assert set(leaks(done)) == {"where pepper and keys lie"}
    assert done.code == 1


def test_a_file_of_settings_with_a_secret_that_others_may_read_is_found(
    command: Any, database: Any, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("LEDGER_TENANT=default\n")
    (tmp_path / ".env").chmod(0o644)
    assert leaks(command("doctor", "--json")) == {}
    (tmp_path / ".env").write_text(f"LEDGER_DATABASE_URL={database.url}\n")
    assert leaks(command("doctor", "--json")) == {"who may use .env": "others too (0644)"}


def test_a_key_file_that_others_may_read_is_refused_before_all_else(command: Any, tmp_path: Any) -> None:
    command("doctor")
    (tmp_path / "data" / "keys" / "signing.jwk").chmod(0o644)
    done = command("doctor")
    assert done.code == 2
    assert "chmod 600" in done.err


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
