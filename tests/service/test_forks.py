"""A library that was used before a fork: parent and children each have connections of their own, and their own end.

The hosts are programs, since a fork takes along whatever the process has open.
"""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from ledger.db.connections import AsyncConnections
from ledger.db.operation import Operation, Surface

HOST = Path(__file__).with_name("forking_host.py")
SESSION = Operation(Surface.AGENT, "select pg_backend_pid()", (), lambda rows: int(rows[0][0]))

Run = Callable[..., Any]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs a host to its end, on the embedded server or the database named, and reads what it printed."""

    def start(*program: object, database: Any = None, seconds: float = 120) -> Any:
        clean = {name: value for name, value in os.environ.items() if not name.startswith("LEDGER_")}
        named = {"LEDGER_DATABASE_URL": database.url} if database else {}
        if database:
            database.passwords.keep(tmp_path / "data")
        done = subprocess.run(
            [sys.executable, "-W", "error", *map(str, program)],
            env={**clean, **named, "LEDGER_DATA_DIR": str(tmp_path / "data")},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=seconds,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)

    return start


@pytest.mark.parametrize("how", ["os._exit", "exit", "close"])
@pytest.mark.parametrize("kind", ["threads", "asyncio"])
def test_nobody_gets_the_words_of_another_and_the_parent_keeps_its_sessions(
    database: Any, run: Run, kind: str, how: str
) -> None:
    said = run(HOST, kind, how, 2, 200, database=database)
    assert said["children"] == {"right": 800}
    assert said["parent"].keys() == {"right"}
    assert said["sessions"] > 1
    assert said["kept"]


def test_nor_from_a_pool_of_processes_on_the_embedded_server_which_ends_with_its_parent(
    run: Run, tmp_path: Path
) -> None:
    said = run(HOST, "pool", "exit", 2, 200)
    assert said["children"] == {"right": 400}
    assert said["parent"].keys() == {"right"}
    assert said["kept"]
    assert not (tmp_path / "data" / "postgres" / "cluster" / "postmaster.pid").exists()


# The sessions of parent and child.
SESSIONS = """
import json, os, sys
from ledger import Ledger
from ledger.db.operation import Operation, Surface
from ledger.processes import PerProcess
{broken}

def session():
    return (yield Operation(Surface.AGENT, "select pg_backend_pid()", (), lambda rows: rows[0][0]))

ledger = Ledger.open()
own = ledger.run(session())
child = os.fork()
if child == 0:
    print(json.dumps([own, ledger.run(session())]))
    sys.stdout.flush()
    os._exit(0)
os.waitpid(child, 0)
ledger.close()
"""


def test_a_child_on_a_session_of_its_parent_would_be_noticed(database: Any, run: Run) -> None:
    parent, child = run("-c", SESSIONS.format(broken=""), database=database)
    assert parent != child
    shared = "PerProcess.get = lambda self: self._made.setdefault(0, self._make())"
    parent, child = run("-c", SESSIONS.format(broken=shared), database=database)
    assert parent == child


def test_a_child_that_has_the_id_of_its_parent_has_sessions_of_its_own_too(database: Any, run: Run) -> None:
    """As in a namespace of its own, where the first process is 1 like its parent in another."""
    parent, child = run("-c", SESSIONS.format(broken="os.getpid = lambda: 1"), database=database)
    assert parent != child


OUTLIVING = """
import json, os, sys
from ledger import Ledger

ledger = Ledger.open()
ledger.principal("ann").entries()
told, tell = os.pipe()
done, end = os.pipe()
if os.fork() == 0:
    os.close(end)
    {before}
    os.write(tell, b"forked")
    os.read(done, 1)  # until the parent has closed
    entries = ledger.principal("ann").entries()
    ledger.close()
    postmaster = ledger.deployment.settings.data_dir / "postgres" / "cluster" / "postmaster.pid"
    print(json.dumps([entries, postmaster.exists()]))
    sys.exit(0)
