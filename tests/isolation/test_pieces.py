"""The sweep works on a table that was parted, one piece after the other: a row's place means something there alone."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from ledger.db.operation import Surface
from ledger.identity import Identity

IDENTITY = Identity(b"tests" * 8, "default")
PEOPLE = [IDENTITY.principal(f"person {n}") for n in range(40)]
TODAY = date(2026, 9, 1)
LONG_AGO = TODAY - timedelta(days=540)
PARTS = 4


@pytest.fixture
def parted(any_database):
    """The entries lie in four partitions, by principal, each with the policies and rights of the table."""
    parts = "".join(
        f"""
        create table ledger.entry_{n} partition of ledger.entry for values with (modulus {PARTS}, remainder {n});
        alter table ledger.entry_{n} enable row level security;
        alter table ledger.entry_{n} force row level security;
        create policy custodian on ledger.entry_{n} to ledger_custodian using (true) with check (true);
        grant select, insert, update, delete on ledger.entry_{n} to ledger_custodian;
        """
        for n in range(PARTS)
    )
    any_database.installer.execute(
        f"""
        drop event trigger ledger_columns_closed;
        alter table ledger.entry rename to whole;
        alter index ledger.entry_pkey rename to whole_pkey;
        create table ledger.entry (like ledger.whole including all) partition by hash (principal);
        alter table ledger.entry enable row level security;
        alter table ledger.entry force row level security;
        create policy writer on ledger.entry to ledger_writer using (principal = ledger.me()) with check (principal = ledger.me());
        create policy custodian on ledger.entry to ledger_custodian using (true) with check (true);
        grant select, insert, delete on ledger.entry to ledger_writer;
        grant select, insert, update, delete on ledger.entry to ledger_custodian;
        drop table ledger.whole;
        {parts}
        """
    )
    any_database.day(TODAY - timedelta(days=1))
    return any_database


def places(database) -> list[tuple[str, str]]:
    return database.rows("select tableoid::regclass::text, ctid::text from ledger.entry")


def test_what_is_due_goes_and_nothing_that_lies_at_its_place_in_another_piece(parted):
    for n, principal in enumerate(PEOPLE):
        parted.keep(principal, parted_day(n), {"kids": f"said by {n}"})
    due = [(principal,) for n, principal in enumerate(PEOPLE) if n % 5 == 0]
    assert len({place for _, place in places(parted)}) < len(PEOPLE), "places repeat"
    parted.day(TODAY)
    sweeper = parted.surface(Surface.SWEEPER)
    pieces = sweeper.execute("select piece from ledger.sweep_pieces() where expires = 'entries'").fetchall()
    assert len(pieces) == PARTS
    deleted = 0
    for (piece,) in pieces:
        while n := sweeper.execute("select ledger.sweep_expired(%s, 2)", (piece,)).fetchone()[0]:
            deleted += n
    assert deleted == len(due)
    left = parted.rows("select principal from ledger.entry order by 1")
    assert left == sorted((principal,) for principal in PEOPLE if (principal,) not in due)


def parted_day(n: int) -> date:
    return LONG_AGO if n % 5 == 0 else TODAY - timedelta(days=1)


def test_each_piece_gets_one_stamp_and_keeps_key_order(parted):
    for principal in reversed(PEOPLE):
        parted.keep(principal, TODAY, {"pets": "a cat", "kids": "two"})
    parted.day(TODAY)
    assert parted.restamp() >= 2 * len(PEOPLE)
    stamps = parted.rows(
        "select tableoid::regclass::text, count(distinct xmin::text) from ledger.entry group by 1"
    )
    assert sorted(stamps) == [(f"ledger.entry_{n}", 1) for n in range(PARTS)]
    out_of_order = parted.rows(
        """select 1 from (select ctid as here, lag(ctid) over (partition by tableoid order by principal, topic) as before
                            from ledger.entry) r where here < before"""
    )
    assert out_of_order == []
    assert parted.restamp() == 0


def test_nothing_else_is_swept_by_name(parted):
    sweeper = parted.surface(Surface.SWEEPER)
    for name in (
        "ledger.version",
        "ledger.bare_form",
        "ledger.sweep_mark",
        "pg_catalog.pg_authid",
        "nothing",
    ):
        with pytest.raises(Exception, match="nothing is swept there"):
            sweeper.execute("select ledger.sweep_restamp(%s)", (name,))
