"""No agent tells a revoked principal, an objecting one, an erased one or one of sealed topics from one of whom nothing is known."""

from __future__ import annotations

import http.client
import threading
import time
from collections.abc import Iterator

import pytest
from api.world import Api
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from twins import LISTED, UNLISTED, Request, Store, coinings, readings

from ledger.api.serving import Server, listen

SAID = "2026-08-20"
UNDECIDED_OPEN = "undecided"  # for comparison: his open topics show
HIDDEN = [
    "unknown",
    "revoked",
    "objecting",
    "erased",
    "erasing",
    "sealed",
    "stale",
    "withholding",
    "refusing",
]

narrowings = st.sampled_from(
    [{}, {}, {"max_tier": "topics"}, {"max_tier": "none"}, {"topics": ["kids", "hobby"]}]
)


def fill(api: Api) -> None:
    """Everybody but the unknown one has had something on every topic."""
    store = Store(api)
    for key in UNLISTED:
        store.coin(key, "sealed", None, None)
    for name in [*HIDDEN[1:], UNDECIDED_OPEN, "granting"]:
        for key in [*LISTED, *UNLISTED]:
            if name != "sealed" or LISTED.get(key, ("sealed",))[0] != "open":
                store.keep("entry", name, key, f"what {name} said on {key}", 600 if name == "stale" else 12)
    for name in ("objecting", "erased", "granting", "withholding", "erasing"):
        store.decide(name, "granted")
    store.decide("revoked", "revoked")
    store.object_("objecting", True)
    store.object_("refusing", True)
    store.hold("erasing", True)
    store.withhold("withholding", {*LISTED, *UNLISTED})
    assert api.call("DELETE", "/v1/me", as_="principal", who="erased").json()["entries"] == len(LISTED) + len(
        UNLISTED
    )


@pytest.fixture(scope="module")
def filled(twins: tuple[Api, Api]) -> Api:
    fill(twins[0])
    return twins[0]


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(request=readings | coinings, narrowed=narrowings)
def test_their_replies_are_the_same_bytes(filled: Api, request: Request, narrowed: dict[str, str]) -> None:
    replies = [request.put(filled, filled.token("agent", name, **narrowed)) for name in HIDDEN]
    assert [HIDDEN[n] for n, one in enumerate(replies) if one != replies[0]] == []
    assert b"tier" not in replies[0][2]


@pytest.mark.parametrize("path", ["/v1/plan", "/v1/coverage", "/v1/recall"])
def test_one_who_granted_or_is_undecided_is_told_from_them(filled: Api, path: str) -> None:
    """Else the sameness above would be that of replies that say nothing of anybody."""
    body = {"labels": ["kids"]} if path == "/v1/plan" else {"topics": ["kids"]}
    request = Request("POST", path, body)
    unknown, granting, undecided = (
        request.put(filled, filled.token("agent", name)) for name in ("unknown", "granting", UNDECIDED_OPEN)
    )
    assert granting != unknown
    assert (undecided != unknown) == (path != "/v1/recall")


def test_revoking_takes_away_what_the_next_read_would_have_told(lone: Api) -> None:
    request = Request("POST", "/v1/recall", {})
    before = request.put(lone, lone.token("agent", "ann"))
    lone.capture("kids", "I want two kids", who="ann")
    lone.decide("granted", who="ann")
    assert request.put(lone, lone.token("agent", "ann")) != before
    lone.decide("revoked", who="ann")
    assert request.put(lone, lone.token("agent", "ann")) == before


def test_reading_and_being_refused_leave_the_replies_the_same(filled: Api) -> None:
    """Nothing is counted per principal: the hundredth reply is the first."""
    token = filled.token("agent", "revoked")
    request = Request("POST", "/v1/plan", {"labels": ["kids", "hobby"]})
    replies = {repr(request.put(filled, token)) for _ in range(50)}
    assert len(replies) == 1


# ── Over a real socket, where the server adds headers of its own ─────────────────────────────────


@pytest.fixture(scope="module")
def port(filled: Api) -> Iterator[int]:
    listening = listen("127.0.0.1", 0)
    server = Server(filled.app, filled.deployment.settings, lifespan="off")
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    while not server.started:
        time.sleep(0.01)
    yield int(listening.getsockname()[1])
    server.should_exit = True
    thread.join()
    listening.close()


def test_so_it_is_on_the_wire_but_for_the_date(filled: Api, port: int) -> None:
    import json

    calls = [
        ("POST", "/v1/plan", {"labels": ["kids", "hobby", "shoe size"]}), ("POST", "/v1/coverage", {}),
        ("POST", "/v1/recall", {}), ("GET", "/v1/topics", None), ("POST", "/v1/topics", {"label": "hobby", "avoid": []}),
        ("POST", "/v1/topics", {"label": "kidss", "avoid": []}), ("POST", "/v1/recall", {"limit": 99}),
        ("PUT", "/v1/me/consent", {"decision": "granted", "notice": "v1"}),
    ]  # fmt: skip
    for method, path, body in calls:
        seen = set()
        for name in HIDDEN:
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
            headers = {
                "Authorization": f"Bearer {filled.token('agent', name)}",
                "Content-Type": "application/json",
            }
            connection.request(method, path, None if body is None else json.dumps(body), headers)
            answer = connection.getresponse()
            head = tuple((key, value) for key, value in answer.getheaders() if key.lower() != "date")
            seen.add((answer.status, answer.reason, head, answer.read()))
            connection.close()
        assert len(seen) == 1, (method, path)
