"""`demo`, as a process of its own and with its output piped: it ends by itself and leaves nothing behind."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ledger.db import expected

COMMAND = Path(sys.executable).with_name("answer-ledger")


@pytest.fixture(scope="module", params=[80, 100], ids="{}_columns".format)
def columns(request: pytest.FixtureRequest) -> int:
    width: int = request.param
    return width


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, columns: int) -> str:
    folder = tmp_path_factory.mktemp("demo")
    done = subprocess.run(
        [COMMAND, "demo"],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "TMPDIR": str(folder),
            "COLUMNS": str(columns),
            # a ledger that is not to be played with
            "LEDGER_DATABASE_URL": "postgresql://nobody@127.0.0.1:1/none",
            "LEDGER_VISIBLE_FROM": "next_day",
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert list(folder.iterdir()) == [], "nothing is left behind"
    return done.stdout


def test_it_is_plain_text_that_fits(told: str, columns: int) -> None:
    assert "\x1b" not in told
    assert max(map(len, told.splitlines())) <= columns
    assert "…" not in told, "nothing is cut off"


def test_it_can_be_read(told: str) -> None:
    assert len(told.splitlines()) < 200


def test_it_shows_what_an_agent_asks_what_it_is_spared_and_what_is_refused(told: str) -> None:
    for said in (
        "not_verbatim", "meaning_cut", "would pass: “don't want kids”", "is spared", "knows", "reconfirms",
        "the same bytes",
    ):  # fmt: skip
        assert said in told, said
    assert "NOT THE SAME" not in told


def test_an_answer_that_is_too_old_is_gone(told: str) -> None:
    _, _, end = told.rpartition("Everything that the database holds")
    assert "I go climbing" in end
    assert "I eat" not in end


def test_it_ends_with_every_table_every_column_and_the_transaction_of_each_row(told: str) -> None:
    _, _, end = told.rpartition("Everything that the database holds")
    assert "xmin" in end
    for table in expected.COLUMNS:
        assert table in end
    for table in ("entry", "audit", "consent", "setting", "sweep_mark", "topic"):
        for column in expected.COLUMNS[table]:
            assert re.search(rf"\b{column}\b", end), column


def test_nobody_s_name_is_in_the_database(told: str) -> None:
    _, _, end = told.rpartition("Everything that the database holds")
    for name in ("Mira", "Nora", "Olga"):
        assert name not in end
