"""A database that comes back from a backup gives agents nothing that was taken away since."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from ledger.embedded import binaries
from ledger.errors import SetupError, Unavailable
from ledger.service.ledger import Ledger
from ledger.settings import Settings

from .house import House

PROGRAMS = binaries.find().folder


def test_nothing_that_was_taken_away_since_is_served(either: House) -> None:
    house = either
    for name in ("ann", "ben", "cyd", "dan", "eve"):
        house.say("cats", f"I have {len(name)} cats", name)
        house.say("cars", "I have two cars", name)
        house.decide("granted", name)
    backup = house.backup()
    house.later()
    house.decide("revoked", "ann")
    house.run(house.erasing("ben"))
    house.run(house.deleting("cats", "cyd"))
    house.run(house.withholding("cars", "dan"))
    house.run(house.object_(True, "eve"))

    house.restore(backup)

    assert house.ahead and not any(house.quotes(name) for name in ("ann", "ben", "cyd", "dan", "eve"))
    with pytest.raises(Unavailable):
        house.say("cats", "I have nine cats")
    house.reconcile()
    assert not house.ahead
    assert house.quotes("ann") == house.quotes("ben") == house.quotes("eve") == set()
    assert house.quotes("cyd") == {"I have two cars"} and house.quotes("dan") == {"I have 3 cats"}
    assert house.stored("ben") == set() and house.stored("cyd") == {"I have two cars"}
    house.say(
        "cats", "I have nine cats", "cyd", house.today.replace(day=1)
    )  # late: from before it was deleted
    assert house.quotes("cyd") == {"I have two cars"}


def test_without_a_record_it_would_all_be_back(database: Any, settings_for: Callable[..., Settings]) -> None:
    """These tests notice: the same history, and nothing beside the database."""
    with House(database, settings_for(database, taken_dir=None)) as house:
        house.say("cats", "I have three cats")
        house.decide("granted")
        backup = house.backup()
        house.later()
        house.run(house.erasing())
        house.restore(backup)
        assert house.quotes() == {"I have three cats"}


@pytest.mark.skipif(
    not (PROGRAMS / "pg_dump").exists(), reason="needs pg_dump and pg_restore beside the server"
)
def test_pg_restore_of_an_older_dump_makes_nobody_readable_who_revoked_or_erased(
    house: House, tmp_path: Path
) -> None:
    dump = tmp_path / "dump"
    for name in ("ann", "ben", "cyd"):
        house.say("cats", "I have three cats", name)
        house.decide("granted", name)
    conninfo = house.database.conninfo
    subprocess.run([PROGRAMS / "pg_dump", "-Fc", f"--dbname={conninfo}", f"--file={dump}"], check=True)
    house.decide("revoked", "ann")
    house.run(house.erasing("ben"))
    house.ledger.close()
    load = [PROGRAMS / "pg_restore", "--clean", "--if-exists", f"--dbname={conninfo}", dump]
    subprocess.run(load, check=True, capture_output=True)
    house.reopen()
    assert not any(house.quotes(name) for name in ("ann", "ben", "cyd"))
    house.reconcile()
    assert house.quotes("ann") == house.quotes("ben") == set() and house.quotes("cyd") == {
        "I have three cats"
    }


def test_a_running_worker_that_loses_its_connections_compares_before_it_serves(house: House) -> None:
    house.say("cats", "I have three cats")
    house.decide("granted")
    backup = house.backup()
    house.decide("revoked")
    assert house.quotes() == set()
    house.put_back(backup)
    house.database.installer.execute(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename like 'ledger\\_%' and datname = current_database()"
    )
    assert house.quotes() == set() and house.ahead


def test_a_sweep_finds_what_a_restore_under_running_workers_lost(house: House) -> None:
    house.say("cats", "I have three cats")
    house.decide("granted")
    backup = house.backup()
    house.decide("revoked")
    house.put_back(backup)
    assert house.sweep()["behind"] == 1
    assert house.quotes() == set() and house.ahead


def test_a_sound_database_is_left_as_it_is(either: House) -> None:
    house = either
    house.say("cats", "I have three cats")
    house.decide("granted")
    house.run(house.correcting("cats", "I have four cats"))
    house.run(house.withholding("cars"))
    before = house.backup()
    done = house.reconcile()
    assert (done.rows, done.principals, done.registry) == (0, 0, 0)
    assert house.backup() == before and house.quotes() == {"I have four cats"}


def test_a_grant_after_a_revocation_on_one_day_locks_nobody_out(either: House) -> None:
    house = either
    house.say("cats", "I have three cats")
    for decision in ("granted", "revoked", "granted"):
        house.decide(decision)
    house.reopen()
    assert not house.ahead and house.quotes() == {"I have three cats"}
    house.later()
    house.sweep()
    house.reopen()
    assert not house.ahead and house.quotes() == {"I have three cats"}


def test_two_workers_share_a_record(either: House, settings_for: Callable[..., Settings]) -> None:
    house = either
    house.say("cats", "I have three cats")
    other = House(house.database, house.settings, house.today)
    other.ledger = Ledger.open(house.settings)
    try:
        house.decide("granted")
        backup = house.backup()
        other.decide("revoked")
        assert {row.what for row in house.recorded()} == {row.what for row in other.recorded()} == {"revoked"}
        house.decide("granted")
        other.decide("revoked")
    finally:
        other.ledger.close()
    house.restore(backup)
    assert house.quotes() == set()
    house.reconcile()
    assert house.quotes() == set() and not house.ahead


def test_a_lost_record_is_noticed_and_without_it_every_grant_becomes_a_refusal(
    house: House, taken: Path
) -> None:
    house.say("cats", "I have three cats")
    house.decide("granted")
    house.say("cats", "I have five cats", "ben")
    (taken / "taken").unlink()
    house.reopen()
    assert house.ahead and house.quotes() == set()
    with pytest.raises(SetupError, match="--without-record"):
        house.reconcile()
    done = house.reconcile(without_record=True)
    assert done.revoked == 1 and not house.ahead
    assert house.quotes() == set() and house.ledger.principal("ben").coverage() == []
    house.decide("granted")
    assert house.quotes() == {"I have three cats"}


def test_a_ledger_that_keeps_a_record_is_not_opened_without_it(
    house: House, settings_for: Callable[..., Settings]
) -> None:
    with pytest.raises(SetupError, match="LEDGER_TAKEN_DIR"):
        Ledger.open(settings_for(house.database, taken_dir=None))


def test_the_record_of_another_ledger_is_refused(house: House, taken: Path) -> None:
    text = (taken / "taken").read_text("ascii").splitlines()
    text[1] = " ".join(reversed(text[1].split()))
    (taken / "taken").write_text("\n".join([*text, ""]), "ascii")
    with pytest.raises(SetupError, match="another ledger"):
        Ledger.open(house.settings)


def test_a_database_of_another_instance_gives_what_stands_in_it(
    house: House, wheel_server: Any, settings_for: Callable[..., Settings]
) -> None:
    """As a managed server that is put back to a point in time: a new one, beside the old."""
    house.say("cats", "I have three cats")
    house.decide("granted")
    backup = house.backup()
    house.decide("revoked")
    new = wheel_server.clone()
    with House(new, settings_for(new, taken_dir=None)) as restored:
        restored.put_back(backup)
        new.installer.execute("update ledger.sweep_mark set record_mark = null")
        restored.reopen()
        assert restored.quotes() == {"I have three cats"}
        assert restored.reconcile(old=house.database.url).principals == 1
        assert restored.quotes() == set()
    wheel_server.drop(new)


def test_acts_of_one_person_in_many_threads_of_two_processes_never_put_the_record_ahead(
    either: House,
) -> None:
    house = either
    with Ledger.open(house.settings) as other, ThreadPoolExecutor(6) as pool:

        def act(n: int) -> None:
            decision = house.decision("granted" if n % 2 else "revoked")
            (house.ledger, other)[n % 3 % 2].run(decision)

        list(pool.map(act, range(40)))
        record = house.ledger.context.record
        assert record is not None
        assert house.run(record.compare(whole=True)).lost == ()
    house.reopen()
    assert not house.ahead
    ((decision,),) = house.database.rows("select decision from ledger.consent")
    assert {row.what.value for row in house.recorded()} == ({"revoked"} if decision == "revoked" else set())
