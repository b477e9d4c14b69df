"""A read leaves no mark: after the sweep the files are the same, byte for byte, whoever was read and whoever was not."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger.db.operation import Surface
from ledger.identity import Identity
from ledger.service import sweeps
from ledger.service.ledger import Ledger

IDENTITY = Identity(b"tests" * 8, "default")
PEOPLE = [IDENTITY.principal(f"person {n}") for n in range(40)]
TOPICS = [f"topic_{n:02d}" for n in range(8)]
TODAY = date(2026, 9, 1)


@pytest.fixture
def quick_autovacuum(any_server: Any) -> Iterator[None]:
    """On PostgreSQL 15 and 16 the sweep waits for autovacuum, which looks once a minute; here each second."""
    any_server.tune("autovacuum_naptime", "1s")
    yield
    any_server.tune("autovacuum_naptime", None)
    any_server.tune("autovacuum", None)


@pytest.fixture
def kept(any_database: Any, quick_autovacuum: None) -> Any:
    """Forty people who have consented, and have corrected and deleted some of what they said, yesterday."""
    database = any_database
    database.day(TODAY)
    own = database.surface(Surface.PRINCIPAL)
    for n, principal in enumerate(PEOPLE):
        for topic in TOPICS:
            database.keep(principal, TODAY, {topic: f"about {topic}"})
        own.execute("select ledger.own_decide_consent(%s, 'granted', 'v1', '{}')", (principal,))
        if n % 3 == 0:
            mark = IDENTITY.mark(principal, TOPICS[0])
            own.execute("select ledger.own_delete(%s, %s, %s)", (principal, TOPICS[0], mark))
    database.day(TODAY + timedelta(days=1))
    database.installer.execute(
        "vacuum (freeze) pg_proc"
    )  # the clock is a function, and was replaced by the test
    return database


def without_autovacuum(server: Any, database: Any) -> None:
    """From now on: it would look at the catalog at a time of its own."""
    server.tune("autovacuum", "off")
    workers = "select count(*) from pg_stat_activity where backend_type like 'autovacuum%'"
    while database.rows(workers) != [(0,)]:
        time.sleep(0.05)
    # it has just written that of the catalog; and a table that was written anew is a new row in pg_class
    database.installer.execute("vacuum (freeze) pg_statistic, pg_class, pg_index")


def read(database: Any, people: list[Any]) -> None:
    """What agents and principals may read of them, by each of the functions that read."""
    agent, own = database.surface(Surface.AGENT), database.surface(Surface.PRINCIPAL)
    for principal in people:
        named = agent.execute(
            "select * from ledger.recall(%s, %s, false, 'full', false, '{}', 12)", (principal, TOPICS)
        )
        assert len(named.fetchall()) >= len(TOPICS) - 1
        agent.execute("select * from ledger.plan(%s, %s, 'full', false, '{}')", (principal, TOPICS))
        agent.execute("select * from ledger.coverage(%s, '{}', true, 'full', false, '{}')", (principal,))
        own.execute("select * from ledger.own_entries(%s, true)", (principal,))
        own.execute("select * from ledger.own_rest(%s)", (principal,))


def files(database: Any) -> dict[str, str]:
    """A digest of each file of the database: tables, indexes, maps of free and of visible pages, the catalog."""
    database.installer.execute("checkpoint")
    ((folder, oid),) = database.rows(
        "select current_setting('data_directory'), oid::text from pg_database where datname = current_database()"
    )
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in (Path(folder) / "base" / oid).iterdir()
    }


def log(database: Any) -> str:
    return str(database.rows("select pg_current_wal_insert_lsn()::text")[0][0])


def changed_by(database: Any, act: Callable[[], None]) -> tuple[set[str], bool]:
    """Which files differ after an act, and whether the log has grown by it. The catalog is read once before."""
    read(database, PEOPLE[:1])
    before, began = files(database), log(database)
    act()
    grown = log(database) != began
    after = files(database)
    return {name for name in before | after if before.get(name) != after.get(name)}, grown


def test_reads_of_half_the_people_leave_the_bytes_of_none(
    kept: Any, any_server: Any, settings_for: Callable[..., Any]
) -> None:
    with Ledger.open(settings_for(kept)) as ledger:
        assert ledger.run(sweeps.sweep())["held_back"] == 0
    without_autovacuum(any_server, kept)
    assert changed_by(kept, lambda: read(kept, PEOPLE[::2])) == (set(), False)


def test_before_the_sweep_they_do_not(kept: Any, any_server: Any) -> None:
    """The same look finds the marks where there was no sweep, so it would find them after one."""
    without_autovacuum(any_server, kept)
    changed, _ = changed_by(kept, lambda: read(kept, PEOPLE[::2]))
    assert changed != set()


def test_a_sweep_without_the_vacuum_would_be_noticed(kept: Any, any_server: Any) -> None:
    without_autovacuum(any_server, kept)
    kept.restamp()
    changed, _ = changed_by(kept, lambda: read(kept, PEOPLE[::2]))
    assert changed != set()


def test_a_dump_that_holds_the_vacuum_back_is_told_of(
    kept: Any, settings_for: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "_TRIES", 2)
    monkeypatch.setattr(sweeps, "_TRIES_OF_AUTOVACUUM", 5)
    with Ledger.open(settings_for(kept)) as ledger:
        with psycopg.connect(kept.conninfo) as dump:
            dump.execute("begin isolation level repeatable read")
            dump.execute("select count(*) from ledger.entry")
            assert ledger.run(sweeps.sweep())["held_back"] > 0
        monkeypatch.undo()
        assert ledger.run(sweeps.sweep())["held_back"] == 0


def copies(database: Any, table: str) -> dict[Any, int]:
    """How often each person's name stands in the file of a table: in rows that live, and in what is left of dead ones."""
    database.installer.execute("checkpoint")
    ((path,),) = database.rows(
        "select current_setting('data_directory') || '/' || pg_relation_filepath(%s)", f"ledger.{table}"
    )
    content = Path(path).read_bytes()
    return {principal: content.count(principal.bytes) for principal in PEOPLE}


