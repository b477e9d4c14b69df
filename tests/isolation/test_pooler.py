"""Behind PgBouncer in transaction mode, with one server connection for all clients of a surface.

What one client left behind in the session is there for the next. It may stop him; it shows him nothing.
"""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from matrix import Function, World, world
from pooler import NEEDED, PROGRAM, pooler, url

from ledger.core.model import Candidate
from ledger.db.inspection import pooling
from ledger.db.operation import Surface
from ledger.service.ledger import Ledger
from ledger.settings import Settings

pytestmark = pytest.mark.skipif(PROGRAM is None, reason=NEEDED)


@pytest.fixture(scope="module")
def pooled(
    wheel_server: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[World, dict[Surface, str]]]:
    """Three people, and the connection string of each surface through the pooler."""
    keys = tmp_path_factory.mktemp("keys")

    def settings(database: Any, tenant: str) -> Settings:
        database.passwords.keep(keys)
        return Settings.load(database_url=database.url, data_dir=keys, tenant=tenant)

    with (
        world(wheel_server, settings) as made,
        tempfile.TemporaryDirectory(prefix="pooler") as folder,  # short enough for a socket
        pooler(made.database.logins, Path(folder)) as through,
    ):
        yield made, through


@pytest.fixture
def clients(pooled: tuple[World, dict[Surface, str]]) -> Iterator[Any]:
    """Clients of the agents' surface; each has its own connection to the pooler, and all of them one server's."""
    made: list[psycopg.Connection[Any]] = []

    def client(surface: Surface = Surface.AGENT) -> psycopg.Connection[Any]:
        made.append(psycopg.connect(pooled[1][surface], autocommit=True, prepare_threshold=None))
        return made[-1]

    yield client
    for connection in made:
        connection.close()
    with psycopg.connect(pooled[1][Surface.AGENT], autocommit=True, prepare_threshold=None) as last:
        last.execute("set statement_timeout = 0")
        last.execute("discard all")


def recall(world: World) -> Function:
    (found,) = [one for one in world.of(Surface.AGENT) if one.name == "recall"]
    return found


def read(world: World, client: Any, who: int) -> str:
    return repr(client.execute(*recall(world).call(world.people[who].principal)).fetchall())


def test_all_clients_share_one_session(clients: Any) -> None:
    """Else the tests below would hold for want of a pooler."""
    one, other = clients(), clients()
    pids = {client.execute("select pg_backend_pid()").fetchone() for client in (one, other)}
    assert len(pids) == 1
    one.execute("select set_config('ledger.left', 'behind', false)")
    assert other.execute("select current_setting('ledger.left', true)").fetchone() == ("behind",)


def test_each_call_is_that_of_its_own_principal(pooled: Any, clients: Any) -> None:
    made, _ = pooled
    one, other = clients(), clients()
    for _ in range(10):
        assert made.people[0].word in (mine := read(made, one, 0)) and made.people[2].word not in mine
        assert made.people[2].word in (his := read(made, other, 2)) and made.people[0].word not in his
        assert one.execute("select nullif(current_setting('ledger.principal', true), '')").fetchone() == (
            None,
        )


@pytest.mark.parametrize("principal", [2, None], ids=["another's", "nobody's"])
def test_a_setting_that_one_client_left_opens_nothing_to_the_next(
    pooled: Any, clients: Any, principal: int | None
) -> None:
    made, _ = pooled
    name = "" if principal is None else str(made.people[principal].principal)
    one, other = clients(), clients()
    for setting, value in (("principal", name), ("tier", "full"), ("withheld", "{}")):
        one.execute("select set_config(%s, %s, false)", (f"ledger.{setting}", value))
    assert other.execute("select current_setting('ledger.principal')").fetchone() == (name,), (
        "it is left there"
    )
    found = read(made, other, 0)
    assert made.people[0].word in found and made.people[2].word not in found
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        other.execute("select * from ledger.entry")
    nobody = other.execute(*recall(made).call(made.people[0].principal.__class__(int=5))).fetchall()
    assert nobody == []


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("row_security", "off"),
        ("search_path", "pg_temp"),
        ("datestyle", "'SQL, DMY'"),
        ("role", "ledger_agent"),
    ],
)
def test_a_setting_of_the_server_that_one_client_left_changes_nothing_for_the_next(
    pooled: Any, clients: Any, setting: str, value: str
) -> None:
    made, _ = pooled
    one, other = clients(), clients()
    before = read(made, other, 0)
    one.execute(f"set {setting} = {value}")
    assert read(made, other, 0) == before


