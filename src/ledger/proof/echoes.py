"""No echo: whether it is refused, accepted or crashes, a request comes back in no reply and in no log.

Every route of the application is walked, with a mark in every part that it takes.
"""

from __future__ import annotations

from collections.abc import Iterator

import httpx

from ledger.db.outage import without
from ledger.proof.canary import Marks
from ledger.proof.histories import FIRST_DAY
from ledger.proof.marked import Request, capture, requests, unmarked
from ledger.proof.report import Line, line
from ledger.proof.routes import ANY, Route, routes_of
from ledger.proof.stage import Place

MARKS = Marks("zqcanary")
HEADERS = {
    "User-Agent": MARKS.of("agent"), "X-Forwarded-For": MARKS.of("forwarded"), "Cookie": f"session={MARKS.of('cookie')}",
    "Traceparent": MARKS.of("trace"), "X-Request-Id": MARKS.of("header"),
}  # fmt: skip
OF_A_PRINCIPAL = ("agent", "capture", "principal")


def examine(place: Place) -> Iterator[Line]:
    place.clock.set(FIRST_DAY)
    routes = routes_of(place.app)
    sent = list(requests(MARKS.of, FIRST_DAY))
    yield line(
        "every route of the application gets a marked request, with a mark in each part that it takes",
        "G8",
        list(unmarked(routes, sent, MARKS.stem)),
        f"{len(routes)} routes, {sum(len(route.parts) for route in routes)} parts",
    )
    wrong = [told for request in sent for told in _answered(place, request)]
    for route in routes:
        method = "POST" if route.method == ANY else route.method
        stranger = {**HEADERS, "Authorization": f"Bearer {MARKS.of('claim')}"}
        reply = place.call(method, _filled(route), headers=stranger)
        wrong += _judged(f"a stranger's {route}", reply)
    crashes = list(_crashes())
    for function, request in crashes:
        with without(place.installer, function):
            wrong += _answered(place, request)
    wrong += _told(place)
    refused = sum(request.status >= 400 for request in sent)
    yield line(
        "no reply, no log line and no figure repeats what was sent",
        "G8",
        wrong,
        f"{refused} requests were refused, {len(sent) - refused} accepted, {len(routes)} came with a wrong token, {len(crashes)} crashed",
    )


def _answered(place: Place, request: Request) -> Iterator[str]:
    """Sends a request, and judges its answer."""
    reply = place.call(
        request.method, request.target, raw=request.content, scope=request.scope,
        who=MARKS.of("principal") if request.scope in OF_A_PRINCIPAL else None, headers={**HEADERS, **request.headers},
    )  # fmt: skip
    name = f"{request.method} {request.target.replace(MARKS.stem, '...')}"
    if reply.status_code != request.status:
        yield f"{name} was answered {reply.status_code}, and not {request.status}"
    yield from _judged(name, reply)


def _judged(name: str, reply: httpx.Response) -> Iterator[str]:
    if MARKS.stem in (reply.text + str(reply.headers)).lower():
        yield f"{name} repeats what was sent, in a {reply.status_code}"


def _filled(route: Route) -> str:
    """A path of a route, with a mark for each of its parameters."""
    path = route.path
    for part in route.parts:
        kind, _, name = part.partition(" ")
        if kind == "path":
            path = path.replace(f"{{{name}}}", MARKS.of("path")).replace(f"{{{name}:path}}", MARKS.of("path"))
    return path


def _crashes() -> Iterator[tuple[str, Request]]:
    """Requests that crash, each for want of a function of ours."""
    topics = {"topics": [MARKS.of("misquote")]}
    yield "capture", Request("POST", "/v1/captures", "capture", 500, capture(MARKS.of, FIRST_DAY))
    yield "recall", Request("POST", "/v1/recall", "agent", 500, topics)
    yield "own_entries", Request("GET", "/v1/me/entries", "principal", 500)


def _told(place: Place) -> Iterator[str]:
    for name, lines in (
        ("our log", place.logged()), ("what was printed", place.printed.getvalue().splitlines()),
        ("the server's log", place.server_logged()), ("/metrics", place.figures().splitlines()),
    ):  # fmt: skip
        if any(MARKS.stem in one.lower() for one in lines):
            yield f"{name} repeats what was sent"
