"""Whatever is killed in the middle of a deletion leaves the old or the new, never half; what was acknowledged stays done.

A deletion is held up at each table that it writes, by a lock; there everything is killed with SIGKILL, and started again.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from house import SAID, START, House, house, word

from ledger.db.connections import Connections
from ledger.errors import Unavailable
from ledger.service import captures, operators, principals, sweeps

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="needs /proc")

Act = Callable[[Connections], object]
Store = dict[str, list[str]]


@pytest.fixture(scope="module")
def at(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("house")) as opened:
        # A kill takes nothing from the kernel that was written, so no recovery need wait for the disk. What a commit
        # waits for (`synchronous_commit`) stays as it is.
        opened.database.installer.execute("alter system set fsync = off")
        opened.database.installer.execute("select pg_reload_conf()")
        yield opened


@pytest.fixture
def who(request: pytest.FixtureRequest) -> str:
    """A principal of this test's own."""
    return re.sub(r"\W+", " ", request.node.name)


# ── What is done, and what it looks like when it is done ─────────────────────────────────────────


def _rows(at: House, who: str, table: str) -> list[str]:
    principal = str(at.deployment.context.identity.principal(who))
    return [row for row in at.database.store()[table] if principal in row]


def _is_noted(at: House, who: str, action: str) -> bool:
    return any(f",{action},1)" in row for row in _rows(at, who, "audit"))


class Deletion(ABC):
    """Sets up, acts, and tells whether all of it is done."""

    tables: tuple[str, ...]  # those that it writes

    @abstractmethod
    def prepare(self, at: House, who: str) -> Act: ...

    @abstractmethod
    def is_done(self, at: House, who: str) -> bool: ...

    def is_done_but_for_the_list(self, at: House, who: str) -> bool:
        """An erasure lets go of what was withheld in a transaction of its own (decision 0014)."""
        return False


class OneEntry(Deletion):
    tables = ("entry", "pending", "barrier", "audit")

    def prepare(self, at: House, who: str) -> Act:
        at.say(who, "kids", "I want two kids")
        at.say(who, "pets", "I have a cat")
        context, principal = at.deployment.context, at.deployment.context.identity.principal(who)
        entry = at.entry(who, "kids").removeprefix("me/entries/")
        return lambda connections: connections.run(principals.delete(context, principal, entry))

    def is_done(self, at: House, who: str) -> bool:
        left = _rows(at, who, "entry")
        return (
            len(left) == 1
            and "pets" in left[0]
            and bool(_rows(at, who, "barrier"))
            and _is_noted(at, who, "deleted")
        )


class Everything(Deletion):
    tables = ("entry", "pending", "consent_history", "consent", "barrier", "audit")

    def prepare(self, at: House, who: str) -> Act:
        at.me("PUT", "me/consent", {"decision": "granted", "notice": "v1"}, who=who)
        at.say(who, "kids", "I want two kids")
        at.say(who, "salary", "I earn enough")
        at.me("PUT", at.entry(who, "kids") + "/withheld", who=who)
        context, principal = at.deployment.context, at.deployment.context.identity.principal(who)
        return lambda connections: connections.run(principals.erase(context, principal))

    def is_done(self, at: House, who: str) -> bool:
        gone = not any(_rows(at, who, table) for table in ("entry", "pending", "withheld"))
        (decision,) = _rows(at, who, "consent")
        return (
            gone
            and "revoked" in decision
            and len(_rows(at, who, "barrier")) == 1
            and _is_noted(at, who, "erased")
        )

    def is_done_but_for_the_list(self, at: House, who: str) -> bool:
        gone = not any(_rows(at, who, table) for table in ("entry", "pending"))
        (decision,) = _rows(at, who, "consent")
        return gone and "revoked" in decision and _is_noted(at, who, "erased")


class Correction(Deletion):
    tables = ("audit",)

    def prepare(self, at: House, who: str) -> Act:
        at.say(who, "kids", "I want two kids")
        context, principal = at.deployment.context, at.deployment.context.identity.principal(who)
        entry = at.entry(who, "kids").removeprefix("me/entries/")
        return lambda connections: connections.run(
            principals.correct(context, principal, entry, "I want none")
        )

    def is_done(self, at: House, who: str) -> bool:
        (entry,) = _rows(at, who, "entry")
        return "I want none" in entry and bool(_rows(at, who, "barrier")) and _is_noted(at, who, "corrected")


