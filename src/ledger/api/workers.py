"""Several processes that serve from one socket: the first one minds the others, and serves nothing itself.

Each worker is a new process with a deployment, connections and limits of its own. One that dies is started anew, in the
same place: with the same name and the same files of figures, so that no figure goes back and none is counted twice.
Nothing here imports the application, since the client library of the figures looks at its environment when it is imported.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from tempfile import TemporaryDirectory

from ledger.errors import LedgerError
from ledger.settings import Settings

_AGAIN_AFTER_S = 2.0  # a worker that can't start, since the database is away
LEAVE_S = 3.0  # beyond the grace time, for a worker to close its connections

log = logging.getLogger("ledger.api")


def supervise(settings: Settings, listening: socket.socket) -> None:
    """Keeps `settings.workers` processes serving until SIGTERM or SIGINT; then ends them all. Closes `listening`."""
    awake, alarm = socket.socketpair()
    alarm.setblocking(False)
    signal.set_wakeup_fd(alarm.fileno())
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: None)  # it wakes
    with TemporaryDirectory(prefix="answer-ledger-") as figures:
        workers = [_start(settings, listening, place, figures) for place in range(settings.workers)]
        try:
            while awake not in wait([awake, *(worker.sentinel for worker in workers)]):
                for place, worker in enumerate(workers):
                    if worker.exitcode is not None:
                        log.warning("worker %d ended (%s) and is started anew", place, worker.exitcode)
                        workers[place] = _start(settings, listening, place, figures)
        finally:
            signal.set_wakeup_fd(-1)
            listening.close()  # first, so that the workers alone have it: the last to leave takes what waits
            _end(workers, settings.grace_s + LEAVE_S)


def _start(settings: Settings, listening: socket.socket, place: int, figures: str) -> SpawnProcess:
    worker = multiprocessing.get_context("spawn").Process(
        target=_work, args=(settings, listening, place, figures)
    )
    worker.start()
    return worker


def _end(workers: list[SpawnProcess], within_s: float) -> None:
    for worker in workers:
        worker.terminate()
    deadline = time.monotonic() + within_s
    for place, worker in enumerate(workers):
        worker.join(max(0.0, deadline - time.monotonic()))
        if worker.exitcode is None:
            log.error("worker %d does not end and is killed", place)
            worker.kill()
            worker.join()


def _work(settings: Settings, listening: socket.socket, place: int, figures: str) -> None:
    """The life of a worker. It ends with the process that minds it, whatever ended that.

    Until it serves a signal ends it on the spot: the socket is open as long as one process has it, and who connects to one
    that nobody accepts from any more would wait for nothing.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.environ["PROMETHEUS_MULTIPROC_DIR"] = figures
    from prometheus_client import values

    values.ValueClass = values.MultiProcessValue(lambda: place)  # type: ignore[no-untyped-call]
    from ledger.api import serving
    from ledger.api.app import create_app
    from ledger.service.deployment import Deployment

    serving.log_from(settings.log_level)
    threading.Thread(target=_end_with_the_parent, daemon=True).start()
    try:
        deployment = Deployment.open(settings)
        app = create_app(deployment, on_shutdown=deployment.close)
    except LedgerError as error:
        log.error("worker %d can't start: %s", place, error.detail)
        time.sleep(_AGAIN_AFTER_S)
        sys.exit(1)
    with suppress(KeyboardInterrupt):
        for one in (signal.SIGTERM, signal.SIGINT):
            signal.signal(one, serving.interrupted)
        serving.Server(app, settings).run([listening])


def _end_with_the_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None  # noqa: S101 - a worker is spawned
    parent.join()
    os.kill(os.getpid(), signal.SIGTERM)
