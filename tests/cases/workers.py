"""A worker: a process of its own that serves the application, as `answer-ledger serve` does."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Self

import httpx

from ledger.api.serving import listen
from ledger.service.deployment import Deployment

from .collection import Step
from .facts import OK, Facts
from .world import World

PROGRAM = """
import sys
from ledger.api.serving import Server, from_environment
from ledger.settings import Settings
{before}
Server(from_environment(), Settings.load(), fd=int(sys.argv[1])).run()
"""

KILLED_WHEN_WRITTEN = """
import os, signal
from ledger.db.connections import AsyncConnections
execute = AsyncConnections.execute
async def killed(self, operation):
    found = await execute(self, operation)
    if "ledger.capture(" in operation.sql:
        os.kill(os.getpid(), signal.SIGKILL)
    return found
AsyncConnections.execute = killed
"""
"""The process is gone when the capture is committed and not yet answered."""


def environment(deployment: Deployment) -> dict[str, str]:
    """What a process is started with that serves the database and the keys of a deployment."""
    settings = deployment.settings
    assert settings.database_url and settings.pepper
    return {
        **os.environ,
        "LEDGER_DATABASE_URL": settings.database_url.get_secret_value(),
        "LEDGER_DATA_DIR": str(settings.data_dir),
        "LEDGER_TAKEN_DIR": str(settings.taken_dir),
        "LEDGER_PEPPER": settings.pepper.get_secret_value(),
        "LEDGER_SWEEP_EVERY_HOURS": "0",
    }


class Worker:
    """A running worker on the database and the keys of a deployment."""

    def __init__(self, deployment: Deployment, before: str = "") -> None:
        listening = listen("127.0.0.1", 0)
        self.client = httpx.Client(
            base_url=f"http://127.0.0.1:{listening.getsockname()[1]}", timeout=30, trust_env=False
        )
        self._process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM.format(before=before), str(listening.fileno())],
            pass_fds=[listening.fileno()],
            env=environment(deployment),
        )
        listening.close()

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        self._process.wait()

    def peak_memory(self) -> float:
        """MiB that it held at most since the last call."""
        folder = Path(f"/proc/{self._process.pid}")
        (line,) = [one for one in (folder / "status").read_text().splitlines() if one.startswith("VmHWM:")]
        (folder / "clear_refs").write_text("5")
        return int(line.split()[1]) / 1024

    def close(self) -> None:
        self.client.close()
        self.kill()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@contextmanager
def through(world: World, worker: Worker) -> Iterator[None]:
    world.worker = worker.client
    try:
        yield
    finally:
        world.worker = None


def kept_worker(world: World) -> Worker:
    if "worker" not in world.kept:
        world.kept["worker"] = Worker(world.deployment)
    worker: Worker = world.kept["worker"]
    return worker


def start(world: World, step: Step) -> Facts:
    """`answer-ledger serve` with settings of the case: it ends at once and says why, or it serves."""
    command = [str(Path(sys.executable).with_name("answer-ledger")), "serve", "--port", "0"]
    with subprocess.Popen(
        command, env=environment(world.deployment) | step["env"], stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            _, said = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            return OK
    assert process.returncode == 2
    assert all(name in said and value not in said for name, value in step["env"].items())
    return {"outcome": "rejected"}
