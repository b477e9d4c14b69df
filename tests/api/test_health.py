"""Is it alive, can it work, how is it doing, and does it sweep."""

from __future__ import annotations

import asyncio
import logging
import re
from datetime import date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from ledger.api import metrics, problems, sweeping
from ledger.core.model import Reason
from ledger.errors import Unavailable
from ledger.service import sweeps

from .world import Api


def labels(api: Api) -> list[dict[str, str]]:
    text = api.call("GET", "/metrics").text
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return [sample.labels for sample in samples if sample.name.startswith("ledger_http_")]


def test_alive_and_ready(untouched: Api) -> None:
    for path in ("/healthz", "/readyz"):
        response = untouched.call("GET", path)
        assert (response.status_code, response.json()) == (200, {"status": "ok"})


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_probes_may_ask_for_the_head_alone(untouched: Api, path: str) -> None:
    whole, head = untouched.call("GET", path), untouched.call("HEAD", path)
    assert (head.status_code, head.headers) == (whole.status_code, whole.headers)


def figure(api: Api, line: str) -> float:
    """The value of a figure, by its name and labels; 0 where there is none yet."""
    found = re.findall(rf"(?m)^{re.escape(line)} (\S+)$", api.call("GET", "/metrics").text)
    return float(found[0]) if found else 0.0


def test_refusals_are_counted_by_reason_from_closed_lists(api: Api) -> None:
    problem = 'ledger_requests_refused_total{problem="unauthenticated"}'
    reason = 'ledger_spans_refused_total{reason="meaning_cut"}'
    before = figure(api, problem), figure(api, reason)
    api.call("POST", "/v1/plan", {"labels": ["zebra"]})
    body = {
        "message": "I don't want kids.", "said_on": "2026-08-20", "candidates": [{"topic": "kids", "span": "want kids"}],
    }  # fmt: skip
    assert not api.call("POST", "/v1/captures", body, as_="capture").json()["outcomes"][0]["accepted"]
    assert (figure(api, problem), figure(api, reason)) == (before[0] + 1, before[1] + 1)
    text = api.call("GET", "/metrics").text
    assert set(re.findall(r'ledger_spans_refused_total\{reason="(.*?)"', text)) <= set(Reason)
    slugs = {kind.slug for kind in problems.STATUS} | {"similar-topics", "legal-hold", "bad-label"}
    assert set(re.findall(r'ledger_requests_refused_total\{problem="(.*?)"', text)) <= slugs


def test_waits_for_a_connection_are_counted_with_their_time(api: Api) -> None:
    before = figure(api, "ledger_pool_wait_seconds_count"), figure(api, "ledger_pool_wait_seconds_sum")
    api.recall()
    assert figure(api, "ledger_pool_wait_seconds_count") > before[0]
    assert figure(api, "ledger_pool_wait_seconds_sum") > before[1]


def test_the_day_of_the_last_sweep_is_told_in_whole_days(api: Api) -> None:
    metrics.LAST_SWEEP.set(0)
    metrics.swept(api.run(sweeps.last()))
    assert figure(api, "ledger_last_sweep_day") == 0
    metrics.swept(api.run(sweeping.unless_done()))
    assert figure(api, "ledger_last_sweep_day") == (date(2026, 9, 1) - date(1970, 1, 1)).days


def test_every_figure_is_documented_and_no_other() -> None:
    page = (Path(__file__).parents[2] / "docs/operations/serving.md").read_text("utf-8")
    told = {name.removesuffix("_total") for name in re.findall(r"(?m)^\| `(ledger_\w+)` \|", page)}
    assert told == {metric.name for metric in metrics.REGISTRY.collect()}


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
    looked: list[int] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)
        if len(slept) == 4:
            raise asyncio.CancelledError

    class Ledger:
        context = SimpleNamespace(record=None)

        async def run(self, use_case: Any) -> Any:
            looked.append(1)
            if len(looked) == 3:
                raise Unavailable("zebra")
            return date(1970, 1, 1 + len(looked))

    monkeypatch.setattr(asyncio, "sleep", sleep)
    with caplog.at_level(logging.ERROR), pytest.raises(asyncio.CancelledError):
        untouched.runner.run(sweeping.sweep_regularly(Ledger(), 24))  # type: ignore[arg-type]
    assert slept[0] == sweeping.FIRST_AFTER
    longest = 86_400 + sweeping.AFTER_MIDNIGHT + sweeping.SPREAD
    assert all(0 < seconds <= longest for seconds in slept[1:])
    assert len(looked) == 4  # the first only for the day of the last one
    assert caplog.messages == ["the sweep failed: unavailable"]
    assert "ledger_last_sweep_day 4.0" in untouched.call("GET", "/metrics").text


def test_a_vacuum_that_is_held_back_is_logged_and_counted_until_a_sweep_comes_to_its_end(
    api: Api, caplog: pytest.LogCaptureFixture
) -> None:
    reader = api.database.another().installer
    reader.autocommit = False
    reader.execute("set transaction isolation level repeatable read")
    reader.execute("select count(*) from ledger.entry")
    assert api.capture("kids", "I want two kids.")["accepted"]
    api.database.day(date(2026, 9, 2))
    with caplog.at_level(logging.ERROR):
        api.run(sweeping.unless_done())
    assert caplog.messages == ["a transaction that is open for long holds the vacuum of the sweep back"]
    assert figure(api, "ledger_sweep_held_back") > 0
    reader.rollback()
    api.run(sweeping.unless_done())
    assert figure(api, "ledger_sweep_held_back") == 0


@given(st.datetimes(), st.integers(1, 24))
def test_the_next_turn_is_soon_after_midnight_or_so_many_hours_later(now: datetime, every_hours: int) -> None:
    due = now + timedelta(seconds=sweeping.until_next(now, every_hours))
    assert now < due
    soon = due - timedelta(seconds=sweeping.AFTER_MIDNIGHT)
    assert (soon.hour % every_hours, soon.minute, soon.second, soon.microsecond) == (0, 0, 0, 0)
    assert (due - now) <= timedelta(hours=every_hours)


def test_a_sweep_of_today_is_made_once_however_many_workers_look(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    sweep = sweeps.sweep
    monkeypatch.setattr(sweeps, "sweep", lambda **given: made.append(1) or sweep(**given))
    for _ in range(2):
        assert api.run(sweeping.unless_done()) == date(2026, 9, 1)
    assert len(made) == 1


def test_or_it_only_looks(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody else sweeps: the figures say when."""

    async def sleep(seconds: float) -> None:
        if seconds != sweeping.FIRST_AFTER:
            raise asyncio.CancelledError
        await api.app.state.ledger.run(sweeps.sweep())

    metrics.LAST_SWEEP.set(0)
    monkeypatch.setattr(asyncio, "sleep", sleep)
    with pytest.raises(asyncio.CancelledError):
        api.runner.run(sweeping.sweep_regularly(api.app.state.ledger, 0))
    assert figure(api, "ledger_last_sweep_day") == (date(2026, 9, 1) - date(1970, 1, 1)).days
