"""Requests with a marked value in each part that a route takes, and what each must be answered.

**A route that is added wants a line here**, with a mark in every part: `prove` fails without it.
An accepted request bears no mark in a part that its answer gives back by contract.

Source: DESIGN sections 3 (G8) and 8.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from types import MappingProxyType
from typing import Any
from urllib.parse import parse_qsl, unquote

from ledger.proof.routes import Route, reached

Mark = Callable[[str], str]
"""The marked value of a kind (`canary.KINDS`)."""


@dataclass(frozen=True, slots=True)
class Request:
    """One request. `target` is a path with its query. Without a scope it comes without a token."""

    method: str
    target: str
    scope: str | None
    status: int
    body: Any = None
    headers: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))

    @property
    def path(self) -> str:
        return unquote(self.target.partition("?")[0])

    @property
    def content(self) -> bytes | None:
        if self.body is None or isinstance(self.body, bytes):
            return self.body
        return json.dumps(self.body).encode()

    def marked(self, route: Route, stem: str) -> Iterator[str]:
        """The parts of its route in which a mark stands."""
        parts = [(f"path {name}", value) for name, value in (route.named(self.path) or {}).items()]
        parts += [(f"query {name}", value) for name, value in parse_qsl(self.target.partition("?")[2])]
        parts += [(f"header {name}", value) for name, value in self.headers.items()]
        if not isinstance(self.body, bytes):
            parts += [(f"body {name}", value) for name, value in _leaves(self.body)]
        return (part for part, value in parts if stem in value)


def unmarked(routes: Iterable[Route], requests: Iterable[Request], stem: str) -> Iterator[str]:
    """Routes that no marked request comes to, and parts of routes in which no mark stands."""
    routes = list(routes)
    seen: dict[Route, set[str]] = {}
    for request in requests:
        route = reached(routes, request.method, request.path)
        if route is not None and stem in f"{request.target} {request.content!r} {request.headers}":
            seen.setdefault(route, set()).update(request.marked(route, stem))
    for route in routes:
        if route not in seen:
            yield f"{route} has no marked request"
        else:
            yield from (f"{route} has no mark in its {part}" for part in sorted(route.parts - seen[route]))


def _leaves(value: Any, name: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for key, inside in value.items():
            yield from _leaves(inside, f"{name}.{key}".lstrip("."))
    elif isinstance(value, list):
        for inside in value:
            yield from _leaves(inside, name)
    else:
        yield name, str(value)


def capture(of: Mark, day: date, **other: Any) -> dict[str, Any]:
    """The body of a capture that is well formed, marked in every part; `other` are fields put in place."""
    said = f"I collect {of('message')}"
    return {
        "message": f"Well, {of('counterparty')}, {said}.", "said_on": day.isoformat(), "avoid": [of("counterparty")],
        "asked": f"What of {of('asked')}?", "candidates": [{"topic": f"about {of('misquote')}", "span": said}], **other,
    }  # fmt: skip


def requests(of: Mark, day: date) -> Iterator[Request]:
    """Of every route at least one, on a ledger on which it is this day."""
    yield from _of_agents(of)
    yield from _of_captures(of, day)
    yield from _of_principals(of)
    yield from _of_operators(of)
    yield from _of_nobody(of)


def _of_agents(of: Mark) -> Iterator[Request]:
    bad, query = f"{of('misquote')}/", of("query")
    yield Request("GET", f"/v1/topics?cursor={query}", "agent", 422)
    yield Request("GET", f"/v1/topics?limit={query}", "agent", 422)
    yield Request("POST", "/v1/topics", "agent", 422, {"label": bad, "avoid": [of("counterparty")]})
    yield Request("POST", "/v1/topics", "agent", 422, {"label": f"about {of('counterparty')}", "avoid": [of("counterparty")]})  # fmt: skip
    yield Request("POST", "/v1/topics", "agent", 422, {"label": "stamps", "new": of("field")})
    yield Request("POST", "/v1/topics", "agent", 200, {"label": "stamps", "avoid": [of("counterparty")], "new": True})  # fmt: skip
    yield Request("POST", "/v1/plan", "agent", 422, {"labels": [f"{of('misquote')}\n"]})
    yield Request("POST", "/v1/coverage", "agent", 422, {"topics": [bad]})
    yield Request("POST", "/v1/coverage", "agent", 200, {"topics": [of("misquote")]})
    yield Request("POST", "/v1/recall", "agent", 422, {"topics": [bad], "limit": of("field")})
    yield Request("POST", "/v1/recall", "agent", 200, {"topics": [of("misquote")]})
    yield Request("DELETE", "/v1/recall", "agent", 405, {of("field"): of("field")})


def _of_captures(of: Mark, day: date) -> Iterator[Request]:
    def captured(**other: Any) -> dict[str, Any]:
        return capture(of, day, **other)

    for status, other in (
        (422, {of("field"): 1}), (422, {"said_on": of("field")}), (422, {"avoid": of("counterparty")}),
        (422, {"avoid": [[of("counterparty")]]}), (422, {"message": [of("message")]}), (422, {"lang": of("field") * 9}),
        (422, {"candidates": [{"topic": "kids", "span": "x", of("field"): of("field")}]}),
        (422, {"candidates": of("misquote")}), (422, {"candidates": [{"topic": of("misquote")}] * 33}),
        (422, {"said_on": (day + timedelta(days=2)).isoformat()}), (422, {"thread": of("thread")}),
        (413, {"message": f"{of('message')} " * 5000}),
    ):  # fmt: skip
        yield Request("POST", "/v1/captures", "capture", status, captured(**other))
    mark = of("message")
    for raw in (
        f'{{"message": "{mark}"'.encode(), f'{{"message": NaN, "{mark}": 1}}'.encode(), mark.encode(),
        f'{{"message": "\\ud800{mark}"}}'.encode(), f'{{"{mark}": 1, "{mark}": 2}}'.encode(),
        (json.dumps(captured()) + mark).encode(), b"\xff" + mark.encode(), b"[" * 3000 + mark.encode(),
    ):  # fmt: skip
        yield Request("POST", "/v1/captures", "capture", 400, raw)
    yield Request("POST", "/v1/captures", "capture", 415, captured(), {"Content-Type": f"text/{of('header')}"})  # fmt: skip
    yield Request("POST", "/v1/captures", None, 401, captured())
    yield Request("POST", "/v1/captures", None, 401, captured(), {"Authorization": f"Bearer {of('claim')}"})
    yield Request("POST", "/v1/captures", "agent", 403, captured())
    yield Request("POST", f"/v1/captures?{of('query')}={of('query')}", "capture", 422, captured())
    asked = {"topic": f"{of('misquote')}/{of('misquote')}", "message": of("message"), "span": of("message"), "avoid": [of("counterparty")]}  # fmt: skip
    yield Request("POST", "/v1/reconfirmations", "capture", 422, {**asked, "said_on": day.isoformat(), "still_true": True})  # fmt: skip
    yield Request("POST", "/v1/reconfirmations", "capture", 422, {**asked, "said_on": of("field"), "still_true": of("field")})  # fmt: skip


def _of_principals(of: Mark) -> Iterator[Request]:
    mine, query = f"/v1/me/entries/{of('path')}", f"?{of('query')}={of('query')}"
    for method, path in (
        ("GET", "/v1/me/entries"), ("GET", "/v1/me/consent"), ("GET", "/v1/me/consent/receipts"), ("GET", "/v1/me/export"),
        ("PUT", "/v1/me/objection"), ("DELETE", "/v1/me/objection"), ("DELETE", "/v1/me"), ("GET", "/v1/me/withheld"),
    ):  # fmt: skip
        yield Request(method, path + query, "principal", 422)
    yield Request("GET", "/v1/me/export", "principal", 422, {of("field"): of("field")})
    yield Request("PUT", mine, "principal", 404, {"answer": f"mail me at {of('field')}@{of('field')}.org"})
    yield Request("DELETE", mine, "principal", 404)
    yield Request("POST", f"{mine}/decision", "principal", 422, {"keep": of("field")})
    yield Request("PUT", f"{mine}/withheld", "principal", 404)
    yield Request("DELETE", f"{mine}/withheld", "principal", 404)
    yield Request("PUT", "/v1/me/consent", "principal", 422, {"decision": of("field"), "notice": of("field")})
    yield Request("POST", "/v1/me/withheld", "principal", 422, {"topic": f"{of('field')}/"})
    yield Request("DELETE", f"/v1/me/withheld/{of('path')}", "principal", 404)
    granted, seen = {"decision": "granted", "notice": "v1"}, {"If-Match": of("header")}
    yield Request("PUT", "/v1/me/consent", "principal", 412, granted, seen)
    yield Request("PUT", "/v1/me/consent", "principal", 422, {"decision": "granted", "notice": f"{of('field')}\n"})  # fmt: skip


def _of_operators(of: Mark) -> Iterator[Request]:
    mark, topics = of("field"), "/v1/operator/topics"
    one, dry, seen = f"{topics}/{of('path')}", f"?dry_run={of('query')}", {"If-Match": of("header")}
    change = dict.fromkeys(("question", "handling", "authority", "reconfirm_after", "drop_after", "listed", "preview"), mark)  # fmt: skip
    asked = "&".join(f"{name}={of('query')}" for name in ("cursor", "limit", "q", "only"))
    yield Request("GET", f"{topics}?{asked}", "operator", 422)
    yield Request("GET", f"{topics}?{of('query')}={of('query')}", "operator", 422)
    created = {**change, "label": f"{mark}/"}
    yield Request("POST", topics, "operator", 422, created)
    yield Request("PATCH", one + dry, "operator", 422, change, seen)
    yield Request("PATCH", one, "operator", 404, {"question": f"Is it {mark}?", "listed": True}, seen)
    yield Request("POST", f"{one}/merge{dry}", "operator", 422, {"into": f"{mark}/", "preview": mark}, seen)
    yield Request("POST", f"{topics}/kids/merge", "operator", 404, {"into": mark})
    yield Request("PUT", f"{topics}/kids/aliases/{of('path')}%0A", "operator", 422)
    yield Request("PUT", f"{one}/aliases/{of('path')}", "operator", 404)
    yield Request("DELETE", f"{one}/aliases/{of('path')}", "operator", 404)
    yield Request("GET", f"/v1/operator/windows?{of('query')}=1", "operator", 422)
    windows = {"reconfirm_after": mark, "drop_after": mark, "preview": mark}
    yield Request("PATCH", f"/v1/operator/windows{dry}", "operator", 422, windows, seen)
    yield Request("PUT", "/v1/operator/legal-holds", "operator", 422, {"principal": " ", mark: 1})
    yield Request("PUT", "/v1/operator/legal-holds", "operator", 204, {"principal": of("principal")})
    yield Request("DELETE", "/v1/operator/legal-holds", "operator", 204, {"principal": of("principal")})
    yield Request("POST", "/v1/operator/sweep", "operator", 422, {"dry_run": mark})
    token = {"principal": of("principal"), "scope": [mark], "ttl_s": mark, "max_tier": mark, "topics": [f"{mark}/"]}  # fmt: skip
    yield Request("POST", "/v1/tokens", "issuer", 422, token)
    yield Request("POST", "/v1/tokens", "issuer", 200, {"principal": of("principal"), "scope": ["agent"]})


def _of_nobody(of: Mark) -> Iterator[Request]:
    for path in (
        "/healthz", "/readyz", "/metrics", "/openapi.json", "/docs", "/docs/start.js", "/docs/swagger-ui-bundle.js",
        "/docs/swagger-ui.css",
    ):  # fmt: skip
        yield Request("GET", f"{path}?{of('query')}={of('query')}", None, 200)
    for path in ("/healthz", "/readyz"):
        yield Request("HEAD", f"{path}?{of('query')}={of('query')}", None, 200)
    yield Request("GET", f"/{of('path')}", None, 404)
    yield Request("TRACE", f"/v1/captures/{of('path')}", None, 404)