def test_a_timeout_that_one_client_left_stops_the_next_and_shows_him_nothing(
    pooled: Any, clients: Any
) -> None:
    made, _ = pooled
    one, other = clients(), clients()
    one.execute("set statement_timeout = '1ms'")
    said = ""
    try:
        for _ in range(50):
            other.execute("select pg_sleep(0.01)")
    except psycopg.errors.QueryCanceled as stopped:
        said = str(stopped)
    assert said and not any(person.is_in(said) for person in made.people)


def test_a_transaction_that_was_broken_off_leaves_no_principal_behind(pooled: Any, clients: Any) -> None:
    made, _ = pooled
    one, other = clients(), clients()

    def break_off() -> None:
        with one.transaction():
            read(made, one, 2)
            one.execute("select set_config('ledger.principal', %s, true)", (str(made.people[2].principal),))
            one.execute("select 1/0")

    with pytest.raises(psycopg.errors.DivisionByZero):
        break_off()
    assert other.execute("select nullif(current_setting('ledger.principal', true), '')").fetchone() == (None,)
    assert made.people[2].word not in read(made, other, 0)


def test_the_product_runs_behind_it_and_its_threads_never_mix(pooled: Any, tmp_path: Path) -> None:
    made, through = pooled
    logins = {f"database_url_{surface.value}": url(login) for surface, login in through.items()}
    given = Settings.load(data_dir=tmp_path, prepared_statements=False, pool_max=8, tenant="three", **logins)
    made.database.installer.execute("update ledger.setting set pepper_proof = null")
    people = [f"person {n}" for n in range(8)]
    with Ledger.open(given) as ledger:

        def live(name: str) -> list[set[str]]:
            person, seen = ledger.principal(name), []
            for turn in range(6):
                message = f"I count {name} {turn} on my hands"
                person.capture(
                    message, made.database.rows("select ledger.today()")[0][0], [Candidate("kids", message)]
                )
                seen.append({entry.answer for entry in person.recall(["kids"]).entries})
                assert person.coverage(["kids"]) == [("kids", "fresh")]
            return seen

        for name in people:
            made.database.installer.execute(
                "insert into ledger.consent values (%s, 'granted', ledger.today(), 'v1')",
                (ledger.principal(name).id,),
            )
        with ThreadPoolExecutor(len(people)) as pool:
            for name, seen in zip(people, pool.map(live, people), strict=True):
                assert seen == [{f"I count {name} {turn} on my hands"} for turn in range(6)]


def test_doctor_sees_the_pooler_and_whether_the_ledger_may_prepare_behind_it(pooled: Any) -> None:
    made, through = pooled
    (straight,) = pooling.findings(made.database.logins, prepared_statements=True)
    assert (straight.well, straight.residue, straight.seen) == (True, False, "none")
    (behind,) = pooling.findings(through, prepared_statements=False)
    assert (behind.well, behind.residue) == (True, True)
    assert behind.seen.startswith("transaction")
    version = subprocess.run([str(PROGRAM), "--version"], capture_output=True, text=True, check=True).stdout
    if tuple(map(int, version.split()[1].split("."))) < (1, 21, 0):
        (mixed_up,) = pooling.findings(through, prepared_statements=True)
        assert not mixed_up.well and "LEDGER_PREPARED_STATEMENTS=false" in mixed_up.todo
