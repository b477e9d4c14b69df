"""Every function that writes waits for its locks: else a re-stamp would miss what it writes, and two would cross.

Which functions write is read from the catalog, so that a new one is tested the day it is written.
"""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from typing import Any

import psycopg
import pytest
from matrix import TODAY, Function, World, world

from ledger.db import expected, midnight
from ledger.db.clock import Clock
from ledger.db.operation import Surface

WHOLE = "hashtextextended('ledger.whole', 0)"
WRITES = re.compile(r"\b(insert\s+into|update\s+(ledger\.|%)|delete\s+from|truncate)", re.I)
LONGEST_S = 10.0
NO_CUT = "LG009"


@pytest.fixture
def fresh(any_server: Any, settings_for: Callable[..., Any]) -> Iterator[World]:
    """A world of a test's own, to be broken."""
    with world(any_server, lambda database, tenant: settings_for(database, tenant=tenant)) as made:
        yield made


def writing(world: World) -> list[tuple[Surface, Function]]:
    """The functions that a surface may call and that write, themselves or by a tool that they call."""
    bodies: dict[str, str] = {}
    for name, body in world.database.rows(
        "select proname, coalesce(pg_get_function_sqlbody(oid), prosrc) from pg_proc where pronamespace = 'ledger'::regnamespace"
    ):
        bodies[name] = bodies.get(name, "") + body
    writes = {name for name, body in bodies.items() if WRITES.search(body)}
    while True:
        callers = {name for name, body in bodies.items() if any(f"ledger.{tool}(" in body for tool in writes)}
        if callers <= writes:
            break
        writes |= callers
    return [(surface, one) for surface in Surface for one in world.of(surface) if one.name in writes]


def hasty(world: World, lock: str, functions: list[tuple[Surface, Function]]) -> set[str]:
    """Functions that go through, or have looked at the rows of principals, while another has a lock."""
    found = set()
    for surface, function in functions:
        with held(world, lock):
            waits, looked_at = _called(world, surface, function)
        world.restore()
        if not waits:
            found.add(function.name)
        elif looked_at and not function.name.startswith(
            "sweep_"
        ):  # a sweep finds its batch first, and looks again
            found.add(f"{function.name} has looked at {looked_at} by then")
    return found


@contextmanager
def held(world: World, lock: str) -> Iterator[None]:
    with psycopg.connect(world.database.conninfo) as other:
        other.execute(f"select {lock}")
        yield
        other.rollback()


def _called(world: World, surface: Surface, function: Function) -> tuple[bool, str]:
    """Whether a call waits, and which tables of principals it has looked at by then. It is taken back."""
    ann = world.people[0]
    world.prepare(function, ann)
    if function.name == "cut":  # there is one to make
        world.database.installer.execute("update ledger.sweep_mark set cut_on = cut_on - 1")
    with psycopg.connect(world.database.logins[surface]) as connection:
        ended = threading.Event()

        def call() -> None:
            with suppress(psycopg.Error):  # it is stopped, or refuses what it is asked
                connection.execute(*function.call(ann.principal))
            ended.set()

        pid = connection.info.backend_pid
        caller = threading.Thread(target=call)
        caller.start()
        deadline = time.monotonic() + LONGEST_S
        waits = False
        while not (waits or ended.is_set()) and time.monotonic() < deadline:
            ((waits,),) = world.database.rows(
                "select exists (select from pg_locks where pid = %s and locktype = 'advisory' and not granted)",
                pid,
            )
        looked_at = [
            table
            for (table,) in world.database.rows(
                "select distinct c.relname from pg_locks l join pg_class c on c.oid = l.relation and c.relkind = 'r' "
                "where l.pid = %s and c.relname = any (%s) order by 1",
                pid, list(expected.OF_PRINCIPALS),
            )
        ]  # fmt: skip
        world.database.rows("select pg_cancel_backend(%s)", pid)
        caller.join()
        connection.rollback()
    return waits, ", ".join(looked_at)


def test_there_are_writers_and_readers(populated: World) -> None:
    """What the catalog says of them agrees with what they do."""
    written = set()
    for surface in Surface:
        for function in populated.of(surface):
            outcome = populated.try_(populated.session(surface, "clean"), function, populated.people[0])
            if populated.written_by(outcome):
                written.add(function.name)
    writers = {function.name for _, function in writing(populated)}
    assert {"capture", "coin", "own_erase", "hold_lift", "sweep_expired"} <= written <= writers
    assert not {"recall", "plan", "own_entries", "topics_all", "sweep_due"} & writers


def test_every_writer_waits_while_the_whole_is_locked(populated: World) -> None:
    assert hasty(populated, f"pg_advisory_xact_lock({WHOLE})", writing(populated)) == set()