class TakenBack(Deletion):
    tables = ("entry", "audit")

    def prepare(self, at: House, who: str) -> Act:
        at.me("PUT", "me/consent", {"decision": "granted", "notice": "v1"}, who=who)
        at.say(who, "kids", "I want two kids", START - timedelta(days=200))
        context, principal = at.deployment.context, at.deployment.context.identity.principal(who)
        return lambda connections: connections.run(
            captures.reconfirm(context, principal, "kids", "No.", "No.", START, False)
        )

    def is_done(self, at: House, who: str) -> bool:
        return (
            not _rows(at, who, "entry")
            and bool(_rows(at, who, "barrier"))
            and _is_noted(at, who, "taken_back")
        )


class Lifted(Deletion):
    tables = ("legal_hold", "audit")

    def prepare(self, at: House, who: str) -> Act:
        at.say(who, "kids", "I want two kids")
        at.hold("PUT", who)
        at.me("DELETE", "me", who=who)
        context, principal = at.deployment.context, at.deployment.context.identity.principal(who)
        return lambda connections: connections.run(operators.lift_hold(context, principal))

    def is_done(self, at: House, who: str) -> bool:
        return (
            not _rows(at, who, "entry") and not _rows(at, who, "legal_hold") and _is_noted(at, who, "erased")
        )


class Swept(Deletion):
    tables = ("entry", "audit")

    def prepare(self, at: House, who: str) -> Act:
        at.say(who, "kids", "I want two kids", SAID)
        at.database.installer.execute(  # as if it had lain there all the time
            "update ledger.entry set as_of = %s where principal = %s",
            (START - timedelta(days=540), at.deployment.context.identity.principal(who)),
        )
        return lambda connections: connections.run(sweeps.sweep())

    def is_done(self, at: House, who: str) -> bool:
        return not _rows(at, who, "entry") and _is_noted(at, who, "expired")


class Merged(Deletion):
    tables = ("entry", "topic_alias")

    def __init__(self) -> None:
        self.labels: dict[str, str] = {}

    def prepare(self, at: House, who: str) -> Act:
        context = at.deployment.context
        label = self.labels[who] = word()
        at.me("POST", "operator/topics", {"label": label}, who="", as_="operator")
        at.say(who, label, "I have a dog", SAID - timedelta(days=1))
        at.say(who, "pets", "I have a cat")

        def merge(connections: Connections) -> object:
            old = connections.run(operators.topic(context, label))
            preview = connections.run(operators.merge(context, label, "pets", dry_run=True))
            assert isinstance(preview, operators.Preview)
            return connections.run(
                operators.merge(context, label, "pets", operators.etag(old), preview.token)
            )

        return merge

    def is_done(self, at: House, who: str) -> bool:
        newer = [row for row in _rows(at, who, "entry") if "cat" in row]
        alias = f"({self.labels[who]},pets)"
        return _rows(at, who, "entry") == newer and alias in at.database.store()["topic_alias"]


DELETIONS: dict[str, Deletion] = {
    "one entry": OneEntry(), "everything": Everything(), "a correction": Correction(), "a reconfirmation": TakenBack(),
    "a hold that is lifted": Lifted(), "the sweep": Swept(), "a merge": Merged(),
}  # fmt: skip


# ── How it is held up, and what is killed ────────────────────────────────────────────────────────


@contextmanager
def held_up(at: House, table: str) -> Iterator[Callable[[], None]]:
    """Nobody writes the table meanwhile. Gives a wait for somebody who wants to."""
    with psycopg.connect(at.database.conninfo) as holding:
        holding.execute(f"lock table ledger.{table} in share mode")

        def wait() -> None:
            deadline = time.monotonic() + 10
            while not at.database.rows(
                "select 1 from pg_locks where not granted and relation = %s::regclass", f"ledger.{table}"
            ):
                assert time.monotonic() < deadline, f"it never wrote to {table}"
                time.sleep(0.005)

        with suppress(psycopg.OperationalError):  # killed meanwhile
            yield wait
            holding.rollback()


def kill_the_database(at: House) -> None:
    """SIGKILL to each of its processes, as when the power goes; then a start, with recovery."""
    cluster = (at.folder / "postgres" / "cluster").resolve()
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            if (process / "cwd").readlink() == cluster:
                os.kill(int(process.name), signal.SIGKILL)
    assert at.deployment.server is not None
    at.database.installer.close()
    at.deployment.server.ensure_running()
    at.database.connect()


