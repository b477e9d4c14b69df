"""The real command, as a process of its own, on a database of the test's."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture
def environment(database: Any, tmp_path: Path) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("LEDGER_")}
    return kept | {
        "LEDGER_DATABASE_URL": database.url,
        "LEDGER_DATA_DIR": str(tmp_path / "data"),
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
