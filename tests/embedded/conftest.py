"""One cluster is made for all tests; most work on a copy of it, for a copy is quicker than initdb."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import psycopg
import pytest
from servers import HOLD

from ledger.embedded import EmbeddedServer, stale


@pytest.fixture(scope="session")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory whose server was started, given a table with one row, and stopped."""
    path = tmp_path_factory.mktemp("template")
    with EmbeddedServer.open(path) as server, psycopg.connect(server.admin_conninfo()) as connection:
        connection.execute("create table kept (n int)")
        connection.execute("insert into kept values (7)")
    return path


@pytest.fixture
def data_dir(template: Path, tmp_path: Path) -> Iterator[Path]:
    """A copy of the template. Nothing of its server outlives the test."""
    path = tmp_path / "data"
    shutil.copytree(template, path)
    yield path
    stale.end_all(path / "postgres" / "cluster")


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """An empty folder that every user may enter."""
    path = Path(tempfile.mkdtemp(prefix="ledger-test-"))
    path.chmod(0o755)
    yield path
    stale.end_all(path / "postgres" / "cluster")
    shutil.rmtree(path)


@pytest.fixture
def hold() -> Iterator[Callable[[Path], subprocess.Popen[str]]]:
    """Starts a process that opens the server of a folder, and holds it until its input ends."""
    started: list[subprocess.Popen[str]] = []

    def start(path: Path) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [sys.executable, "-c", HOLD, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()