def acting(at: House, act: Act, errors: list[Exception]) -> threading.Thread:
    def run() -> None:
        with closing(Connections(at.deployment.logins, at.deployment.settings)) as connections:
            try:
                act(connections)
            except Exception as error:
                errors.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    return thread


STEPS = [(name, table) for name, deletion in DELETIONS.items() for table in deletion.tables]


@pytest.mark.parametrize(("name", "table"), STEPS)
def test_a_database_that_was_killed_in_the_middle_has_the_old(
    at: House, who: str, name: str, table: str
) -> None:
    deletion, errors = DELETIONS[name], list[Exception]()
    act = deletion.prepare(at, who)
    before = at.database.store()
    with held_up(at, table) as wait:
        thread = acting(at, act, errors)
        wait()
        kill_the_database(at)
        thread.join(20)
    assert [type(error) for error in errors] == [Unavailable]
    after = at.database.store()
    if (
        name == "a reconfirmation"
    ):  # its figure, which names nobody, is a transaction of its own, and comes before
        assert len(after.pop("outcome")) - len(before.pop("outcome")) in (0, 1)
    assert after == before
    assert not deletion.is_done(at, who)
    with closing(Connections(at.deployment.logins, at.deployment.settings)) as connections:
        act(connections)  # asked for again it is done
    assert deletion.is_done(at, who)


@pytest.mark.parametrize("name", ["one entry", "everything", "the sweep", "a merge"])
def test_what_was_acknowledged_is_done_though_everything_is_killed_at_once(
    at: House, who: str, name: str
) -> None:
    deletion = DELETIONS[name]
    act = deletion.prepare(at, who)
    with closing(Connections(at.deployment.logins, at.deployment.settings)) as connections:
        act(connections)
        done = at.database.store()
        kill_the_database(at)
    assert at.database.store() == done
    assert deletion.is_done(at, who)


# ── The server that serves ───────────────────────────────────────────────────────────────────────


@contextmanager
def serving(at: House) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`answer-ledger serve` on the same data directory, as a process of its own; and where it listens."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LEDGER_")}
    process = subprocess.Popen(
        [Path(sys.executable).with_name("answer-ledger"), "serve", "--port", "0", "--data-dir", at.folder],
        cwd=at.folder,
        env=environment | {"LEDGER_SWEEP_EVERY_HOURS": "0"},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        for line in process.stdout:
            if found := re.search(r"serving at (http://[\d.]+:\d+)", line):
                yield process, found[1]
                break
        else:
            pytest.fail("it does not serve")
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize(
    ("path", "name", "table"), [("entry", "one entry", "audit"), ("me", "everything", "barrier")]
)
def test_a_server_that_was_killed_in_the_middle_leaves_the_old_or_the_new(
    at: House, who: str, path: str, name: str, table: str
) -> None:
    deletion = DELETIONS[name]
    deletion.prepare(at, who)
    target = at.entry(who, "kids") if path == "entry" else path
    before: Store = at.database.store()
    failed: list[Any] = []
    with serving(at) as (process, where):

        def ask() -> None:
            headers = {"Authorization": f"Bearer {at.api.token('principal', who)}"}
            try:
                failed.append(httpx.delete(f"{where}/v1/{target}", headers=headers, timeout=20).status_code)
            except httpx.TransportError as error:
                failed.append(type(error))

        for _ in range(200):
            with suppress(httpx.TransportError):
                httpx.get(f"{where}/healthz")
                break
            time.sleep(0.05)
        asking = threading.Thread(target=ask)
        asking.start()
        with held_up(at, table) as wait:
            wait()
            process.kill()
            process.wait()
        asking.join(20)
    assert failed and failed[0] != 204, "nobody was told that it was done"
    deadline = time.monotonic() + 10
    while at.database.rows("select 1 from pg_locks where locktype = 'advisory'"):
        assert time.monotonic() < deadline, "its session goes on"
        time.sleep(0.01)
    if not deletion.is_done_but_for_the_list(at, who):
        assert at.database.store() == before or deletion.is_done(at, who)
        return
    at.me("DELETE", "me", who=who)  # it was not acknowledged, and is asked for again
    assert not _rows(at, who, "withheld") and len(_rows(at, who, "barrier")) == 1