def test_every_writer_of_one_principal_waits_while_that_one_is_locked(populated: World) -> None:
    ann = populated.people[0].principal
    own = [(surface, one) for surface, one in writing(populated) if one.of_a_principal]
    assert len(own) > 10
    assert hasty(populated, f"pg_advisory_xact_lock(uuid_hash_extended('{ann}', 1))", own) == set()


ALONE = {
    "cut", "sweep_expired", "sweep_keys", "sweep_restamp", "topic_change", "topics_merge", "alias_put", "alias_delete",
}  # fmt: skip


def test_what_reaches_everybodys_rows_waits_for_every_write(populated: World) -> None:
    alone = [(surface, one) for surface, one in writing(populated) if one.name in ALONE]
    assert {one.name for _, one in alone} == ALONE
    assert hasty(populated, f"pg_advisory_xact_lock_shared({WHOLE})", alone) == set()


def test_a_capture_that_skips_the_lock_in_common_is_found(fresh: World) -> None:
    own = "perform ledger.refuse_old_view(); perform pg_advisory_xact_lock(uuid_hash_extended(p, 1));"
    broken(fresh, "capture", "perform ledger.lock_principal(p);", own)
    assert hasty(fresh, f"pg_advisory_xact_lock({WHOLE})", writing(fresh)) == {"capture"}


def test_a_capture_that_skips_its_principals_lock_is_found(fresh: World) -> None:
    broken(fresh, "capture", "perform ledger.lock_principal(p);", "perform ledger.lock_in_common();")
    ann = fresh.people[0].principal
    own = [(surface, one) for surface, one in writing(fresh) if one.of_a_principal]
    assert hasty(fresh, f"pg_advisory_xact_lock(uuid_hash_extended('{ann}', 1))", own) == {"capture"}


def test_a_capture_that_looks_before_it_has_the_lock_is_found(fresh: World) -> None:
    broken(
        fresh, "capture", "perform ledger.lock_principal(p);",
        "perform ledger.name_principal(p); perform from ledger.entry e where e.principal = p; perform ledger.lock_principal(p);",
    )  # fmt: skip
    found = hasty(fresh, f"pg_advisory_xact_lock({WHOLE})", writing(fresh))
    assert found == {"capture has looked at entry by then"}


def test_a_new_function_that_writes_is_found_in_the_catalog(fresh: World) -> None:
    broken(fresh, "own_receipts", "perform ledger.name_principal(p);", "perform ledger.name_principal(p); perform ledger.note(p, 'deleted', 1);")  # fmt: skip
    assert hasty(fresh, f"pg_advisory_xact_lock({WHOLE})", writing(fresh)) == {"own_receipts"}


# ── The cut of a day ─────────────────────────────────────────────────────────────────────────────


def late(world: World) -> set[str]:
    """Functions that go through though their day was cut while they waited."""
    found = set()
    for surface, function in writing(world):
        if function.name in ("cut", "sweep_keys", "sweep_restamp"):
            continue  # they act on what the cut of the next day closes
        ann = world.people[0]
        world.prepare(function, ann)
        with (
            Clock(world.database.conninfo) as clock,
            psycopg.connect(world.database.logins[surface], autocommit=True) as caller,
        ):
            clock.set(TODAY)

            written = function.call(ann.principal)

            def call(caller: Any = caller, written: Any = written) -> str | None:
                try:
                    caller.execute(*written)
                except psycopg.Error as refused:
                    return refused.sqlstate
                return None

            def strike(clock: Clock = clock) -> None:
                clock.strike_midnight(TODAY + timedelta(days=1))

            if midnight.across(world.database.conninfo, strike, call) != (NO_CUT, True):
                found.add(function.name)
        world.database.day(TODAY)
        world.restore()
    return found


def test_no_write_that_began_before_midnight_comes_after_the_cut(populated: World) -> None:
    assert late(populated) == set()


def test_a_write_that_ignores_the_cut_is_found(fresh: World) -> None:
    locks = f"perform pg_advisory_xact_lock_shared({WHOLE}); perform pg_advisory_xact_lock(uuid_hash_extended(p, 1));"
    broken(fresh, "capture", "perform ledger.lock_principal(p);", locks)
    assert late(fresh) == {"capture"}


def test_a_write_that_looks_for_the_cut_before_it_has_the_lock_is_found(fresh: World) -> None:
    broken(fresh, "lock_in_common", "perform ledger.refuse_before_the_cut();", "")
    broken(fresh, "lock_in_common", "perform ledger.refuse_old_view();", "perform ledger.refuse_old_view(); perform ledger.refuse_before_the_cut();")  # fmt: skip
    assert {"capture", "coin", "own_delete"} <= late(fresh)


# ── How they are broken ──────────────────────────────────────────────────────────────────────────


def broken(world: World, function: str, old: str, new: str) -> None:
    ((definition,),) = world.database.rows(f"select pg_get_functiondef('ledger.{function}'::regproc)")
    assert old in definition
    world.database.installer.execute(definition.replace(old, new))
