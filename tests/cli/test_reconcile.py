"""`reconcile`, and what the other commands say while it is due."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any


def known(command: Any, *names: str) -> None:
    """The ledger has heard of them."""
    for name in names:
        for act in ("place", "lift"):
            assert command("legal-hold", act, name).code == 0


def test_on_a_sound_ledger_there_is_nothing_to_do(command: Any) -> None:
    done = command("reconcile")
    assert done.code == 0 and "Nothing to do" in done.out


def test_every_command_says_that_the_database_lost_something_and_what_to_run(
    command: Any, database: Any
) -> None:
    known(command, "ann")
    command("erase", "ann", "--yes")
    for table in ("barrier", "audit", "consent"):
        database.installer.execute(f"delete from ledger.{table}")
    done = command("windows", "show")
    assert done.code == 0 and "answer-ledger reconcile" in done.err
    found = {one["about"]: one for one in json.loads(command("doctor", "--json").out)}
    record = found["record of what was taken away"]
    assert not record["well"] and record["todo"] == "answer-ledger reconcile"
    assert "of 1 people" in command("reconcile").out
    assert "reconcile" not in command("windows", "show").err


def test_without_a_record_it_asks_first_and_says_what_it_did(command: Any, tmp_path: Path) -> None:
    known(command, "ann")
    command("erase", "ann", "--yes")
    (tmp_path / "taken" / "taken").unlink()
    assert command("reconcile").code == 2
    assert command("reconcile", "--without-record").code == 1
    done = command("reconcile", "--without-record", "--yes", "--json")
    assert done.code == 0 and done.json["revoked"] == 0
    assert command("reconcile").code == 0


def test_a_backup_and_a_restore_of_the_embedded_ledger_are_one_command_each(
    bare: Any, tmp_path: Path
) -> None:
    bare("topics", "import", "dating", "--yes")
    known(bare, "ann", "ben")
    bare("erase", "ann", "--yes")
    made = bare("backup", "monday")
    assert made.code == 0 and "wants a backup of its own" in made.out
    bare("erase", "ben", "--yes")
    assert "a ledger here already" in bare("restore", "monday").err
    (tmp_path / "data" / "postgres").rename(tmp_path / "lost")
    done = bare("restore", "monday", "--json")
    assert done.code == 0 and done.json["principals"] == 1, "what was erased after the backup is erased again"
    assert "pets" in bare("topics", "list").out
    assert bare("doctor").code == 0
