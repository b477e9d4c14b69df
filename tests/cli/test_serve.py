"""`serve`, as a process of its own: its first start, what it prints, and how it ends."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import statistics
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from served import COMMAND, ready, serving, url


def test_a_first_start_explains_the_keys_and_its_example_works_as_pasted(tmp_path: Path) -> None:
    with serving(tmp_path) as lines:
        where = url(lines)
        assert where.startswith("http://127.0.0.1:")
        ready(where)
        said = subprocess.run(
            ["sh", "-ec", "\n".join(line for line in lines if line.startswith("  "))],
            check=True,
            capture_output=True,
            text=True,
            env={**os.environ, "PATH": f"{COMMAND.parent}:{os.environ['PATH']}"},
        ).stdout
        replies = re.findall(r"\{\"(?:outcomes|decision|items)\".*?(?=\{\"(?:decision|items)|\Z)", said, re.S)
        captured, consent, plan = map(json.loads, replies)
        assert captured["outcomes"][0]["accepted"]
        assert consent["tier"] == "full"
        assert [(item["do"], item.get("quote")) for item in plan["items"]] == [
            ("known", "I have two cats"),
            ("ask", None),
        ]
        assert httpx.get(f"{where}/docs").status_code == 200
    told = "\n".join(lines)
    keys = tmp_path / "data" / "keys"
    assert str(keys) in told
    assert f"making the keys and the database in {tmp_path / 'data'} ..." in told
    assert "pepper" in told and "signing.jwk" in told
    assert {oct(file.stat().st_mode & 0o777) for file in keys.iterdir()} == {"0o600"}
    # the embedded server went with it
    assert not (tmp_path / "data" / "postgres" / "cluster" / "postmaster.pid").exists()


def test_a_later_start_is_one_line_and_nothing_of_requests_is_printed(tmp_path: Path) -> None:
    with serving(tmp_path):
        pass
    with serving(tmp_path, stop=signal.SIGINT) as lines:
        where = url(lines)
        ready(where)
        httpx.get(f"{where}/zebra?zebra=zebra", headers={"Authorization": "Bearer zebra"})
        httpx.post(f"{where}/v1/plan", content=b"zebra")
    assert lines == [f"serving at {where}, the interface at {where}/docs"]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_call_on_a_connection_that_was_kept_waits_for_nothing(tmp_path: Path, workers: str) -> None:
    """A reply that waits for an acknowledgement takes forty times as long as the first of its connection."""
    with serving(tmp_path, LEDGER_WORKERS=workers) as lines:
        where = url(lines)
        ready(where)
        first: list[float] = []
        later: list[float] = []
        for _ in range(20):
            with httpx.Client(base_url=where) as kept:
                for times in (first, later, later, later):
                    start = time.perf_counter()
                    assert kept.get("/healthz").status_code == 200
                    times.append(time.perf_counter() - start)
    assert statistics.median(later) < 4 * statistics.median(first)


def test_several_workers_serve_one_ledger_on_one_port(tmp_path: Path) -> None:
    with serving(tmp_path, LEDGER_WORKERS="2") as lines:
        where = url(lines)
        ready(where)
        assert {httpx.get(f"{where}/healthz").status_code for _ in range(20)} == {200}
    assert not (tmp_path / "data" / "postgres" / "cluster" / "postmaster.pid").exists()


def test_a_port_that_is_taken_is_told_with_the_next_step(bare: Any, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        done = bare("serve", "--port", str(taken.getsockname()[1]))
    assert done.code == 2
    assert "--port" in done.err


@pytest.mark.parametrize("host", ["zebra.invalid", "203.0.113.7"])
def test_an_address_of_another_machine_is_told(bare: Any, host: str) -> None:
    done = bare("serve", "--port", "0", "--host", host)
    assert done.code == 2
    assert done.err.count("error: ") == 1
