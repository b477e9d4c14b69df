"""Several workers: one that dies comes back, they end with the process that minds them, and their figures add up."""

from __future__ import annotations

import os
import re
import signal
import time
from pathlib import Path

import httpx
import pytest
from served import ready, serving, url, workers_of

CLIENT = httpx.Client(headers={"Connection": "close"})  # so that now one worker answers, now another


def asked(where: str) -> float:
    """How often /healthz was asked, as /metrics has it."""
    text = CLIENT.get(f"{where}/metrics").text
    assert "pid=" not in text and "_created" not in text
    (found,) = re.findall(
        r'ledger_http_requests_total\{method="GET",route="/healthz",status="200"\} (\S+)', text
    )
    return float(found)


def until_there_are(n: int, pid: int, without: int = 0) -> set[int]:
    for _ in range(300):
        found = workers_of(pid) - {without}
        if len(found) == n:
            return found
        time.sleep(0.1)
    raise AssertionError(f"there are {len(found)} workers")


def test_a_worker_that_dies_is_started_anew_and_no_figure_goes_back(tmp_path: Path) -> None:
    (tmp_path / "tmp").mkdir()
    with serving(tmp_path, "--workers", "2", TMPDIR=str(tmp_path / "tmp")) as lines:
        where = url(lines)
        ready(where)
        for _ in range(20):
            assert CLIENT.get(f"{where}/healthz").status_code == 200
        assert {asked(where) for _ in range(10)} == {20}
        (figures,) = (tmp_path / "tmp").glob("answer-ledger-*")
        assert figures.stat().st_mode & 0o777 == 0o700

        first = min(until_there_are(2, lines.pid))
        os.kill(first, signal.SIGKILL)
        until_there_are(2, lines.pid, without=first)
        for _ in range(20):
            assert CLIENT.get(f"{where}/healthz").status_code == 200
        assert {asked(where) for _ in range(10)} == {40}
    assert [line for line in lines if "started anew" in line] == lines[-1:]
    assert re.fullmatch(r"WARNING: worker [01] ended \(-9\) and is started anew", lines[-1])
    assert list((tmp_path / "tmp").glob("answer-ledger-*")) == []
    assert not (tmp_path / "data" / "postgres" / "cluster" / "postmaster.pid").exists()


def test_workers_end_with_the_process_that_minds_them(tmp_path: Path) -> None:
    """They hold its output open: it is at its end when they are gone."""
    with serving(tmp_path, "--workers", "2", stop=signal.SIGKILL, code=-signal.SIGKILL) as lines:
        ready(url(lines))
        until_there_are(2, lines.pid)
    assert not (tmp_path / "data" / "postgres" / "cluster" / "postmaster.pid").exists()


@pytest.mark.parametrize("workers", ["1", "2"])
def test_the_level_of_the_log_is_asked_for_and_nothing_of_a_request_is_in_it(
    tmp_path: Path, workers: str
) -> None:
    with serving(tmp_path, "--workers", workers, "--log-level", "debug") as lines:
        where = url(lines)
        ready(where)
        CLIENT.get(f"{where}/zebra?zebra=zebra", headers={"Authorization": "Bearer zebra"})
        CLIENT.post(f"{where}/v1/plan", content=b"zebra")
    logged = [line for line in lines if line.startswith(("DEBUG: ", "INFO: ", "WARNING: ", "ERROR: "))]
    assert "INFO: Application startup complete." in logged
    assert not [line for line in logged if "zebra" in line or "127.0.0.1" in line or "/v1/" in line]