os.read(told, 6)
ledger.close()
os.close(end)
os.wait()
"""


@pytest.mark.parametrize("before", ["pass", "ledger.principal('ann').entries()"])
def test_a_child_that_outlives_its_parent_is_served_on_and_stops_the_server_itself(
    run: Run, before: str
) -> None:
    assert run("-c", OUTLIVING.format(before=before)) == [[], False]


# Threads of the parent hold the locks of its pool at the moment of the fork, and one revives the server.
HELD = """
import gc, json, os, sys, threading
from ledger import Ledger

ledger = Ledger.open()
ledger.principal("ann").entries()
(pool, shelf), = ledger._connections._stocks.get().values()
held, release = threading.Event(), threading.Event()

def hold():
    with pool._lock, pool._sched._lock, pool._tasks.mutex, ledger.deployment._reviving.get():
        held.set()
        release.wait()

thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    entries = ledger.principal("ann").entries()
    print(json.dumps([entries, ledger.deployment._reviving.get().locked()]))
    del pool, shelf, ledger
    gc.collect()
    sys.exit(0)
ended = os.waitpid(child, 0)[1]
release.set()
thread.join()
ledger.close()
sys.exit(ended)
"""


def test_a_lock_that_was_held_at_the_fork_stops_no_child(database: Any, run: Run) -> None:
    assert run("-c", HELD, database=database, seconds=30) == [[], False]


# The child drops a task of its parent's that waits for its reply, or ends with it.
IN_THE_MIDDLE = """
import asyncio, gc, json, os, sys
from ledger import AsyncLedger, Ledger
from ledger.db.operation import Operation, Surface

def session(seconds):
    asked = "select pg_backend_pid() from pg_sleep(%s)"
    return (yield Operation(Surface.AGENT, asked, (seconds,), lambda rows: rows[0][0]))

deployment = Ledger.open().deployment
ledger = AsyncLedger(deployment)
loop = asyncio.new_event_loop()
seen = [loop.run_until_complete(ledger.run(session(0)))]
task = loop.create_task(ledger.run(session(1)))
loop.run_until_complete(asyncio.sleep(0.3))
child = os.fork()
if child == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)  # where asyncio tells of the tasks that nobody waits for
    {dropped}
    gc.collect()
    sys.exit(0)
ended = os.waitpid(child, 0)[1]
seen.append(loop.run_until_complete(task))
seen.append(loop.run_until_complete(ledger.run(session(0))))
loop.run_until_complete(ledger.close())
loop.close()
deployment.close()
print(json.dumps([len(set(seen)), ended]))
"""


@pytest.mark.parametrize("dropped", ["del task, loop, ledger", "pass"])
def test_a_call_that_was_forked_in_the_middle_ends_no_session_of_the_parent(
    database: Any, run: Run, dropped: str
) -> None:
    assert run("-c", IN_THE_MIDDLE.format(dropped=dropped), database=database) == [1, 0]


@pytest.mark.parametrize("closes", [True, False])
def test_each_event_loop_has_connections_of_its_own_and_one_that_ended_leaves_none(
    database: Any, settings_for: Any, closes: bool
) -> None:
    connections = AsyncConnections(database.logins, settings_for(database, pool_min=1, pool_max=1))

    async def ask() -> int:
        session = await connections.execute(SESSION)
        assert await connections.execute(SESSION) == session
        if closes:
            await connections.close()
        return session

    seen = [asyncio.run(ask()) for _ in range(5)]
    assert len(set(seen)) == 5
    last = asyncio.run(connections.execute(SESSION))
    for _ in range(500):
        left = database.rows(
            "select pid from pg_stat_activity where usename like 'ledger_agent%' and datname = current_database()"
        )
        if left == [(last,)]:
            return
        time.sleep(0.01)
    pytest.fail("sessions of loops that have ended are still open")
