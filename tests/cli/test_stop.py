"""How `serve` ends: what it has begun to read is answered, and nothing that is idle is waited for."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections import Counter
from pathlib import Path

import pytest
from served import ready, serving, url

GET = b"GET /readyz HTTP/1.1\r\nHost: ledger\r\n\r\n"


def connected(where: str) -> socket.socket:
    return socket.create_connection(("127.0.0.1", int(where.rpartition(":")[2])), timeout=15)


def reply(line: socket.socket) -> bytes:
    """One whole reply, or what there was of it."""
    answer = b""
    while not (re.search(rb"\r\n\r\n.+", answer, re.S)) and (part := line.recv(65536)):
        answer += part
    return answer


def closed(line: socket.socket) -> bool:
    """Whether a kept connection was closed meanwhile: a client looks before it sends on one."""
    line.setblocking(False)
    try:
        line.recv(1, socket.MSG_PEEK)
    except BlockingIOError:
        return False
    except OSError:
        return True
    finally:
        line.settimeout(15)
    return True


def keep_asking(where: str, told: Counter[str]) -> None:
    """Calls without a pause, some on each connection, until nobody listens any more."""
    while True:
        try:
            line = connected(where)
        except OSError:
            return
        with line:
            for _ in range(5):
                if closed(line):
                    break
                try:
                    line.sendall(GET)
                    answer = reply(line)
                except OSError:
                    answer = b""
                told["answered" if answer.startswith(b"HTTP/1.1 200 ") else "unanswered"] += 1
                if b"connection: close" in answer.lower():
                    told["told that it is the last"] += 1
                    break


@pytest.mark.parametrize("workers", ["1", "4"])
def test_what_was_begun_is_answered_and_nothing_idle_is_waited_for(tmp_path: Path, workers: str) -> None:
    told: Counter[str] = Counter()
    with serving(tmp_path, "--workers", workers, LEDGER_GRACE_S="60") as lines:
        where = url(lines)
        ready(where)
        idle, silent, half = connected(where), connected(where), connected(where)
        idle.sendall(GET)
        assert reply(idle).startswith(b"HTTP/1.1 200 ")
        half.sendall(GET[:20])
        clients = [threading.Thread(target=keep_asking, args=(where, told)) for _ in range(10)]
        for client in clients:
            client.start()
        time.sleep(1)
        late = threading.Timer(0.5, half.sendall, [GET[20:]])
        late.start()
        stopped = time.monotonic()
    assert (
        time.monotonic() - stopped < 30
    )  # half of what it may take; idle connections would be kept for 75 seconds
    for client in [*clients, late]:
        client.join()
    assert told["unanswered"] == 0
    assert told["answered"] > 50
    assert told["told that it is the last"] >= 1
    last = reply(half)
    assert last.startswith(b"HTTP/1.1 200 ") and b"connection: close" in last.lower()
    assert (reply(idle), reply(silent)) == (b"", b"")
    for line in (idle, silent, half):
        line.close()


def test_what_does_not_come_within_the_grace_time_is_told_so(tmp_path: Path) -> None:
    with serving(tmp_path, LEDGER_GRACE_S="2") as lines:
        where = url(lines)
        ready(where)
        half = connected(where)
        half.sendall(GET[:20])
        time.sleep(0.2)
    assert reply(half).startswith(b"HTTP/1.1 408 ")
    half.close()
