"""What goes wrong under a case: forced values, time zones, cut connections, full tables, kills."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

import httpx
import psycopg
import pytest

from ledger.db.operation import Surface

from . import operations
from .collection import Step
from .facts import OK, Facts, answered
from .workers import KILLED_WHEN_WRITTEN, Worker, through
from .world import World


def force_a_tier(world: World, step: Step) -> Facts:
    """The constraint refuses it; without the constraint it is there, and means nothing."""
    forced = "update ledger.consent set decision = 'everything'"
    with pytest.raises(psycopg.errors.CheckViolation):
        world.database.installer.execute(forced)
    world.database.installer.execute("alter table ledger.consent drop constraint consent_decision_check")
    world.database.installer.execute(forced)
    assert world.rows("select decision from ledger.consent") == [("everything",)]
    return OK


def forget_the_decision(world: World, step: Step) -> Facts:
    world.set_tier("P1", "topics")
    return OK


def time_zone(world: World, step: Step) -> Facts:
    """Of this process, of the server, and of every login, against their own setting."""
    world.environment.setenv("TZ", step["zone"])
    world.environment.setenv("PGTZ", step["zone"])
    time.tzset()
    ((name,),) = world.rows("select current_database()")
    for role in ("", *(f"role {surface.role} in " for surface in Surface)):
        world.database.installer.execute(f"alter {role}database {name} set timezone = '{step['zone']}'")
    world.close()
    world.open()
    # The instants of the case lie far from midnight: these do not.
    for at in ("2026-06-29T00:30:00Z", "2026-06-29T23:30:00Z"):
        world.now(at)
        with psycopg.connect(world.database.logins[Surface.CAPTURE]) as connection:
            assert connection.execute("show timezone").fetchone() == (step["zone"],)
            assert connection.execute("select ledger.today()::text").fetchone() == ("2026-06-29",)
    return OK


def read_that_breaks(world: World, step: Step) -> Facts:
    """The connection is cut while the function of the read runs, after its first query; each time anew."""
    ((function,),) = world.rows("select pg_get_functiondef('ledger.name_for_agent'::regproc)")
    cut = function.replace("return tier;", "perform pg_terminate_backend(pg_backend_pid()); return tier;")
    assert cut != function
    world.database.installer.execute(cut)
    world.database.installer.execute("alter function ledger.name_for_agent owner to current_user")
    facts = answered(world.send(step["as"], "POST", "/v1/recall", {}))
    world.database.installer.execute(function)
    world.database.installer.execute("alter function ledger.name_for_agent owner to ledger_agent_keys")
    return facts


def erase_that_fails(world: World, step: Step) -> Facts:
    """The audit is written last: once it refuses the row, once the connection is cut there."""
    before = world.tables()
    installer = world.database.installer
    installer.execute(
        "create function ledger.hang_up() returns trigger language plpgsql security definer as"
        " $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;"
        "create trigger hang_up before insert on ledger.audit for each row when (new.action = 'erased')"
        " execute function ledger.hang_up()"
    )
    cut = operations.erase(world, step)
    installer.execute("drop trigger hang_up on ledger.audit; drop function ledger.hang_up()")
    assert cut["outcome"] == "error"
    installer.execute("alter table ledger.audit add constraint full_up check (action <> 'erased') not valid")
    facts = operations.erase(world, step)
    installer.execute("alter table ledger.audit drop constraint full_up")
    return {**facts, "state_unchanged": world.tables() == before}


def delete_what_is_on_disk(world: World, step: Step) -> Facts:
    world.database.installer.execute("checkpoint")
    assert all(any(word.encode() in file for file in world.files()) for word in world.case.never_in_dump)
    return operations.delete(world, step)


def statements(world: World, step: Step) -> Facts:
    """As they stand."""
    for statement in step["statements"]:
        world.database.installer.execute(statement)
    return OK


def killed_in_the_database(when: str) -> Callable[[World, Step], Facts]:
    """Stops a capture inside its transaction, and ends that process of the server as kill -9 does."""

    def play(world: World, step: Step) -> Facts:
        installer = world.database.installer
        installer.execute(
            "create function ledger.wait() returns trigger language plpgsql as"
            " $$ begin perform pg_catalog.pg_sleep(60); return new; end $$;"
            "grant execute on function ledger.wait() to public;"
            f"create trigger wait {when} update or insert on ledger.entry for each row execute function ledger.wait()"
        )
        with ThreadPoolExecutor(1) as pool:
            capturing = pool.submit(operations.offered, world, step["with"])
            waiting = (
                "select pid from pg_stat_activity where usename = 'ledger_capture' and state = 'active'"
                " and wait_event = 'PgSleep' and datname = current_database()"
            )
            while not (found := world.rows(waiting)):
                assert not capturing.done()
                time.sleep(0.01)
            os.kill(found[0][0], signal.SIGKILL)
            assert capturing.result().status_code == 503
        world.database.installer = reconnected(world)
        world.database.installer.execute("drop trigger wait on ledger.entry; drop function ledger.wait()")
        return {"outcome": "killed"}

    return play


def reconnected(world: World) -> psycopg.Connection[Any]:
    """The server ends all its connections when a process of it is killed, and recovers."""
    for _ in range(500):
        with suppress(psycopg.OperationalError):
            return world.database._keep(psycopg.connect(world.database.conninfo, autocommit=True))
        time.sleep(0.02)
    raise AssertionError("the server did not come back")


def killed_when_committed(world: World, step: Step) -> Facts:
    """The worker is gone between the commit and its answer."""
    gone = pytest.raises(httpx.RemoteProtocolError)
    with Worker(world.deployment, KILLED_WHEN_WRITTEN) as worker, through(world, worker), gone:
        operations.offered(world, step["with"])
    return {"outcome": "killed"}
