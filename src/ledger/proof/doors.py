"""The canary sweep: marked values go in by every door, and then every byte is searched that was kept or printed.

A house of its own is lived in as it would be: a served process, commands, a program that uses the library; requests
that are accepted, refused and that crash. Its files, the database's and the write-ahead log among them, a dump,
the figures, and whatever a process printed must hold no mark but that of the answers.
"""

from __future__ import annotations

import json
import os
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType
from typing import Any

import httpx
from joserfc import jwt
from joserfc.jwk import ECKey

from ledger.db.outage import without
from ledger.db.remains import Remains
from ledger.embedded import EmbeddedServer
from ledger.proof import marked
from ledger.proof.canary import KEPT, Marks, search
from ledger.proof.report import Line, line
from ledger.service.deployment import DATABASE

_MAIN = "from ledger.cli import main; main()"
_PROVIDER = "https://login.example"
_START_S = 60.0
_END_S = 60.0

# One process for all of them, since most of what each would take is its start: a command, and what it printed, in turn.
_COMMANDS = """
import json, os, sys
from ledger.cli import main
codes, told = {}, os.fdopen(os.dup(1), "w")
for name, words in json.load(sys.stdin).items():
    with open(os.path.join("printed", name), "wb") as out:
        os.dup2(out.fileno(), 1)
        os.dup2(out.fileno(), 2)
    sys.argv = ["answer-ledger", *words]
    try:
        main()
        codes[name] = 0
    except SystemExit as end:
        codes[name] = end.code
    sys.stdout.flush()
    sys.stderr.flush()
json.dump(codes, told)
"""

_PROGRAM = """
import json, sys
from datetime import date
from ledger import Candidate, Ledger
told = json.load(sys.stdin)
with Ledger.open() as ledger:
    person = ledger.principal(told["principal"])
    def say(*spans, **more):
        return person.capture(told["message"], date.today(), [Candidate("library topic", s) for s in spans], asked=told["asked"], **more)
    say(told["span"], told["misquote"], avoid=[told["counterparty"]])
    person.plan(["library topic"]); person.recall(); person.coverage(["library topic"])
    person.reconfirm("library topic", told["message"], told["misquote"], date.today(), True)
    try:
        person.recall([told["misquote"] + "/"])
    except Exception as error:
        print(error)
    say(told["span"], avoid=[told["counterparty"]], lang=told["misquote"])
    person.plan([told["misquote"] + "/"])  # ends the program, with a traceback
"""


@dataclass(frozen=True, slots=True)
class House:
    """`more` goes into the environment of its processes."""

    folder: Path
    marks: Marks
    more: Mapping[str, str]

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def environment(self) -> dict[str, str]:
        own = {name: value for name, value in os.environ.items() if not name.startswith(("LEDGER_", "PG"))}
        return own | {
            "HOME": str(self.folder),
            "LEDGER_DATA_DIR": str(self.data),
            "LEDGER_JWKS_FILE": str(self.folder / "provider.json"),
            "LEDGER_JWKS_ISSUER": _PROVIDER,
            "LEDGER_SWEEP_EVERY_HOURS": "0",
            "PGAPPNAME": self.marks.of("application"),
            "TRACEPARENT": self.marks.of("environment"),
            **self.more,
        }

    @contextmanager
    def started(self, name: str, *words: str) -> Iterator[subprocess.Popen[bytes]]:
        """A process of the product; what it prints goes into a file of its name."""
        with (self.folder / "printed" / name).open("wb") as out:
            process = subprocess.Popen(
                [sys.executable, "-c", *words], env=self.environment, cwd=self.folder, stdin=subprocess.PIPE,
                stdout=out, stderr=subprocess.STDOUT,
            )  # fmt: skip
            try:
                yield process
            finally:
                if process.stdin is not None and not process.stdin.closed:
                    process.stdin.close()
                if process.poll() is None:
                    process.send_signal(signal.SIGTERM)
                process.wait(_END_S)

    def printed(self, name: str) -> str:
        return (self.folder / "printed" / name).read_text("utf-8", "replace")


def examine(more: Mapping[str, str] = MappingProxyType({}), *, by_http_alone: bool = False) -> Iterator[Line]:
    """Lives in the house, then searches it. `more` goes into the environment of every process."""
    with tempfile.TemporaryDirectory(prefix="ledger-doors-") as folder:
        house = House(Path(folder), Marks(f"qz{_letters()}"), more)
        (house.folder / "printed").mkdir()
        key = ECKey.generate_key("P-256", auto_kid=True)
        (house.folder / "provider.json").write_text(
            json.dumps({"keys": [key.as_dict(private=False)]}), "utf-8"
        )
        with house.started("serve", _MAIN, "serve", "--port", "0"):
            url = _served(house)
            requests = _over_http(house, url, key)
            if not by_http_alone:
                _by_commands(house)
                _by_the_library(house)
            figures = httpx.get(f"{url}/metrics").content
            dumped = _dump(house)
        yield from _searched(house, requests, {"the figures": figures, **dumped})


