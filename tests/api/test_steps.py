"""Steps that destroy: each wants the thing as it was seen, and the preview of its dry run."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from .operating import TOPICS, WINDOWS, draw, operate, propose, step, topic
from .world import Api


def test_a_step_that_destroys_wants_a_preview_and_the_topic_as_it_was_seen(api: Api) -> None:
    api.capture("smoking", "No.", asked="Do you smoke?")
    change = {"question": "Do you smoke at home?"}
    path = f"{TOPICS}/smoking"
    etag = [("If-Match", topic(api, "smoking")["etag"])]
    needed = operate(api, "PATCH", path, change, headers=etag, status=428)
    assert needed["type"].endswith(":preview-needed")

    preview = operate(api, "PATCH", f"{path}?dry_run=true", change)
    assert preview["destroys"]
    assert preview["principals"] == "fewer than 5"
    assert len(api.entries()) == 1

    shown = {**change, "preview": preview["preview"]}
    operate(api, "PATCH", path, shown, status=428)  # without If-Match
    another = operate(api, "PATCH", path, {**shown, "question": "Another?"}, headers=etag, status=412)
    assert another["type"].endswith(":precondition-failed")
    operate(api, "PATCH", path, shown, headers=etag)
    assert api.entries() == []


WHOLE = {"handling": "sealed", "question": "Do you smoke?", "reconfirm_after": 60, "drop_after": 90}
DESTROYING = [
    {"reconfirm_after": 59}, {"drop_after": 89}, {"question": "Do you smoke at home?"}, {"question": None},
    {"handling": "open"}, {"handling": "confirm"}, {"handling": "forbidden"}, {"listed": False},
]  # fmt: skip


@pytest.mark.parametrize("change", DESTROYING, ids=str)
def test_every_step_after_which_something_is_gone_or_asked_again_wants_a_preview(
    api: Api, change: dict[str, Any]
) -> None:
    before = operate(api, "POST", TOPICS, {"label": "tobacco", **WHOLE})
    operate(api, "PATCH", f"{TOPICS}/tobacco", change, status=428)
    assert topic(api, "tobacco") == before
    changed = step(api, "PATCH", f"{TOPICS}/tobacco", change, before["etag"])
    assert all(changed[name] == value for name, value in change.items())


@pytest.mark.parametrize(
    "change",
    [{"reconfirm_after": 61}, {"drop_after": 3650}, {"question": "Do you smoke?"}, {"handling": "sealed"},
     {"listed": True}, {"authority": "HR"}, {"reconfirm_after": None, "drop_after": None}],
    ids=str,
)  # fmt: skip
def test_a_step_that_takes_nothing_away_wants_none(api: Api, change: dict[str, Any]) -> None:
    operate(api, "POST", TOPICS, {"label": "tobacco", **WHOLE})
    dry = operate(api, "PATCH", f"{TOPICS}/tobacco?dry_run=true", change)
    assert (dry["preview"], dry["destroys"]) == (None, [])
    operate(api, "PATCH", f"{TOPICS}/tobacco", change)


def test_a_preview_is_stale_when_the_snapshot_was_drawn_anew(api: Api) -> None:
    change, path = {"reconfirm_after": 10, "drop_after": 20}, f"{TOPICS}/kids"
    etag = [("If-Match", topic(api, "kids")["etag"])]
    draw(api, ("kids", 2, 10))
    preview = operate(api, "PATCH", f"{path}?dry_run=true", change)["preview"]
    draw(api, ("kids", 2, 15))
    operate(api, "PATCH", path, {**change, "preview": preview}, headers=etag, status=412)
    draw(api, ("kids", 2, 10), day=date(2026, 8, 31))
    operate(api, "PATCH", path, {**change, "preview": preview}, headers=etag, status=412)
    draw(api, ("kids", 2, 10))
    operate(api, "PATCH", path, {**change, "preview": preview}, headers=etag)


def test_a_preview_of_a_window_says_by_the_snapshot_what_it_drops_and_what_is_asked_again(api: Api) -> None:
    draw(api, ("kids", 1, 10), ("kids", 4, 15), ("kids", 10, 20), ("kids", 70, 5), ("smoking", 4, 50))
    change = {"reconfirm_after": 14, "drop_after": 60}
    seen = operate(api, "PATCH", f"{TOPICS}/kids?dry_run=true", change)
    assert (seen["principals"], seen["dropped"], seen["asked_again"]) == (50, 25, 15)
    assert seen["drawn_on"] == "2026-09-01"
    api.database.day(date(2026, 9, 3))  # two days on, those of a week ago may be fifteen days old
    seen = operate(api, "PATCH", f"{TOPICS}/kids?dry_run=true", change)
    assert (seen["dropped"], seen["asked_again"]) == (25, 25)
    seen = operate(api, "PATCH", f"{TOPICS}/kids?dry_run=true", {"reconfirm_after": 119, "drop_after": 540})
    assert (seen["dropped"], seen["asked_again"]) == ("fewer than 5", "fewer than 5")


def test_of_a_proposal_no_more_is_told_than_that_it_is_one(api: Api) -> None:
    propose(api, "shoe_size")
    seen = operate(api, "PATCH", f"{TOPICS}/shoe_size?dry_run=true", {"reconfirm_after": 1, "drop_after": 2})
    assert (seen["principals"], seen["dropped"], seen["asked_again"]) == ("at least 5", "unknown", "unknown")


def test_a_topic_that_changed_meanwhile_is_not_overwritten(api: Api) -> None:
    seen = [("If-Match", topic(api, "kids")["etag"])]
    operate(api, "PATCH", f"{TOPICS}/kids", {"authority": "HR"}, headers=seen)
    stale = operate(api, "PATCH", f"{TOPICS}/kids", {"authority": "payroll"}, headers=seen, status=412)
    assert stale["type"].endswith(":precondition-failed")
    assert topic(api, "kids")["authority"] == "HR"


def test_topics_are_merged(api: Api) -> None:
    api.capture("children", "I want two kids")
    propose(api, "children")
    path = f"{TOPICS}/children/merge"
    operate(api, "POST", path, {"into": "kids"}, status=428)
    merged = step(api, "POST", path, {"into": "kids"}, topic(api, "children")["etag"])
    assert (merged["key"], merged["aliases"]) == ("kids", ["children"])
    assert [(item["topic"], item["answer"]) for item in api.entries()] == [("kids", "I want two kids")]


@pytest.mark.parametrize("query", ["dry_run=yes!", "dry-run=true", "preview=x", "dry_run=true&dry_run=false"])
def test_the_query_of_a_step_is_read_strictly(untouched: Api, query: str) -> None:
    operate(untouched, "PATCH", f"{TOPICS}/kids?{query}", {"authority": "HR"}, status=422)


# ── The default window ───────────────────────────────────────────────────────────────────────────


def test_the_default_window_holds_for_every_entry_at_once(api: Api) -> None:
    assert operate(api, "GET", "/v1/operator/windows") == {"reconfirm_after": 120, "drop_after": 540}
    api.capture("kids", "I want two kids")
    changed = step(api, "PATCH", WINDOWS, {"reconfirm_after": 10}, etag_of_the_default(api))
    assert changed == {"reconfirm_after": 10, "drop_after": 540}
    assert [item["freshness"] for item in api.entries()] == ["reconfirm"]


def etag_of_the_default(api: Api) -> str:
    return api.call("GET", WINDOWS, as_="operator").headers["etag"]


@pytest.mark.parametrize("change", [{"reconfirm_after": 119}, {"drop_after": 539}], ids=str)
def test_a_shorter_default_wants_a_preview_and_a_longer_one_none(api: Api, change: dict[str, Any]) -> None:
    etag = etag_of_the_default(api)
    operate(api, "PATCH", WINDOWS, change, headers=[("If-Match", etag)], status=428)
    draw(api, ("kids", 17, 10), ("smoking", 76, 5))
    operate(
        api, "PATCH", f"{TOPICS}/smoking", {"reconfirm_after": 700, "drop_after": 720}
    )  # follows it no longer
    preview = operate(api, "PATCH", f"{WINDOWS}?dry_run=true", change)
    assert preview["principals"] == 10
    shown = {**change, "preview": preview["preview"]}
    operate(api, "PATCH", WINDOWS, shown, status=428)
    operate(api, "PATCH", WINDOWS, shown, headers=[("If-Match", '"another"')], status=412)
    operate(api, "PATCH", WINDOWS, {**shown, "preview": "0" * 32}, headers=[("If-Match", etag)], status=412)
    changed = operate(api, "PATCH", WINDOWS, shown, headers=[("If-Match", etag)])
    assert changed == {"reconfirm_after": 120, "drop_after": 540} | change
    assert operate(api, "PATCH", WINDOWS, {"reconfirm_after": 120, "drop_after": 540}) != changed


@pytest.mark.parametrize(
    "body", [{"reconfirm_after": 0}, {"reconfirm_after": 540}, {"drop_after": 100}, {"reconfirm_after": True}]
)
def test_a_window_has_an_order(untouched: Api, body: dict[str, Any]) -> None:
    operate(untouched, "PATCH", "/v1/operator/windows", body, status=422)
    assert operate(untouched, "GET", "/v1/operator/windows") == {"reconfirm_after": 120, "drop_after": 540}
