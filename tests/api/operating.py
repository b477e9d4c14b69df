"""What an operator does in a test: a call, a step that is run dry first; and a snapshot to go by."""

from __future__ import annotations

from datetime import date
from typing import Any

from .world import Api

TOPICS = "/v1/operator/topics"
WINDOWS = "/v1/operator/windows"
SWEEP = "/v1/operator/sweep"


def operate(api: Api, method: str, path: str, body: Any = None, *, status: int = 200, **sent: Any) -> Any:
    response = api.call(method, path, body, as_="operator", **sent)
    assert response.status_code == status, response.text
    return response.json() if response.content else None


def topic(api: Api, key: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in operate(api, "GET", TOPICS)["items"] if one["key"] == key)
    return found


def step(api: Api, method: str, path: str, body: dict[str, Any], etag: str) -> Any:
    """Runs a step dry, and then as it was shown."""
    preview = operate(api, method, f"{path}?dry_run=true", body)["preview"]
    return operate(api, method, path, {**body, "preview": preview}, headers=[("If-Match", etag)])


def draw(api: Api, *rows: tuple[str, int, int], day: date = date(2026, 9, 1)) -> None:
    """The snapshot, as a sweep of that day drew it: topic, age in weeks, principals."""
    api.database.installer.execute("delete from ledger.snapshot")
    for row in rows:
        api.database.installer.execute("insert into ledger.snapshot values (%s, %s, %s)", row)
    api.database.installer.execute("update ledger.sweep_mark set snapshot_on = %s", (day,))


def propose(api: Api, key: str) -> None:
    api.database.installer.execute("insert into ledger.proposal values (%s)", (key,))