def _letters() -> str:
    """Of the kind that any label may hold, and no word does."""
    return "".join(secrets.choice("bcdfghjkmnpqrstvwxz") for _ in range(12))


def _searched(house: House, requests: int, texts: dict[str, bytes]) -> Iterator[Line]:
    contents = dict(texts)
    for path in [*house.data.rglob("*"), *(house.folder / "printed").iterdir()]:
        if path.is_file():
            contents[str(path.relative_to(house.folder))] = path.read_bytes()
    size = sum(map(len, contents.values()))
    hits = [hit for where, content in contents.items() for hit in search(house.marks.stem, where, content)]
    lost = [f"the mark of {hit.kind}, {hit.spelled}, in {hit.where}" for hit in hits if hit.kind != KEPT]
    kept = {hit.where.partition("/")[0] for hit in hits if hit.kind == KEPT}
    yield line(
        "what goes in beside the answers is kept nowhere and printed nowhere: thread, counterparty, the rest of a message, "
        "headers, unknown fields, claims, addresses, application_name",
        "G1 G8", lost, f"{requests} requests by HTTP, commands and the library; {len(contents)} files and texts, {size / 2**20:.0f} MB, searched",
    )  # fmt: skip
    awake = {"data", "a dump"} <= kept
    yield Line(
        "the same search finds the answers that are kept on purpose",
        "awake",
        awake,
        f"in {', '.join(sorted(kept))}",
    )


# ── HTTP ─────────────────────────────────────────────────────────────────────────────────────────


def _served(house: House) -> str:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        for told in house.printed("serve").splitlines():
            if told.startswith("serving at "):
                return told.split()[2].rstrip(",")
        time.sleep(0.05)
    raise AssertionError("the server did not start")


def _over_http(house: House, url: str, key: ECKey) -> int:
    of, kept = house.marks.of, f"I collect {house.marks.of(KEPT)} stamps"
    headers = {
        "User-Agent": of("agent"), "X-Forwarded-For": f"203.0.113.7, {of('forwarded')}", "Forwarded": f"for={of('forwarded')}",
        "Cookie": f"session={of('cookie')}", "Traceparent": f"00-{of('trace')}-01", "Tracestate": of("trace"),
        "Baggage": f"thread={of('thread')}", "Referer": f"https://chat.example/{of('thread')}", "X-Thread": of("thread"),
        "Idempotency-Key": of("header"), "X-Request-Id": of("header"), "Accept-Language": of("header"),
    }  # fmt: skip
    message = f"Hi {of('counterparty')}! {kept}. Now to {of('message')}, and to {of('thread')}."
    capture: dict[str, Any] = {
        "message": message, "said_on": datetime.now(UTC).date().isoformat(), "avoid": [of("counterparty")],
        "asked": f"What of {of('asked')}?", "candidates": [{"topic": "stamps", "span": kept}, {"topic": "stamps", "span": of("misquote")}],
    }  # fmt: skip
    sent = 0
    tokens = {
        scope: _token(house, key, scope) for scope in ("agent", "capture", "principal", "operator", "issuer")
    }
    with httpx.Client(base_url=url, headers=headers, timeout=30) as client:

        def send(
            method: str, path: str, body: Any = None, scope: str | None = "capture", **more: Any
        ) -> httpx.Response:
            nonlocal sent
            sent += 1
            content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
            bearer = {} if scope is None else {"Authorization": f"Bearer {tokens[scope]}"}
            given = {**bearer, "Content-Type": "application/json", **more}
            return client.request(method, path, content=content, headers=given)

        accepted = send("POST", "/v1/captures", capture).json()["outcomes"]
        if [one["accepted"] for one in accepted] != [True, False]:
            raise AssertionError("the capture of the canary sweep was judged otherwise than expected")
        send("POST", "/v1/plan", {"labels": ["stamps"]}, "agent")
        send("POST", "/v1/recall", {}, "agent")
        send("POST", "/v1/topics", {"label": "stamps", "avoid": [of("counterparty")], "new": True}, "agent")
        send("PUT", "/v1/me/consent", {"decision": "granted", "notice": "v1"}, "principal")
        send("GET", "/v1/me/export", None, "principal")
        send(
            "POST",
            "/v1/captures",
            {**capture, "candidates": [{"topic": "stamps", "span": f"{of('counterparty')}! {kept}"}]},
        )
        for one in marked.requests(of, datetime.now(UTC).date()):
            status = send(one.method, one.target, one.content, one.scope, **one.headers).status_code
            if status != one.status:
                raise AssertionError(f"{one.method} {one.path} of the canary sweep was answered {status}")
        # The owner's connection, and the server is joined, not started.
        with EmbeddedServer.open(house.data) as server:
            for function in ("capture", "recall"):
                with without(server.admin_conninfo(DATABASE), function):
                    path, scope = (
                        ("/v1/captures", "capture") if function == "capture" else ("/v1/recall", "agent")
                    )
                    body: dict[str, Any] = capture if function == "capture" else {}
                    status = send("POST", path, body, scope).status_code
                    if status != 500:
                        raise AssertionError(
                            f"a request that was made to crash did not: {function}, {status}"
                        )
    sent += _without_manners(url, house, json.dumps(capture).encode(), tokens["capture"])
    return sent


