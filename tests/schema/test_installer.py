"""The documented installer: a role with CREATEROLE that owns the database, and no superuser anywhere; on every server.

Each test has a cluster of its own, since roles belong to the cluster.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ledger.core.model import Candidate, Decision
from ledger.db import logins, migrations
from ledger.embedded import EmbeddedServer
from ledger.errors import SetupError, Unavailable, WrongPepper
from ledger.passwords import Passwords
from ledger.service import deployment, principals, sweeps
from ledger.service.ledger import Ledger
from ledger.settings import Settings

SECRET = "a secret that nobody prints"
SERVERS = {"wheel": None} | {
    folder.parent.name: folder
    for folder in sorted(Path("/usr/lib/postgresql").glob("*/bin"))
    if (folder / "initdb").exists()
}
"""Every PostgreSQL there is on this machine."""
NEEDED = pytest.mark.skip(
    reason="needs PostgreSQL 15: apt-get install postgresql-15 (`.ci/run` does it where it may)"
)


class Cluster:
    def __init__(self, server: EmbeddedServer) -> None:
        self.server = server
        with self.superuser("postgres") as admin:
            admin.execute(f"create role installer login createrole password '{SECRET}'")
        self.database("ledger")

    def database(self, name: str, options: str = "", owner: str = "installer") -> None:
        with self.superuser("postgres") as admin:
            admin.execute(f"create database {name} owner {owner} {options} template template0")

    def superuser(self, name: str) -> psycopg.Connection[Any]:
        return psycopg.connect(self.server.admin_conninfo(name), autocommit=True)

    def conninfo(self, name: str = "ledger", **given: str) -> str:
        return make_conninfo(
            self.server.admin_conninfo(name), **({"user": "installer", "password": SECRET} | given)
        )

    def url(self, name: str = "ledger", **given: str) -> str:
        parts = {
            key: quote(str(value), safe="")
            for key, value in conninfo_to_dict(self.conninfo(name, **given)).items()
        }
        return f"postgresql://{parts['user']}:{parts['password']}@{parts['host']}:{parts['port']}/{parts['dbname']}"


@pytest.fixture(
    params=[*SERVERS] + [pytest.param("15", marks=NEEDED)] * (len(SERVERS) == 1),
    scope="module",
)
def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[EmbeddedServer]:
    folder = tmp_path_factory.mktemp("cluster")
    with EmbeddedServer.open(folder, pg_bin=SERVERS[request.param], lasting=False) as server:
        yield server


@pytest.fixture
def cluster(running: EmbeddedServer) -> Iterator[Cluster]:
    """One without a role or a database of anybody's."""
    yield Cluster(running)
    with psycopg.connect(running.admin_conninfo("postgres"), autocommit=True) as admin:
        for (name,) in admin.execute(
            "select datname from pg_database where datname not like 'template%' and datname <> 'postgres'"
        ).fetchall():
            admin.execute(f'drop database "{name}" with (force)')
        for (name,) in admin.execute(
            "select rolname from pg_roles where rolname !~ '^pg_' and rolname <> 'postgres'"
        ).fetchall():
            admin.execute(f'drop role "{name}"')


@pytest.fixture
def given(tmp_path: Path) -> Callable[..., Settings]:
    def make(cluster: Cluster, name: str = "ledger", folder: str = "data", **more: Any) -> Settings:
        return Settings.alone(database_url=cluster.url(name), data_dir=tmp_path / folder, **more)

    return make


def migrate(settings: Settings, **more: Any) -> deployment.Migrated:
    url = deployment.installer(settings)
    assert url is not None
    return deployment.migrate(url, settings, **more)


def test_a_role_with_createrole_that_owns_the_database_sets_up_a_ledger_that_works(
    cluster: Cluster, given: Any
) -> None:
    settings = given(cluster)
    assert migrate(settings).ran == [migrations.HEAD]
    today = datetime.now(UTC).date()
    with Ledger.open(settings) as ledger:
        ann = ledger.principal("ann")
        (outcome,) = ann.capture("I want two kids", today, [Candidate("kids", "I want two kids")])
        assert outcome.verdict.accepted
        ledger.run(principals.decide_consent(ledger.context, ann.id, Decision.GRANTED, "v1"))
        assert [entry.answer for entry in ann.recall(["kids"]).entries] == ["I want two kids"]
        assert ledger.run(sweeps.due())["entries"] == 0
        assert ledger.run(principals.erase(ledger.context, ann.id)).entries == 1
    done = migrate(settings)
    assert (done.ran, done.passwords_set) == ([], False)


