"""Legal holds, and the sweep that an operator asks for: neither tells of anybody."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from .operating import SWEEP, TOPICS, draw, operate, step, topic
from .world import Api


@pytest.mark.parametrize("principal", ["", " ", "\u2003", "x" * 257, None, 1])
def test_a_hold_is_on_somebody(untouched: Api, principal: Any) -> None:
    for method in ("PUT", "DELETE"):
        operate(untouched, method, "/v1/operator/legal-holds", {"principal": principal}, status=422)


def test_a_sweep_says_that_it_is_done_and_no_more(api: Api) -> None:
    api.capture("kids", "I want two kids", "2025-03-11")
    api.database.day(date(2026, 9, 2))
    assert operate(api, "POST", SWEEP) == {"swept_on": "2026-09-02"}
    assert api.database.rows("select count(*) from ledger.entry") == [(0,)]


def test_a_deployment_sweeps_for_its_operators_once_an_hour(api: Api) -> None:
    api.database.hour(9)
    operate(api, "POST", SWEEP)
    refused = api.call("POST", SWEEP, {}, as_="operator")
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "3600")
    operate(api, "POST", SWEEP, {"dry_run": True})
    api.database.hour(10)
    operate(api, "POST", SWEEP)
    api.database.day(date(2026, 9, 2))
    operate(api, "POST", SWEEP)
    assert api.database.rows("select asked_on, asked_hour from ledger.sweep_mark") == [(date(2026, 9, 2), 10)]


def test_a_dry_run_of_the_sweep_says_what_the_snapshot_says(api: Api) -> None:
    assert operate(api, "POST", SWEEP, {"dry_run": True}) == {"drawn_on": None, "entries": "fewer than 5"}
    draw(api, ("kids", 76, 15), ("kids", 77, 10), ("smoking", 5, 20), day=date(2026, 8, 31))
    assert operate(api, "POST", SWEEP, {"dry_run": True}) == {"drawn_on": "2026-08-31", "entries": 10}
    step(
        api,
        "PATCH",
        f"{TOPICS}/smoking",
        {"reconfirm_after": 5, "drop_after": 40},
        topic(api, "smoking")["etag"],
    )
    assert operate(api, "POST", SWEEP, {"dry_run": True})["entries"] == 30


def test_a_window_a_dry_run_and_a_hold_tell_of_nobody(api: Api) -> None:
    """The way in which an operator once could: two dry runs with a hold in between, for each day of a window."""
    api.capture("kids", "I want two kids", "2026-08-20")
    draw(api, ("smoking", 5, 20))
    answers = set()
    for days in (1, 6, 11, 12, 20, 40):
        window = {"reconfirm_after": days, "drop_after": days + 1}
        told = step(api, "PATCH", f"{TOPICS}/kids", window, topic(api, "kids")["etag"])
        assert told["drop_after"] == days + 1
        for method in ("PUT", "DELETE"):
            dry = operate(api, "POST", SWEEP, {"dry_run": True})
            preview = operate(
                api, "PATCH", f"{TOPICS}/kids?dry_run=true", {"reconfirm_after": 1, "drop_after": 2}
            )
            answers.add((str(dry), preview["principals"], preview.get("dropped"), preview.get("asked_again")))
            operate(api, method, "/v1/operator/legal-holds", {"principal": "alex"}, status=204)
    assert {one[:2] for one in answers} == {
        ("{'drawn_on': '2026-09-01', 'entries': 'fewer than 5'}", "fewer than 5")
    }
    assert {one[2:] for one in answers} <= {("fewer than 5", "fewer than 5"), (None, None)}