def _without_manners(url: str, house: House, body: bytes, token: str) -> int:
    """What no client sends: halves, and what is not HTTP."""
    of = house.marks.of
    host, port = url.removeprefix("http://").split(":")
    head = f"POST /v1/captures HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Type: application/json\r\n"
    raws = (
        f"{of('path')} {of('thread')}\r\n\r\n".encode(),
        f"GET /{of('path')} HTTP/9.9\r\n\r\n".encode(),
        f"GET / HTTP/1.1\r\nHost: {host}\r\n{of('header')} : {of('header')}\r\n\r\n".encode(),
        f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body[: len(body) // 2],
        f"{head}Transfer-Encoding: chunked\r\n\r\n{of('message')}\r\n{of('message')}".encode(),
        f"GET / HTTP/1.1\r\nHost: {host}\r\nX-Long: {of('header') * 9000}\r\n\r\n".encode(),
    )
    for raw in raws:
        with socket.create_connection((host, int(port)), timeout=5) as wire, suppress(OSError):
            wire.sendall(raw)
            wire.shutdown(socket.SHUT_WR)
            while wire.recv(65536):
                pass
    return len(raws)


def _token(house: House, key: ECKey, scope: str) -> str:
    """A token of the application's own provider, with claims that are nobody's business here."""
    of = house.marks.of
    claims = {
        "iss": _PROVIDER, "aud": "answer-ledger", "exp": int(time.time()) + 3000, "scope": scope, "sub": of("principal"),
        "thread": of("claim"), "counterparty": {"name": of("claim")}, "jti": of("claim"), "sid": of("claim"),
    }  # fmt: skip
    return jwt.encode({"alg": "ES256", "kid": key.kid}, claims, key)


# ── Commands, the library, a dump ────────────────────────────────────────────────────────────────


def _by_commands(house: House) -> None:
    of = house.marks.of
    chat = house.folder / "chat.jsonl"
    told = {
        "principal": of("principal"), "thread": of("thread"), "said_on": None, "question": of("asked"),
        "message": f"Hi {of('counterparty')}! I keep bees. {of('message')}", "answers": [{"topic": "bees", "span": "I keep bees"}],
    }  # fmt: skip
    chat.write_text(f"{json.dumps(told)}\n{{{of('field')}\n", "utf-8")
    commands = {
        "why": ("why", of("principal"), "stamps"),
        "export": ("export", of("principal")),
        "place": ("legal-hold", "place", of("principal")),
        "replay": ("replay", str(chat)),
        "token": ("token", "--scope", "agent", "--principal", of("principal")),
        "bad label": ("topics", "set", f"{of('misquote')}/", "--new"),
        "lift": ("legal-hold", "lift", of("principal")),
    }
    with house.started("commands", _COMMANDS) as process:
        process.communicate(json.dumps(commands).encode(), _END_S)
    codes = json.loads(house.printed("commands") or "{}")
    for name in commands:
        failed = name not in codes or (codes[name] == 2 and name != "bad label")
        if failed or "Traceback" in house.printed(name):
            raise AssertionError(f"the command {name} of the canary sweep failed")
    chat.unlink()


def _by_the_library(house: House) -> None:
    of = house.marks.of
    told = {
        "principal": of("principal"), "counterparty": of("counterparty"), "asked": of("asked"), "misquote": of("misquote"),
        "span": f"I paint {of(KEPT)} miniatures", "message": f"Hi {of('counterparty')}! I paint {of(KEPT)} miniatures. {of('message')}",
    }  # fmt: skip
    with house.started("library", _PROGRAM) as process:
        process.communicate(json.dumps(told).encode(), _END_S)
    if "Traceback" not in house.printed("library") or process.returncode != 1:
        raise AssertionError("the program of the canary sweep did not end as it should")


def _dump(house: House) -> dict[str, bytes]:
    """The write-ahead log as it was kept; then, after a checkpoint, every row of every table, as a superuser reads
    them."""
    with EmbeddedServer.open(house.data) as server, Remains(server.admin_conninfo(DATABASE)) as remains:
        log = remains.write_ahead_log().content
        remains.checkpoint()
        dump = "\n".join(text for table in remains.tables() for text in remains.texts(table))
        return {"the write-ahead log": log, "a dump": dump.encode()}
