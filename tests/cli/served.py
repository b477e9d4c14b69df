"""`answer-ledger serve` as a process of its own."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

COMMAND = Path(sys.executable).with_name("answer-ledger")


class Told(list[str]):
    """The lines that a process printed."""

    pid: int


@contextmanager
def serving(
    folder: Path, *arguments: str, stop: signal.Signals = signal.SIGTERM, code: int = 0, **environment: str
) -> Iterator[Told]:
    """The lines printed until it serves; after the end all of them. Stopped by a signal, which it obeys with this code."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("LEDGER_")}
    process = subprocess.Popen(
        [COMMAND, "serve", "--port", "0", "--data-dir", folder / "data", *arguments],
        cwd=folder,
        env={**clean, "PATH": f"{COMMAND.parent}:{clean['PATH']}", **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    lines = Told()
    lines.pid = process.pid
    try:
        for line in process.stdout:
            lines.append(line.rstrip("\n"))
            if line.startswith("serving at "):
                break
        yield lines
        process.send_signal(stop)
        out, err = process.communicate(timeout=30)
        lines += [*out.splitlines(), *err.splitlines()]
        assert process.returncode == code, lines
    finally:
        if process.poll() is None:
            process.kill()
            process.communicate()


def url(lines: list[str]) -> str:
    return re.search(r"serving at (http://[\d.]+:\d+)", lines[-1])[1]  # type: ignore[index]


def ready(where: str) -> None:
    for _ in range(200):
        try:
            if httpx.get(f"{where}/readyz").status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError("it does not get ready")


def workers_of(pid: int) -> set[int]:
    """The processes that a serving one has started to serve with it."""
    told = ["ps", "-ww", "-o", "pid=", "-o", "args=", "--ppid", str(pid)]
    children = subprocess.run(told, capture_output=True, text=True, check=False).stdout
    return {int(line.split()[0]) for line in children.splitlines() if "spawn_main" in line}