def test_and_no_right_of_a_superuser_was_asked_for(cluster: Cluster, given: Any) -> None:
    migrate(given(cluster))
    with cluster.superuser("ledger") as admin:
        assert (
            admin.execute(
                "select rolname from pg_roles where (rolsuper or rolbypassrls) and rolname <> 'postgres'"
            ).fetchall()
            == []
        )
        assert admin.execute("select 1 from pg_parameter_acl").fetchall() == []


def test_of_two_at_once_one_waits_and_none_fails(cluster: Cluster, given: Any) -> None:
    settings = given(cluster)
    with ThreadPoolExecutor(2) as pool, migrations.installing(cluster.conninfo()):
        both = [pool.submit(migrate, settings) for _ in range(2)]
        with cluster.superuser("ledger") as looking:
            until = time.monotonic() + 10
            while looking.execute(
                "select count(*) from pg_locks where locktype = 'advisory' and not granted"
            ).fetchone() != (2,):
                assert time.monotonic() < until, "they do not wait"
                time.sleep(0.02)
    assert sorted(one.result().ran for one in both) == [[], [migrations.HEAD]]


# ── What is wrong is named, and no secret ────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("wrong", "named"),
    [({"password": "not this one"}, "password"), ({"dbname": "nowhere"}, "no database of this name"), ({"user": "nobody_of_ours"}, "user or password"),
     ({"host": "no-such-host.invalid"}, "no host of this name"), ({"host": "127.0.0.1", "port": "1"}, "no database server")],
    ids=str,
)  # fmt: skip
def test_a_part_of_the_connection_string_that_is_wrong_is_named_without_what_stands_there(
    cluster: Cluster, wrong: dict[str, str], named: str
) -> None:
    with pytest.raises((SetupError, Unavailable), match=named) as refused:
        migrations.migrate(cluster.conninfo(**wrong), {}, [])
    said = str(refused.value)
    assert not any(value in said for value in (SECRET, *wrong.values()) if len(value) > 1)


def test_a_database_that_is_not_utf8_is_refused_in_a_sentence(
    cluster: Cluster, given: Any, tmp_path: Path
) -> None:
    cluster.database("latin", "encoding 'LATIN1' locale 'C'")
    with pytest.raises(SetupError, match=r"LATIN1.*encoding 'UTF8'"):
        migrate(given(cluster, "latin"))
    assert not (tmp_path / "data").exists()


def test_a_role_without_createrole_and_a_database_of_another_are_told_what_is_missing(
    cluster: Cluster, given: Any
) -> None:
    cluster.database("theirs", owner="postgres")
    with pytest.raises(SetupError, match="CREATEROLE that owns the database"):
        migrate(given(cluster, "theirs"))
    with cluster.superuser("postgres") as admin:
        admin.execute("alter role installer nocreaterole")
    with pytest.raises(SetupError, match="CREATEROLE that owns the database"):
        migrate(given(cluster))


# ── The pepper ───────────────────────────────────────────────────────────────────────────────────


def test_a_pepper_that_is_not_the_databases_is_refused_and_nothing_is_made(
    cluster: Cluster, given: Any, tmp_path: Path
) -> None:
    migrate(given(cluster))
    with pytest.raises(WrongPepper, match="not here"):
        migrate(given(cluster, folder="elsewhere"))
    assert not (tmp_path / "elsewhere").exists()
    pepper = "YW5vdGhlciBwZXBwZXIgYW5vdGhlciBwZXBwZXIgISE="
    with pytest.raises(WrongPepper, match="Put the right one"):
        migrate(given(cluster, folder="elsewhere", pepper=pepper))
    assert not (tmp_path / "elsewhere").exists()
    assert migrate(given(cluster)).ran == []


# ── The passwords of the surfaces ────────────────────────────────────────────────────────────────


def logins_file(folder: Path) -> Path:
    return folder / "keys" / "logins.json"


