"""What only a real server shows: bodies that do not end, headers, malformed requests, the log."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
import uvicorn

from ledger.api.serving import OPTIONS, listen

from .world import Api

MIB = 1024 * 1024


@pytest.fixture(scope="module")
def port(untouched: Api) -> Iterator[int]:
    """The application behind uvicorn, in a thread of its own."""
    listening = listen("127.0.0.1", 0)
    server = uvicorn.Server(uvicorn.Config(untouched.app, **OPTIONS))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield int(listening.getsockname()[1])
    server.should_exit = True
    thread.join()
    listening.close()


def talk(port: int, *parts: bytes) -> bytes:
    """One response to these bytes, sent as far as the server lets them be sent."""
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for part in parts:
                connection.sendall(part)
        answer = b""
        while not whole(answer) and (chunk := connection.recv(65536)):
            answer += chunk
        return answer


def whole(answer: bytes) -> bool:
    top, gap, body = answer.partition(b"\r\n\r\n")
    length = re.search(rb"(?i)\r\ncontent-length: (\d+)", top)
    return bool(gap and length and len(body) >= int(length[1]))


def resident() -> int:
    """Bytes of memory that this process, and so the server in it, holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def head(token: str, *lines: str) -> bytes:
    all_lines = ("POST /v1/captures HTTP/1.1", "Host: ledger", f"Authorization: Bearer {token}",
                 "Content-Type: application/json", *lines)  # fmt: skip
    return "\r\n".join(all_lines).encode() + b"\r\n\r\n"


def test_what_is_accepted_sends_at_once() -> None:
    with (
        listen("127.0.0.1", 0) as listening,
        socket.create_connection(listening.getsockname()),
        listening.accept()[0] as accepted,
    ):
        assert accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)


def test_nothing_tells_what_serves(port: int) -> None:
    response = httpx.get(f"http://127.0.0.1:{port}/healthz")
    assert response.status_code == 200
    assert response.headers.keys() == {
        "date",
        "content-length",
        "content-type",
        "cache-control",
        "content-security-policy",
        "referrer-policy",
        "x-content-type-options",
    }


def test_a_large_body_is_refused_by_its_announcement_alone(untouched: Api, port: int) -> None:
    asked = head(untouched.token("capture"), f"Content-Length: {64 * MIB}", "Expect: 100-continue")
    assert talk(port, asked).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("chunked", [False, True])
def test_a_large_body_is_refused_and_fills_no_memory(untouched: Api, port: int, chunked: bool) -> None:
    length = "Transfer-Encoding: chunked" if chunked else f"Content-Length: {64 * MIB}"
    block = b'{"message":"' + b"x" * (MIB - 12)
    sent = b"%x\r\n%s\r\n" % (len(block), block) if chunked else block
    before = resident()
    answer = talk(
        port, head(untouched.token("capture"), length), *[sent] * 64, *([b"0\r\n\r\n"] if chunked else [])
    )
    assert answer.startswith(b"HTTP/1.1 413 ")
    assert b"urn:answer-ledger:problem:body-too-large" in answer
    assert resident() - before < 32 * MIB


def test_a_client_sees_the_refusal_of_its_large_body(untouched: Api, port: int) -> None:
    response = httpx.post(
        f"http://127.0.0.1:{port}/v1/captures",
        content=json.dumps({"message": "x" * 8 * MIB}).encode(),
        headers={"Authorization": f"Bearer {untouched.token('capture')}", "Content-Type": "application/json"},
    )
    assert response.status_code == 413


def test_a_small_body_in_chunks_is_read(untouched: Api, port: int) -> None:
    body = json.dumps({"message": "hello", "said_on": "2026-08-20", "candidates": []}).encode()
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in body) + b"0\r\n\r\n"
    answer = talk(port, head(untouched.token("capture"), "Transfer-Encoding: chunked"), chunks)
    assert answer.startswith(b"HTTP/1.1 200 ")
    assert answer.endswith(b'{"outcomes":[]}')


def test_a_client_that_goes_away_leaves_nothing_in_the_log(
    untouched: Api, port: int, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(
                head(untouched.token("capture"), "Content-Length: 1000") + b'{"message":"zebra'
            )
        httpx.get(f"http://127.0.0.1:{port}/healthz")
    assert "zebra" not in caplog.text
    assert not [record for record in caplog.records if record.levelno >= logging.WARNING]


@pytest.mark.parametrize(
    "request_line", ["GET /zebra\x00 HTTP/1.1", "zebra", "GET /zebra HTTP/9.9", "GET zebra HTTP/1.1"]
)
def test_what_is_no_http_is_not_repeated(
    port: int, caplog: pytest.LogCaptureFixture, request_line: str
) -> None:
    with caplog.at_level(logging.DEBUG):
        answer = talk(port, f"{request_line}\r\nHost: ledger\r\nX-Zebra: zebra\r\n\r\n".encode())
    assert answer.startswith((b"HTTP/1.1 400 ", b"HTTP/1.1 404 "))
    assert b"zebra" not in answer
    assert "zebra" not in caplog.text


def test_a_length_is_one_number(untouched: Api, port: int) -> None:
    for lines in (
        ("Content-Length: 2", "Content-Length: 3"),
        ("Content-Length: -1",),
        ("Content-Length: 2x",),
    ):
        answer = talk(port, head(untouched.token("capture"), *lines))
        assert answer.startswith(b"HTTP/1.1 400 "), lines


def test_nothing_of_a_request_is_logged(untouched: Api, port: int, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG):
        talk(port, head(untouched.token("capture"), "Content-Length: 2", "X-Forwarded-For: 10.1.2.3"), b"{}")
        talk(port, b"GET /v1/zebra HTTP/1.1\r\nHost: zebra.example\r\n\r\n")
    said = [record.getMessage() for record in caplog.records if record.name != "asyncio"]
    assert said == []
