"""The real command on a database of the test's: `run` as a process of its own, `command` and `bare` in this one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ledger.cli import main
from ledger.keys import Keys
from ledger.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def environment(database: Any, tmp_path: Path) -> dict[str, str]:
    database.passwords.keep(tmp_path / "data")
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LEDGER_")}
    return kept | {
        "LEDGER_DATABASE_URL": database.url,
        "LEDGER_DATA_DIR": str(tmp_path / "data"),
        "LEDGER_TAKEN_DIR": str(tmp_path / "taken"),
        "COLUMNS": "100",
    }


@pytest.fixture
def run(environment: dict[str, str], tmp_path: Path) -> Run:
    """Runs `answer-ledger` with these words; gives the code, what it printed, and what it complained about."""

    def go(*words: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-c", "from ledger.cli import main; main()", *words],
            env=environment | more,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )

    return go


@dataclass(frozen=True, slots=True)
class Done:
    """What a call came to: its exit code, what it printed, and what it complained about."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        return json.loads(self.out)


Call = Callable[..., Done]


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Call:
    """Calls `answer-ledger` in this process, in an empty folder and with nothing set but where its data would lie."""
    for name in [name for name in os.environ if name.startswith("LEDGER_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("LEDGER_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> Done:
        monkeypatch.setattr(sys, "argv", ["answer-ledger", *words])
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return Done(int(ended.value.code or 0), printed.out, printed.err)

    return call


@pytest.fixture
def keyed(bare: Call) -> Call:
    """The same beside the keys of a ledger."""
    settings = Settings.load()
    Keys.open(settings.data_dir, settings)
    return bare


@pytest.fixture
def command(keyed: Call, database: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Call:
    """The same on the test's database."""
    database.passwords.keep(tmp_path / "data")
    monkeypatch.setenv("LEDGER_DATABASE_URL", database.url)
    monkeypatch.setenv("LEDGER_TAKEN_DIR", str(tmp_path / "taken"))
    return keyed
