"""`doctor` on the disk: who may use the data directory, the keys and what was left open beside them."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest


def leaks(done: Any) -> dict[str, str]:
    return {one["about"]: one["seen"] for one in done.json if not one["well"]}


def mend(done: Any) -> None:
    """Runs the lines that stand below what leaks, as they are."""
    lines = [line for one in done.json if not one["well"] for line in one["commands"]]
    assert lines
    for line in lines:
        subprocess.run(["sh", "-c", line], check=True)


def test_keys_in_the_database_s_own_folder_are_found(
    command: Any, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ((data,),) = database.rows("show data_directory")
    elsewhere = Path(data) / "ledger_keys"
    monkeypatch.setenv("LEDGER_DATA_DIR", str(elsewhere))
    database.passwords.keep(elsewhere)
    command("topics", "import", "dating")
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


@pytest.mark.parametrize("name", [".env", ".env.production", ".env.bak"])
def test_one_in_the_data_directory_is_found_too(command: Any, tmp_path: Path, name: str) -> None:
    command("doctor")
    file = tmp_path / "data" / name
    file.write_text("LEDGER_PEPPER=" + "x" * 44)
    file.chmod(0o640)
    done = command("doctor", "--json")
    assert leaks(done) == {f"who may use {file}": "others too (0640)"}
    mend(done)
    assert leaks(command("doctor", "--json")) == {}


@pytest.mark.parametrize("where", ["data", "data/keys", "."])
@pytest.mark.parametrize("mode", [0o777, 0o770, 0o722])
def test_a_folder_in_which_others_may_write_is_found_or_refused(
    command: Any, tmp_path: Path, where: str, mode: int
) -> None:
    command("doctor")
    (tmp_path / where).chmod(mode)
    try:
        done = command("doctor", "--json")
        if where == "data/keys":
            assert done.code == 2
            assert f"chmod 700 '{tmp_path / where}'" in done.err
            return
        seen = f"{(tmp_path / where).resolve()} ({mode:04o})"
        assert leaks(done) == {"who may write in the data directory and the folders above it": seen}
        mend(done)
        assert leaks(command("doctor", "--json")) == {}
    finally:
        (tmp_path / where).chmod(0o700)


def test_the_data_directory_itself_is_not_shared_though_it_be_sticky(command: Any, tmp_path: Path) -> None:
    command("doctor")
    (tmp_path / "data").chmod(0o1777)
    assert leaks(command("doctor", "--json")).popitem()[1].endswith("data (1777)")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("ledger.dump", b"PGDMP\x01\x0e"),
        ("backup of tuesday", b"PGDMP\x01\x0e"),
        ("ledger.sql", b"--\n-- PostgreSQL database dump\n--\n"),
        ("all.sql", b"--\n-- PostgreSQL database cluster dump\n--\n"),
        ("ledger.sql.gz", b"\x1f\x8b"),
        ("folder/toc.dat", b"PGDMP\x01\x0e"),
    ],
)
@pytest.mark.parametrize("where", ["data", "."])
def test_a_dump_that_others_may_read_is_found(
    command: Any, tmp_path: Path, where: str, name: str, content: bytes
) -> None:
    command("doctor")
    file = (tmp_path / where / name).resolve()
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(content)
    file.chmod(0o644)
    done = command("doctor", "--json")
    assert leaks(done) == {"dumps of a database that others may read": str(file)}
    mend(done)
    assert leaks(command("doctor", "--json")) == {}


def test_what_is_no_dump_and_what_is_closed_is_well(command: Any, tmp_path: Path) -> None:
    (tmp_path / "notes.sql").write_text("select 1;")
    (tmp_path / "notes.sql").chmod(0o644)
    (tmp_path / "ledger.dump").write_bytes(b"PGDMP")
    (tmp_path / "ledger.dump").chmod(0o600)
    assert leaks(command("doctor", "--json")) == {}


def test_a_key_file_that_others_may_read_is_refused_before_all_else(command: Any, tmp_path: Any) -> None:
    command("doctor")
    (tmp_path / "data" / "keys" / "signing.jwk").chmod(0o644)
    done = command("doctor")
    assert done.code == 2
    assert "chmod 600" in done.err