def test_the_passwords_are_random_each_its_own_and_nobody_elses_to_read(
    cluster: Cluster, given: Any, tmp_path: Path
) -> None:
    migrate(given(cluster))
    path = logins_file(tmp_path / "data")
    assert path.stat().st_mode & 0o777 == 0o600
    kept = json.loads(path.read_text())
    assert set(kept) == set(logins.ROLES)
    assert len(set(kept.values())) == 5 and min(map(len, kept.values())) >= 43
    assert kept != json.loads(json.dumps(dict(Passwords.new(logins.ROLES))))
    assert not any(word in path.read_text() for word in (SECRET,))


def test_a_worker_needs_the_keys_folder_and_no_password_of_the_installer(
    cluster: Cluster, given: Any, tmp_path: Path
) -> None:
    migrate(given(cluster))
    url = cluster.url(password="not this one")
    with Ledger.open(Settings.alone(database_url=url, data_dir=tmp_path / "data")) as ledger:
        assert ledger.principal("ann").recall(["kids"]).entries == ()
    logins_file(tmp_path / "data").unlink()
    with pytest.raises(SetupError, match=r"copy the\s+keys folder"):
        Ledger.open(given(cluster))


def test_new_passwords_are_set_when_the_file_is_new_or_when_they_are_asked_for(
    cluster: Cluster, given: Any, tmp_path: Path
) -> None:
    settings, path = given(cluster), logins_file(tmp_path / "data")
    migrate(settings)
    first = path.read_text()
    path.unlink()
    assert migrate(settings).passwords_set
    second = path.read_text()
    assert migrate(settings, new_passwords=True).passwords_set
    assert len({first, second, path.read_text()}) == 3
    Ledger.open(settings).close()
    path.write_text(second)
    with pytest.raises(SetupError, match="answer-ledger migrate"):
        Ledger.open(settings)
    assert migrate(settings).passwords_set, "what the file says is set where the database has others"
    Ledger.open(settings).close()


def test_a_password_in_the_url_of_a_surface_is_set_as_it_stands_there(cluster: Cluster, given: Any) -> None:
    own = cluster.url(user="ledger_agent", password="chosen by the host")
    settings = given(cluster, database_url_agent=own)
    migrate(settings)
    Ledger.open(settings).close()
    with psycopg.connect(cluster.conninfo(user="ledger_agent", password="chosen by the host")):
        pass
    assert not migrate(settings).passwords_set


def test_a_second_ledger_of_a_cluster_takes_the_passwords_of_the_first(
    cluster: Cluster, given: Any, tmp_path: Path
) -> None:
    cluster.database("second")
    first, second = given(cluster), given(cluster, "second", "other")
    migrate(first)
    with pytest.raises(SetupError, match=r"\(ledger\).*Copy that file") as refused:
        migrate(second)
    assert str(logins_file(tmp_path / "other")) in str(refused.value)
    assert not (tmp_path / "other").exists(), "nothing is made, and nobody is locked out"
    Ledger.open(first).close()
    Passwords.read(tmp_path / "data").keep(tmp_path / "other")
    migrate(second)
    for settings in (first, second):
        Ledger.open(settings).close()


def test_new_passwords_of_a_cluster_are_those_of_all_its_ledgers(
    cluster: Cluster, given: Any, tmp_path: Path
) -> None:
    cluster.database("second")
    first, second = given(cluster), given(cluster, "second", "other")
    migrate(first)
    migrate(second, new_passwords=True)
    with pytest.raises(SetupError, match="answer-ledger migrate"):
        Ledger.open(first)
    logins_file(tmp_path / "data").write_bytes(logins_file(tmp_path / "other").read_bytes())
    for settings in (first, second):
        Ledger.open(settings).close()


def test_a_second_installer_of_a_cluster_is_told_that_roles_are_the_clusters(
    cluster: Cluster, given: Any
) -> None:
    migrate(given(cluster))
    with cluster.superuser("postgres") as admin:
        admin.execute("create role another login createrole password 'another'")
    cluster.database("second", owner="another")
    url = cluster.url("second", user="another", password="another")
    with pytest.raises(SetupError, match="another ledger in this cluster"):
        migrate(Settings.alone(database_url=url, data_dir=Path(os.devnull).parent / "never"))
