"""What a command loads: no more than it needs, so that it is there at once. Never a time: which modules."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

HEAVY = (
    "alembic", "cryptography", "fastapi", "httpx", "joserfc", "psycopg", "pydantic", "pydantic_settings", "regex", "rich",
    "sqlalchemy", "sqlmodel", "starlette", "uvicorn", "yaml",
)  # fmt: skip

_TELL = "from ledger.cli import main\ntry:\n    main()\nfinally:\n    print('loaded:', *sys.modules)"


def loaded(environment: dict[str, str], folder: Path, *words: str) -> set[str]:
    """Which of the heavy packages a call of `answer-ledger` in a process of its own ends with."""
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{_TELL}", *words],
        env=environment,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    _, found, modules = done.stdout.rpartition("loaded:")
    assert found, done.stderr
    return set(modules.split()) & set(HEAVY)


@pytest.mark.parametrize("words", [("--version",), ("--help",), ("topics", "--help")], ids=" ".join)
def test_what_only_tells_loads_nothing_but_the_parser(
    environment: dict[str, str], tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert loaded(environment, tmp_path, *words) <= {"pydantic"}  # with which the parser itself reads options


def test_a_verdict_needs_no_database_no_keys_and_no_server(
    environment: dict[str, str], tmp_path: Path
) -> None:
    assert loaded(environment, tmp_path, "gate", "try", "I smoke", "I smoke") <= {
        "pydantic", "pydantic_settings", "regex", "rich"
    }  # fmt: skip


def test_a_database_of_this_release_is_opened_without_what_brings_it_there(
    environment: dict[str, str], tmp_path: Path
) -> None:
    assert not loaded(environment, tmp_path, "topics", "list") & {
        "alembic", "sqlalchemy", "sqlmodel", "fastapi", "starlette", "uvicorn"
    }  # fmt: skip


def test_the_package_loads_what_is_asked_of_it(environment: Any) -> None:
    """`import ledger` alone is light; each of its names is there."""
    program = (
        "import sys, ledger\n"
        "assert 'psycopg' not in sys.modules and 'pydantic' not in sys.modules\n"
        "from ledger import *\n"
        "assert Ledger.open and AsyncLedger and Tier('full') and Candidate and Decision('granted')\n"
        "try:\n    ledger.nonsense\nexcept AttributeError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout == "module 'ledger' has no attribute 'nonsense'\n"
