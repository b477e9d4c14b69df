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

from ledger.api.serving import Server, listen
from ledger.settings import Settings

from .world import Api

MIB = 1024 * 1024


def behind_uvicorn(api: Api, settings: Settings) -> Iterator[int]:
    """The application in a server in a thread of its own, without its lifespan, which is one for several."""
    listening = listen("127.0.0.1", 0)
    server = Server(api.app, settings, lifespan="off")
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield int(listening.getsockname()[1])
    server.should_exit = True
    thread.join()
    listening.close()


@pytest.fixture(scope="module")
def port(untouched: Api) -> Iterator[int]:
    yield from behind_uvicorn(untouched, untouched.deployment.settings)


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


# ── The time and the size that a request may have ────────────────────────────────────────────────


@pytest.fixture(scope="module")
def hasty(untouched: Api) -> Iterator[int]:
    """The same with little patience."""
    little = {"head_timeout_s": 0.9, "body_timeout_s": 0.9, "idle_timeout_s": 0.9}
    yield from behind_uvicorn(untouched, untouched.deployment.settings.model_copy(update=little))


def until_closed(connection: socket.socket) -> bytes:
    """All that comes until the server closes, which it does."""
    answer = b""
    with contextlib.suppress(ConnectionResetError):
        while chunk := connection.recv(65536):
            answer += chunk
    return answer


def problem(answer: bytes) -> str:
    """The slug of the problem that is the only answer, on a connection that is closed with it."""
    top, _, body = answer.partition(b"\r\n\r\n")
    assert b"connection: close" in top.lower() and b"cache-control: no-store" in top.lower()
    document = json.loads(body)
    assert top.startswith(b"HTTP/1.1 %d " % document["status"])
    return str(document["type"].rpartition(":")[2])


@pytest.mark.parametrize("begun", [b"G", b"GET /healthz HTTP/1.1\r\nHost: ledger\r\nX-Zebra: "])
def test_headers_that_do_not_come_in_time_are_told_so(hasty: int, begun: bytes) -> None:
    with socket.create_connection(("127.0.0.1", hasty), timeout=10) as connection:
        connection.sendall(begun)
        assert problem(until_closed(connection)) == "request-timeout"


def test_a_byte_now_and_then_is_no_way_around_that(hasty: int) -> None:
    def drip(connection: socket.socket) -> None:
        for _ in range(100):
            connection.sendall(b"G")
            time.sleep(0.05)

    with (
        socket.create_connection(("127.0.0.1", hasty), timeout=10) as connection,
        pytest.raises((BrokenPipeError, ConnectionResetError)),
    ):
        drip(connection)


def test_a_body_that_does_not_come_in_time_is_told_so(untouched: Api, hasty: int) -> None:
    with socket.create_connection(("127.0.0.1", hasty), timeout=10) as connection:
        connection.sendall(head(untouched.token("capture"), "Content-Length: 1000") + b'{"message":"zebra')
        assert problem(until_closed(connection)) == "request-timeout"


def test_the_rest_of_a_body_that_was_refused_is_not_waited_for(untouched: Api, hasty: int) -> None:
    with socket.create_connection(("127.0.0.1", hasty), timeout=10) as connection:
        connection.sendall(head(untouched.token("capture"), f"Content-Length: {64 * MIB}"))
        assert until_closed(connection).startswith(b"HTTP/1.1 413 ")


@pytest.mark.parametrize("first", [b"", b"GET /healthz HTTP/1.1\r\nHost: ledger\r\n\r\n"])
def test_a_connection_on_which_nothing_comes_is_closed_without_a_word(hasty: int, first: bytes) -> None:
    with socket.create_connection(("127.0.0.1", hasty), timeout=10) as connection:
        connection.sendall(first)
        assert until_closed(connection).count(b"HTTP/1.1 ") == bool(first)


def test_a_request_in_time_after_a_pause_is_answered(untouched: Api, hasty: int) -> None:
    with socket.create_connection(("127.0.0.1", hasty), timeout=10) as connection:
        for _ in range(3):
            for part in (b"GET /healthz HT", b"TP/1.1\r\nHost: ledger\r\n\r\n"):
                time.sleep(0.3)
                connection.sendall(part)
            answer = b""
            while not whole(answer):
                answer += connection.recv(65536)
            assert answer.startswith(b"HTTP/1.1 200 ")


@pytest.mark.parametrize("pieces", [1, 40])
def test_large_headers_are_refused_in_one_piece_and_in_many(port: int, pieces: int) -> None:
    sent = b"GET /healthz HTTP/1.1\r\nHost: ledger\r\nX-Zebra: " + b"z" * 20_000 + b"\r\n\r\n"
    size = -(-len(sent) // pieces)
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for at in range(0, len(sent), size):
                connection.sendall(sent[at : at + size])
                time.sleep(0.002)
        assert problem(until_closed(connection)) == "headers-too-large"


@pytest.mark.parametrize(
    ("version", "lines"),
    [
        ("1.1", ("Content-Length: 6", "Transfer-Encoding: chunked")),
        ("1.1", ("Transfer-Encoding: chunked", "Content-Length: 0")),
        ("1.0", ("Transfer-Encoding: chunked",)),
    ],
)
def test_a_body_with_two_ends_is_refused_and_nothing_behind_it_is_read(
    untouched: Api, port: int, version: str, lines: tuple[str, ...]
) -> None:
    """Else a proxy that believes the other end lets one request of somebody in as two."""
    asked = head(untouched.token("capture"), *lines).replace(b"HTTP/1.1", f"HTTP/{version}".encode())
    smuggled = b"GET /zebra HTTP/1.1\r\nHost: ledger\r\n\r\n"
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(asked + b"0\r\n\r\n" + smuggled)
        assert problem(until_closed(connection)) == "malformed-request"


def test_half_sent_requests_are_not_held_for_ever(untouched: Api, hasty: int) -> None:
    lines = [socket.create_connection(("127.0.0.1", hasty), timeout=10) for _ in range(400)]
    for line in lines:
        line.sendall(b"POST /v1/captures HTTP/1.1\r\nHost: le")
    assert {problem(until_closed(line)) for line in lines} == {"request-timeout"}
    for line in lines:
        line.close()


def test_what_is_asked_in_one_go_is_answered_in_turn(port: int) -> None:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(b"GET /healthz HTTP/1.1\r\nHost: ledger\r\n\r\n" * 3)
        answer = b""
        while answer.count(b'{"status":"ok"}') < 3:
            answer += connection.recv(65536)
        assert answer.count(b"HTTP/1.1 200 ") == 3
