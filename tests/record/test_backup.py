"""A backup in a folder, and a ledger out of it: one command each."""

from __future__ import annotations

import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from ledger.errors import SetupError, WrongPepper
from ledger.service import backups
from ledger.settings import Settings

from .house import House


@pytest.fixture
def kept(house: House, tmp_path: Path) -> Path:
    """A backup of a ledger in which Ann, Ben and Cyd consent, and Cyd withholds a topic."""
    for name in ("ann", "ben", "cyd"):
        house.say("cats", f'I have {len(name)} "cats" 🐈', name)
        house.say("cars", "I have two cars", name)
        house.decide("granted", name)
    house.run(house.withholding("cars", "cyd"))
    folder = tmp_path / "backups" / "monday"
    backups.backup(house.ledger.deployment, folder)
    return folder


@pytest.fixture
def empty(house: House, wheel_server: Any) -> Iterator[Any]:
    """A database without a ledger."""
    made = type(house.database)(wheel_server.empty(), house.database.identity, house.database.passwords)
    yield made
    wheel_server.drop(made)


def opened(house: House, database: Any, settings: Settings) -> House:
    restored = House(database, settings, house.today)
    restored.ledger = type(house.ledger).open(settings)
    return restored


def test_what_is_restored_is_what_was_backed_up(
    house: House, kept: Path, empty: Any, settings_for: Callable[..., Settings]
) -> None:
    before = house.backup()
    settings = settings_for(empty)
    rows, done = backups.restore(settings, kept)
    restored = opened(house, empty, settings)
    try:
        assert rows == sum(rows.count(b"\n") for table, rows in before.items() if table in backups.db.TABLES)
        assert done.rows == 0 and not restored.ahead
        after = restored.backup()
        assert {t: sorted(after[t].splitlines()) for t in backups.db.TABLES} == {
            t: sorted(before[t].splitlines()) for t in backups.db.TABLES
        }
        assert restored.quotes("ann") == house.quotes("ann") and len(restored.quotes("cyd")) == 1
        assert restored.recorded() == house.recorded()
    finally:
        restored.ledger.close()


def test_what_was_taken_away_since_is_taken_away_before_anybody_is_served(
    house: House, kept: Path, empty: Any, settings_for: Callable[..., Settings]
) -> None:
    """The record is still there, and is not overwritten by the copy in the backup."""
    house.decide("revoked", "ann")
    house.run(house.erasing("ben"))
    house.run(house.releasing("cars", "cyd"))
    settings = settings_for(empty, taken_dir=house.settings.taken_dir)
    _, done = backups.restore(settings, kept)
    restored = opened(house, empty, settings)
    try:
        assert done.principals == 2 and not restored.ahead
        assert restored.quotes("ann") == restored.quotes("ben") == restored.stored("ben") == set()
        assert len(restored.quotes("cyd")) == 1, (
            "what was given back after the backup is lost, as all of that day"
        )
    finally:
        restored.ledger.close()


def test_a_backup_is_its_owners_alone_and_holds_no_key(house: House, kept: Path) -> None:
    for path in (kept, *kept.rglob("*")):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path
    pepper = house.ledger.deployment.keys.pepper
    written = b"".join(path.read_bytes() for path in kept.rglob("*") if path.is_file())
    assert pepper not in written and b"signing" not in written and b"ann" not in written


def test_its_rows_lie_in_key_order(kept: Path) -> None:
    entries = [
        line for line in (kept / "rows.jsonl").read_text("utf-8").splitlines() if '"table": "entry"' in line
    ]
    assert len(entries) == 6 and entries == sorted(
        entries, key=lambda line: line[line.index('"principal"') :]
    )


def test_a_place_that_is_not_empty_is_refused(house: House, kept: Path) -> None:
    before = house.backup()
    with pytest.raises(SetupError, match="a ledger here already"):
        backups.restore(house.settings, kept)
    assert house.backup() == before
    with pytest.raises(SetupError, match="not empty"):
        backups.backup(house.ledger.deployment, kept)


def test_the_keys_are_to_be_there_first_and_to_be_the_right_ones(
    kept: Path, empty: Any, tmp_path: Path, settings_for: Callable[..., Settings]
) -> None:
    with pytest.raises(SetupError, match="Put the keys back first"):
        backups.restore(settings_for(empty, pepper=None, data_dir=tmp_path / "new"), kept)
    with pytest.raises(WrongPepper):
        backups.restore(settings_for(empty, pepper="b3RoZXIgb3RoZXIgb3RoZXIgb3RoZXIgb3RoZXIgISE="), kept)


def test_a_damaged_backup_leaves_an_empty_ledger(
    house: House, kept: Path, empty: Any, settings_for: Callable[..., Settings]
) -> None:
    with (kept / "rows.jsonl").open("a") as file:
        file.write('{"table": "top')
    with pytest.raises(SetupError, match="damaged"):
        backups.restore(settings_for(empty), kept)
    assert backups.db.is_empty(empty.conninfo)
