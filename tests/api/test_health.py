"""Is it alive, can it work, how is it doing, and does it sweep."""

from __future__ import annotations

import asyncio
import logging
from datetime import datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from ledger.api import sweeping
from ledger.errors import Unavailable

from .world import Api


def labels(api: Api) -> list[dict[str, str]]:
    text = api.call("GET", "/metrics").text
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return [sample.labels for sample in samples if sample.name.startswith("ledger_http_")]


def test_alive_and_ready(untouched: Api) -> None:
    for path in ("/healthz", "/readyz"):
        response = untouched.call("GET", path)
        assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_not_ready_without_a_database(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    async def fail(_use_case: Any) -> Any:
        raise Unavailable("Down.", 2)

    monkeypatch.setattr(api.app.state.ledger, "run", fail)
    assert api.call("GET", "/healthz").status_code == 200
    response = api.call("GET", "/readyz")
    assert (response.status_code, response.headers["retry-after"]) == (503, "2")
    assert api.call("POST", "/v1/recall", {}, as_="agent").status_code == 503


def test_figures_name_routes_and_nothing_that_was_sent(api: Api) -> None:
    api.capture("shoe size", "zebra quartz")
    entry = api.entries()[0]["id"]
    api.call("PUT", f"/v1/me/entries/{entry}", {"answer": "zebra two"}, as_="principal")
    api.call("PUT", "/v1/operator/topics/kids/aliases/zebra", as_="operator")
    api.call("GET", "/zebra")
    api.call("ZEBRA", "/v1/recall")
    text = api.call("GET", "/metrics").text
    assert "zebra" not in text.lower()
    assert entry not in text
    assert all(one.keys() <= {"method", "route", "status", "le"} for one in labels(api))
    routes = {one["route"] for one in labels(api)}
    assert {"/v1/me/entries/{id}", "/v1/operator/topics/{key}/aliases/{alias}", "none"} <= routes
    assert routes <= {getattr(route, "path", "") for route in api.app.routes} | {"none"}


def test_figures_hold_no_instant(api: Api) -> None:
    """The client library would tell when each kind of request first came."""
    api.recall()
    assert "_created" not in api.call("GET", "/metrics").text


def test_figures_count(api: Api) -> None:
    def count() -> float:
        text = api.call("GET", "/metrics").text
        samples = [s for family in text_string_to_metric_families(text) for s in family.samples]
        return sum(
            sample.value
            for sample in samples
            if sample.name == "ledger_http_requests_total"
            and sample.labels == {"method": "POST", "route": "/v1/coverage", "status": "200"}
        )

    before = count()
    for _ in range(3):
        api.call("POST", "/v1/coverage", {}, as_="agent")
    assert count() == before + 3


def test_it_sweeps_soon_after_the_start_and_after_each_midnight_and_a_failure_waits(
    untouched: Api, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    slept: list[float] = []
    swept: list[int] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 4:
            raise asyncio.CancelledError

    class Ledger:
        context = SimpleNamespace(record=None)

        async def run(self, use_case: Any) -> Any:
            swept.append(1)
            if len(swept) == 2:
                raise Unavailable("zebra")
            return {"held_back": 2, "behind": 1} if len(swept) == 3 else None

    monkeypatch.setattr(asyncio, "sleep", sleep)
    with caplog.at_level(logging.ERROR), pytest.raises(asyncio.CancelledError):
        untouched.runner.run(sweeping.sweep_regularly(Ledger(), 24))  # type: ignore[arg-type]
    assert slept[0] == sweeping.FIRST_AFTER
    longest = 86_400 + sweeping.AFTER_MIDNIGHT + sweeping.SPREAD
    assert all(0 < seconds <= longest for seconds in slept[1:])
    assert len(swept) == 3
    assert caplog.messages == [
        "the sweep failed: unavailable",
        "a transaction that is open for long holds the vacuum of the sweep back",
        sweeping.BEHIND,
    ]
    assert "ledger_sweep_held_back 2.0" in untouched.call("GET", "/metrics").text


@given(st.datetimes(), st.integers(1, 24))
def test_the_next_turn_is_soon_after_midnight_or_so_many_hours_later(now: datetime, every_hours: int) -> None:
    due = now + timedelta(seconds=sweeping.until_next(now, every_hours))
    assert now < due
    soon = due - timedelta(seconds=sweeping.AFTER_MIDNIGHT)
    assert (soon.hour % every_hours, soon.minute, soon.second, soon.microsecond) == (0, 0, 0, 0)
    assert (due - now) <= timedelta(hours=every_hours)


def test_a_sweep_of_today_is_made_once_however_many_workers_look(untouched: Api) -> None:
    ledger = untouched.app.state.ledger
    first, second = (untouched.runner.run(ledger.run(sweeping.unless_done())) for _ in range(2))
    assert first is not None
    assert second is None


def test_or_never(untouched: Api) -> None:
    untouched.runner.run(sweeping.sweep_regularly(untouched.app.state.ledger, 0))
