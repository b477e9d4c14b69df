"""The real application on a database of its own, called as its callers would."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import httpx

from ledger.api.app import create_app
from ledger.core.model import Tier
from ledger.service import credentials
from ledger.service.deployment import Deployment
from ledger.tokens import Scope

SCOPES_OF_A_PRINCIPAL = {"agent", "capture", "principal", "agent capture"}
JSON = {"Content-Type": "application/json"}


@dataclass
class Api:
    """`as_` is the scope of the token that a call comes with (None: no token), `who` its principal."""

    deployment: Deployment
    database: Any
    runner: asyncio.Runner = field(default_factory=asyncio.Runner)

    def __post_init__(self) -> None:
        self.app = create_app(self.deployment)
        transport = httpx.ASGITransport(self.app, raise_app_exceptions=True)
        self.client = httpx.AsyncClient(transport=transport, base_url="http://ledger")

    def token(self, scope: str, who: str = "alex", **narrowed: Any) -> str:
        principal = (
            self.deployment.context.identity.principal(who) if scope in SCOPES_OF_A_PRINCIPAL else None
        )
        scopes = [Scope(word) for word in scope.split()]
        if "max_tier" in narrowed:
            narrowed["max_tier"] = Tier(narrowed["max_tier"])
        if scope == "issuer":
            narrowed["credential"] = self.run(credentials.register(narrowed.get("ttl", 3600)))
        token: str = self.app.state.tokens.issue(scopes, principal=principal, **narrowed).token
        return token

    def call(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        as_: str | None = None,
        who: str = "alex",
        raw: bytes | None = None,
        headers: Iterable[tuple[str, str]] = (),
        **narrowed: Any,
    ) -> httpx.Response:
        sent = list(headers)
        if as_ is not None:
            sent.append(("Authorization", f"Bearer {self.token(as_, who, **narrowed)}"))
        content = raw if raw is not None else json.dumps(body).encode() if body is not None else None
        if content is not None and not any(name.lower() == "content-type" for name, _ in sent):
            sent += JSON.items()
        return self.runner.run(self.client.request(method, path, content=content, headers=sent))

    def run(self, use_case: Any) -> Any:
        """What the application does by itself, such as its daily sweep."""
        return self.runner.run(self.app.state.ledger.run(use_case))

    # The calls that most tests make.

    def capture(self, topic: str, message: str, said_on: str = "2026-08-20", **more: Any) -> dict[str, Any]:
        who = more.pop("who", "alex")
        body = {
            "message": message,
            "said_on": said_on,
            "candidates": [{"topic": topic, "span": message}],
            **more,
        }
        answer = self.call("POST", "/v1/captures", body, as_="capture", who=who)
        assert answer.status_code == 200, answer.text
        outcome: dict[str, Any] = answer.json()["outcomes"][0]
        return outcome

    def recall(self, who: str = "alex", **body: Any) -> dict[str, Any]:
        answer = self.call("POST", "/v1/recall", body, as_="agent", who=who)
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def decide(self, decision: str, who: str = "alex") -> None:
        body = {"decision": decision, "notice": "v1"}
        assert self.call("PUT", "/v1/me/consent", body, as_="principal", who=who).status_code == 200

    def entries(self, who: str = "alex") -> list[dict[str, Any]]:
        items: list[dict[str, Any]] = self.call("GET", "/v1/me/entries", as_="principal", who=who).json()[
            "items"
        ]
        return items

    def list_topic(self, key: str, handling: str = "open", question: str | None = None) -> None:
        self.database.installer.execute(
            "insert into ledger.topic (key, question, handling, listed) values (%s, %s, %s, true)",
            (key, question, handling),
        )

    def close(self) -> None:
        self.runner.run(self.client.aclose())
        self.runner.run(self.app.state.ledger.close())
        self.runner.close()
