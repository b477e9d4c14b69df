"""The places where a record may lie: what is in them, who may read it, and that no order of writing stays."""

from __future__ import annotations

import re
import stat
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger.core.record import Taken, What
from ledger.errors import SetupError, Unavailable
from ledger.service.deployment import Deployment
from ledger.settings import Settings

from .house import House

HASH = r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"


def test_the_file_holds_keyed_hashes_kinds_and_days_in_key_order_and_no_word(
    house: House, taken: Path
) -> None:
    for name in ("ann", "ben", "cyd"):
        house.run(house.withholding("cats", name))
        house.decide("revoked", name)
    house.say("cars", "I have two cars")
    house.run(house.deleting("cars"))
    form, head, *lines = (taken / "taken").read_text("ascii").splitlines()
    assert form == "answer-ledger record 1" and re.fullmatch(f"{HASH} {HASH}", head)
    assert len(lines) > 6 and lines == sorted(lines)
    kinds = "|".join(what.value for what in What)
    assert all(re.fullmatch(rf"{HASH} ({kinds}) {HASH} (\d{{4}}-\d\d-\d\d|-) [+=]", line) for line in lines)


def test_the_file_is_its_owners_alone_and_its_time_is_midnight(house: House, taken: Path) -> None:
    house.decide("revoked")
    for path, mode in ((taken, 0o700), (taken / "taken", 0o600), (taken / "lock", 0o600)):
        assert stat.S_IMODE(path.stat().st_mode) == mode
    assert (taken / "taken").stat().st_mtime % 86_400 == 0


def test_a_file_that_others_may_read_is_refused(house: House, taken: Path) -> None:
    (taken / "taken").chmod(0o644)
    with pytest.raises(SetupError, match="chmod 600"):
        house.reopen()


def test_a_damaged_file_is_refused_with_the_next_step(house: House, taken: Path) -> None:
    with (taken / "taken").open("a") as file:
        file.write("half a li")
    with pytest.raises(SetupError, match="reconcile --without-record"):
        house.reopen()


def test_who_is_killed_while_writing_leaves_the_old_file_and_no_lock(house: House, taken: Path) -> None:
    (taken / ".taken").write_text("half")
    before = (taken / "taken").read_bytes()
    house.reopen()
    assert (taken / "taken").read_bytes() == before
    house.decide("revoked")
    assert not (taken / ".taken").exists()


def test_a_revocation_holds_though_the_record_can_not_be_reached(house: House, monkeypatch: Any) -> None:
    """It is said that it is to be sent again, and it is done in the database."""
    house.say("cats", "I have three cats")
    house.decide("granted")

    def away(*_: Any) -> None:
        raise Unavailable("away")

    store = house.ledger.context.record.store  # type: ignore[union-attr]
    with monkeypatch.context() as patch:
        patch.setattr(type(store), "lock", away)
        with pytest.raises(Unavailable, match="Send it again"):
            house.decide("revoked")
        with pytest.raises(Unavailable):
            house.decide("granted")
    assert house.quotes() == set()
    house.decide("revoked")
    assert Taken(house.who(), What.REVOKED, day=house.today) in house.recorded()


def test_the_table_keeps_no_order_of_writing_past_a_sweep(recorded_in_a_database: House) -> None:
    house = recorded_in_a_database
    for name in ("cyd", "ann", "ben"):
        house.decide("revoked", name)
        house.run(house.withholding("cats", name))
    with psycopg.connect(house.settings.taken_url.get_secret_value()) as record:  # type: ignore[union-attr]
        query = "select xmin::text, principal, what, mark from ledger_record.taken order by ctid"
        before = record.execute(query).fetchall()
        record.rollback()
        assert len({xmin for xmin, *_ in before}) > 1
        house.sweep()
        after = record.execute(query).fetchall()
    assert len({xmin for xmin, *_ in after}) == 1
    assert [row for _, *row in after] == sorted(row for _, *row in after)


def test_the_embedded_ledger_keeps_its_record_beside_the_data_directory(tmp_path: Path) -> None:
    with_record = Deployment.open(Settings.alone(data_dir=tmp_path / "data", sweep_every_hours=0))
    try:
        assert with_record.context.record is not None
        assert with_record.context.record.store.place == str(tmp_path / "data-taken" / "taken")
        assert {path.name for path in (tmp_path / "data-taken").iterdir()} == {"taken", "lock"}
    finally:
        with_record.close()


def test_a_record_inside_the_data_directory_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SetupError, match="outside the data directory"):
        Deployment.open(Settings.alone(data_dir=tmp_path / "data", taken_dir=tmp_path / "data" / "taken"))
