"""Nothing of a request outlives it in the process: no name, message, span, label, reply or token is in any live object."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from joserfc import jws
from joserfc.jwk import ECKey

from ledger.db.outage import without

ROOT = Path(__file__).resolve().parents[2]
PROVIDER = "https://login.example"
STEM = "qzebraq"
# One character as people see it, its marks out of order: for whatever works character by character.
CLUSTER = "q\u031b\u0322\u0337"
MARKS = [STEM[::-1], CLUSTER[::-1]]
CALLS = 1000


class Host:
    """The process, its identity provider, and a client whose connection stays open."""

    def __init__(self, process: subprocess.Popen[str], key: ECKey) -> None:
        self._process = process
        self._key = key
        self.client = httpx.Client(base_url=f"http://127.0.0.1:{self._answer()}", timeout=30)
        self.calls = 0

    def ask(self, **what: Any) -> Any:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline())

    def token(self, scope: str, mark: str) -> str:
        claims = {"iss": PROVIDER, "aud": "answer-ledger", "exp": 4_000_000_000, "scope": scope,
                  "sub": f"{mark}person", "jti": f"{mark}jti", "name": f"{mark}name"}  # fmt: skip
        head = {"alg": "ES256", "kid": self._key.kid, "thread": f"{mark}thread"}
        registry = jws.JWSRegistry(algorithms=["ES256"], strict_check_header=False)
        return jws.serialize_compact(head, json.dumps(claims), self._key, registry=registry)

    def call(
        self, method: str, path: str, mark: str, *, scope: str | None, body: Any = None
    ) -> httpx.Response:
        headers = {"User-Agent": f"{mark}agent", "X-Thread": f"{mark}thread", "Cookie": f"session={mark}"}
        if scope is not None:
            headers["Authorization"] = f"Bearer {self.token(scope, mark)}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        content = body if isinstance(body, bytes | None) else json.dumps(body).encode()
        self.calls += 1
        return self.client.request(method, path, content=content, headers=headers)


@pytest.fixture
def host(database: Any, tmp_path: Path) -> Iterator[Host]:
    database.installer.execute(
        "insert into ledger.topic (key, question, handling, listed) values ('stamps', 'Do you collect stamps?', 'open', true)"
    )
    key = ECKey.generate_key("P-256", auto_kid=True)
    (tmp_path / "provider.json").write_text(json.dumps({"keys": [key.as_dict(private=False)]}))
    (tmp_path / "avoid.txt").write_text("Acme Holding\n")
    own = {name: value for name, value in os.environ.items() if not name.startswith(("LEDGER_", "PG"))}
    database.passwords.keep(tmp_path / "data")
    settings = {
        "LEDGER_DATABASE_URL": database.url,
        "LEDGER_DATA_DIR": str(tmp_path / "data"),
        "LEDGER_TAKEN_DIR": str(tmp_path / "taken"),
        "LEDGER_JWKS_FILE": str(tmp_path / "provider.json"),
        "LEDGER_JWKS_ISSUER": PROVIDER,
        "LEDGER_AVOID_FILE": str(tmp_path / "avoid.txt"),
        "LEDGER_SWEEP_EVERY_HOURS": "0",
    }
    words = [sys.executable, "-m", "tests.memory.host"]
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, cwd=ROOT, env=own | settings, **pipes) as process:
        made = Host(process, key)
        yield made
        made.client.close()


def live(host: Host, n: int) -> None:
    """Requests that are accepted, refused and not understood, with marks wherever a caller can put one."""
    mark = f"{STEM}{n}"
    message = f"Hi {mark}name, of {mark} Ltd! I collect {mark} stamps. Not {mark} caf\u0065\u0301, \u738b{mark} {CLUSTER}."
    capture: dict[str, Any] = {
        "message": message,
        "said_on": "2026-01-01",
        "avoid": [f"{mark}name", f"{mark} Ltd", f"\u738b{mark}", f"{mark}\u0065\u0301"],
        "asked": f"What of {mark}?",
        "candidates": [
            {"topic": "stamps", "span": f"I collect {mark} stamps"},
            {"topic": f"about {mark}", "span": f"i collect  {mark} stamps"},
            {"topic": "stamps", "span": f"{mark} cafe\u0301"},
            {"topic": "stamps", "span": f"Hi {mark}name, of {mark} Ltd!"},
            {"topic": f"{mark}@{mark}.org", "span": "Hi"},
        ],
    }
    decision = {"decision": "granted", "notice": "v1"}
    assert host.call("PUT", "/v1/me/consent", mark, scope="principal", body=decision).status_code == 200
    assert host.call("POST", "/v1/captures", mark, scope="capture", body=capture).status_code == 200
    again = host.call("POST", "/v1/recall", mark, scope="agent", body={"topics": ["stamps", f"about {mark}"]})
    assert again.text.count(mark) > 2  # a reply that is to be forgotten
    own = host.call("GET", "/v1/me/entries", mark, scope="principal").json()["items"]
    for method, path, scope, body in (
        ("POST", "/v1/topics", "agent", {"label": f"about {mark}", "avoid": [f"{mark} name"]}),
        ("POST", "/v1/topics", "agent", {"label": f"stampz {mark}", "avoid": [mark]}),
        ("POST", "/v1/plan", "agent", {"labels": [f"about {mark}", f"stampsof {mark}"]}),
        ("POST", "/v1/plan", "agent", {"labels": [f"{mark}\n"]}),
        ("GET", f"/v1/topics?cursor={mark}", "agent", None),
        ("PUT", f"/v1/me/entries/{own[0]['id']}", "principal", {"answer": f"I sell {mark} stamps"}),
        ("PUT", f"/v1/me/entries/{mark}", "principal", {"answer": f"I sell {mark} stamps"}),
        ("GET", "/v1/me/export", "principal", None),
        ("POST", "/v1/captures", "capture", {**capture, "lang": f"zz-{mark}"}),
        ("POST", "/v1/captures", "capture", {**capture, "said_on": f"{mark}"}),
        ("POST", "/v1/captures", "capture", {mark: mark}),
        ("POST", "/v1/captures", "capture", b'{"message": "' + mark.encode()),
        ("POST", "/v1/captures", "capture", b'{"a": "' + mark.encode() * 9000 + b'"}'),
        ("POST", "/v1/captures", "agent", capture),
        ("POST", "/v1/captures", None, capture),
        ("POST", "/v1/reconfirmations", "capture", {"topic": "stamps", "message": message, "span": message, "said_on": "2026-01-01", "still_true": True, "avoid": [f"{mark} Ltd"]}),
        ("GET", f"/{mark}?{mark}={mark}", None, None),
        ("DELETE", f"/v1/recall?{mark}", "agent", None),
        ("PATCH", f"/v1/operator/topics/{mark}", "operator", {"question": f"What of {mark}?"}),
        ("PUT", f"/v1/operator/topics/{mark}/aliases/{mark}", "operator", None),
        ("PUT", "/v1/operator/legal-holds", "operator", {"principal": f"{mark}else"}),
        ("POST", "/v1/tokens", "issuer", {"principal": mark, "scope": ["agent"]}),
        ("POST", "/v1/tokens", "issuer", {"principal": mark, "scope": [mark]}),
    ):  # fmt: skip
        host.call(method, path, mark, scope=scope, body=body)
    host.client.get("/v1/topics", headers={"Authorization": f"Bearer {mark}.{mark}.{mark}"})


def test_after_a_thousand_calls_no_live_object_holds_anything_of_them(host: Host, database: Any) -> None:
    n = 0
    while host.calls < CALLS:
        live(host, n)
        n += 1
    for function, path, scope, body in (
        ("capture", "/v1/captures", "capture", {"message": f"I am {STEM}", "said_on": "2026-01-01", "candidates": [{"topic": "stamps", "span": f"I am {STEM}"}]}),
        ("recall", "/v1/recall", "agent", {"topics": [STEM]}),
    ):  # fmt: skip
        with without(database.conninfo, function):
            assert host.call("POST", path, STEM, scope=scope, body=body).status_code == 500
    assert host.ask(library=STEM[::-1], calls=20) == 200
    assert host.ask(search=MARKS) == []  # the connection is still open: it holds nothing of its last request
    host.ask(plant=f"{STEM}kept"[::-1])
    (found,) = host.ask(search=MARKS)
    assert found == "str < list < dict < the module __main__"


# ── The search finds what is there ───────────────────────────────────────────────────────────────


def test_the_search_finds_what_is_held_and_nothing_that_was_let_go() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.memory.plants"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    told = json.loads(done.stdout)
    # this module keeps a part of what it compiled, whatever is purged: no pattern is made of what a caller sent
    assert told.pop("another pattern") == [True, True]
    assert told == {place: [True, False] for place in told}
    assert len(told) > 20
