"""A dump that is restored into another cluster keeps no order, and its first sweep stamps everything."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger import languages
from ledger.core.gate import Gate
from ledger.db import expected, logins, migrations
from ledger.db.operation import Surface
from ledger.db.remains import Remains
from ledger.embedded import EmbeddedServer, binaries
from ledger.passwords import Passwords
from ledger.proof import histories
from ledger.proof.play import Play

PROGRAMS = binaries.find().folder
NOT_STAMPED = ("sweep_mark", "piece_mark", "version")


def restored(source: str, target: str) -> None:
    dump = subprocess.run(
        [PROGRAMS / "pg_dump", f"--dbname={source}"], capture_output=True, check=True
    ).stdout
    load = [PROGRAMS / "psql", "--quiet", "--set=ON_ERROR_STOP=1", f"--dbname={target}"]
    subprocess.run(load, input=dump, capture_output=True, check=True)


@pytest.mark.skipif(not (PROGRAMS / "pg_dump").exists(), reason="needs pg_dump and psql beside the server")
@pytest.mark.parametrize(
    "far_ahead", ["the first cluster", "the other cluster", "the other cluster, by the time of the sweep"]
)
def test_a_restored_ledger_lies_in_order_and_is_stamped_anew(
    stage: Any, tmp_path: Path, far_ahead: str
) -> None:
    """Whether the other cluster has counted far fewer transactions than the mark says, or far more, or fewer when it was
    filled and more when it is swept."""
    if far_ahead != "the other cluster":
        count(stage.admin("postgres"), 4_000)
    with EmbeddedServer.open(tmp_path / "other", lasting=False) as other:
        for name in ("roles", "restored"):
            with psycopg.connect(other.admin_conninfo(), autocommit=True) as admin:
                admin.execute(f"create database {name}")
        passwords = Passwords.new(logins.ROLES)
        migrations.migrate(other.admin_conninfo("roles"), passwords, Gate(languages.load()).bare_forms())
        if far_ahead == "the other cluster":
            count(other.admin_conninfo(), 20_000)
        with stage.place() as place:
            play = Play(place)
            for day in histories.generate(5, people=10, days=2).days:
                play.day(day)
                play.sweep()
            restored(place.installer, other.admin_conninfo("restored"))
        target = other.admin_conninfo("restored")
        with Remains(target) as remains:
            assert remains.disorder() == []
            before = stamps(remains)
            if far_ahead.endswith("sweep"):
                count(other.admin_conninfo(), 40_000)
                assert passed(remains, before)
            with psycopg.connect(
                logins.with_passwords(target, passwords)[Surface.SWEEPER], autocommit=True
            ) as sweeper:
                sweeper.execute("select ledger.cut()")
                for (piece,) in sweeper.execute(
                    "select piece from ledger.sweep_pieces() where is_stamped"
                ).fetchall():
                    sweeper.execute("select ledger.sweep_restamp(%s)", (piece,))
            after = stamps(remains)
            assert remains.disorder() == []
            of_people = [(table, xmin) for table, xmin in after if table in expected.OF_PRINCIPALS]
            assert len(of_people) == len({table for table, _ in of_people}), "one stamp a table"
            assert not {xmin for _, xmin in of_people} & {xmin for _, xmin in before}


def count(conninfo: str, transactions: int) -> None:
    """Lets a cluster count so many transactions."""
    with psycopg.connect(conninfo, autocommit=True) as connection:
        connection.execute(
            f"do $$ begin for i in 1..{transactions} loop perform pg_current_xact_id(); commit; end loop; end $$"
        )


def passed(remains: Remains, restored: set[tuple[str, int]]) -> bool:
    """Whether the mark lies between the rows that were restored and the transactions of now."""
    (mark,) = [t for t in remains.tables() if t.full_name == "ledger.sweep_mark"]
    (row,) = remains.rows(mark)
    cut = int(row.values["cut_at"] or 0)
    return max(xmin for _, xmin in restored) < cut < remains.newest_transaction()


def stamps(remains: Remains) -> set[tuple[str, int]]:
    return {
        (table.name, row.xmin)
        for table in remains.tables()
        if table.schema == "ledger" and table.name not in NOT_STAMPED
        for row in remains.rows(table)
    }