def rows(database: Any, table: str) -> dict[Any, int]:
    found = dict(database.rows(f"select principal, count(*) from ledger.{table} group by 1"))
    return {principal: found.get(principal, 0) for principal in PEOPLE}


@pytest.mark.parametrize("table", ["entry", "consent_history", "audit", "barrier"])
def test_of_dead_rows_nothing_is_left_in_the_pages_of_a_small_table(
    kept: Any, any_server: Any, settings_for: Callable[..., Any], table: str
) -> None:
    """A vacuum frees their space and does not overwrite it: whoever carves a file would find each with its stamp."""
    assert any(n > rows(kept, table)[who] for who, n in copies(kept, "entry").items()), (
        "there is something to carve"
    )
    with Ledger.open(settings_for(kept)) as ledger:
        assert ledger.run(sweeps.sweep())["held_back"] == 0
    assert copies(kept, table) == rows(kept, table)


def test_who_reads_a_table_for_long_holds_its_rewriting_up_and_nobody_else(
    kept: Any, settings_for: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sweeps, "_TRIES", 1)
    with Ledger.open(settings_for(kept)) as ledger:
        with psycopg.connect(kept.conninfo) as reader:
            reader.execute("select count(*) from ledger.objection")
            assert ledger.run(sweeps.sweep())["held_back"] >= 1
            assert not ledger.run(sweeps.is_done_today()), "it is made up for as soon as it can be"
        assert ledger.run(sweeps.sweep())["held_back"] == 0
        assert ledger.run(sweeps.is_done_today())


@pytest.mark.parametrize("surface", [surface for surface in Surface if surface is not Surface.SWEEPER])
def test_nobody_but_the_sweeper_vacuums(any_database: Any, surface: Surface) -> None:
    login = any_database.surface(surface)
    told: list[str] = []
    login.add_notice_handler(lambda diag: told.append(str(diag.message_primary)))
    login.execute("vacuum ledger.entry")
    assert any("permission denied" in one or "only table or database owner" in one for one in told)
