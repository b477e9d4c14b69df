"""Calls of operators: the registry and the windows, and no way to an entry."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from .world import Api

TOPICS = "/v1/operator/topics"


def operate(api: Api, method: str, path: str, body: Any = None, *, status: int = 200, **sent: Any) -> Any:
    response = api.call(method, path, body, as_="operator", **sent)
    assert response.status_code == status, response.text
    return response.json() if response.content else None


def topic(api: Api, key: str) -> dict[str, Any]:
    found: dict[str, Any] = next(one for one in operate(api, "GET", TOPICS)["items"] if one["key"] == key)
    return found


def test_the_registry_is_shown_whole(api: Api) -> None:
    api.capture("shoe size", "forty-two")
    kids, shoe_size, smoking = operate(api, "GET", TOPICS)["items"]
    assert {**kids, "etag": ""} == {
        "key": "kids",
        "question": "Do you want kids?",
        "handling": "open",
        "authority": None,
        "reconfirm_after": None,
        "drop_after": None,
        "listed": True,
        "proposed": False,
        "aliases": [],
        "etag": "",
    }
    assert (shoe_size["listed"], shoe_size["handling"]) == (False, "sealed")
    assert smoking["etag"] != kids["etag"]


def test_a_topic_is_changed_by_key_or_alias(api: Api) -> None:
    operate(api, "PUT", f"{TOPICS}/kids/aliases/children", status=204)
    changed = operate(api, "PATCH", f"{TOPICS}/children", {"reconfirm_after": 90, "drop_after": 300})
    assert (changed["key"], changed["reconfirm_after"], changed["drop_after"]) == ("kids", 90, 300)
    assert topic(api, "kids") == changed


def test_a_change_answers_with_the_new_etag(api: Api) -> None:
    response = api.call("PATCH", f"{TOPICS}/kids", {"authority": "HR"}, as_="operator")
    assert response.headers["etag"] == response.json()["etag"] == topic(api, "kids")["etag"]


def test_null_puts_a_window_back_to_the_default(api: Api) -> None:
    operate(api, "PATCH", f"{TOPICS}/kids", {"reconfirm_after": 90, "drop_after": 300})
    changed = operate(api, "PATCH", f"{TOPICS}/kids", {"reconfirm_after": None, "drop_after": None})
    assert (changed["reconfirm_after"], changed["drop_after"]) == (None, None)


@pytest.mark.parametrize(
    "body",
    [
        {"reconfirm_after": 0, "drop_after": 540},
        {"reconfirm_after": -1, "drop_after": 540},
        {"reconfirm_after": 600, "drop_after": 540},
        {"reconfirmAfter": 30},
        {"reconfirm_after": "30"},
        {"reconfirm_after": 30.0},
        {"reconfirm_after": 1_000_000_000, "drop_after": 2_000_000_000},
        {"reconfirm_after": 10**30},
        {"handling": "OPEN"},
        {"handling": "secret"},
        {"listed": "true"},
        {"question": 1},
        {"key": "other"},
        {"aliases": []},
    ],
)
def test_what_is_no_value_for_a_field_is_refused(untouched: Api, body: dict[str, Any]) -> None:
    before = topic(untouched, "kids")
    operate(untouched, "PATCH", f"{TOPICS}/kids", body, status=422)
    assert topic(untouched, "kids") == before


def test_a_window_that_is_no_json_is_refused(untouched: Api) -> None:
    operate(untouched, "PATCH", f"{TOPICS}/kids", raw=b'{"reconfirm_after":NaN}', status=400)


@pytest.mark.parametrize("key", ["zebra", "..%2fkids", "%20", "!!!"])
def test_a_topic_that_is_not_there(untouched: Api, key: str) -> None:
    response = untouched.call("PATCH", f"{TOPICS}/{key}", {"listed": True}, as_="operator")
    assert response.status_code in (404, 422)
    assert "zebra" not in response.text


def test_an_unlisted_topic_is_listed(api: Api) -> None:
    api.capture("shoe size", "forty-two")
    listed = operate(api, "PATCH", f"{TOPICS}/shoe_size", {"listed": True, "question": "Which shoe size?"})
    assert (listed["listed"], listed["handling"], listed["question"]) == (True, "open", "Which shoe size?")


# ── Steps that destroy ───────────────────────────────────────────────────────────────────────────


def test_a_step_that_destroys_wants_a_preview_and_the_topic_as_it_was_seen(api: Api) -> None:
    api.capture("smoking", "No.", asked="Do you smoke?")
    change = {"question": "Do you smoke at home?"}
    path = f"{TOPICS}/smoking"
    needed = operate(api, "PATCH", path, change, status=409)
    assert needed["type"].endswith(":preview-needed")

    preview = operate(api, "PATCH", f"{path}?dry_run=true", change)
    assert preview["destroys"]
    assert preview["principals"] == "fewer than 5"
    assert len(api.entries()) == 1

    shown = {**change, "preview": preview["preview"]}
    operate(api, "PATCH", path, shown, status=409)  # without If-Match
    operate(api, "PATCH", path, {**shown, "question": "Another?"}, status=409)  # another step
    etag = [("If-Match", topic(api, "smoking")["etag"])]
    operate(api, "PATCH", path, shown, headers=etag)
    assert api.entries() == []


def test_a_topic_that_changed_meanwhile_is_not_overwritten(api: Api) -> None:
    seen = [("If-Match", topic(api, "kids")["etag"])]
    operate(api, "PATCH", f"{TOPICS}/kids", {"authority": "HR"}, headers=seen)
    stale = operate(api, "PATCH", f"{TOPICS}/kids", {"authority": "payroll"}, headers=seen, status=412)
    assert stale["type"].endswith(":precondition-failed")
    assert topic(api, "kids")["authority"] == "HR"


def test_topics_are_merged(api: Api) -> None:
    api.capture("children", "I want two kids")
    path, step = f"{TOPICS}/children/merge", {"into": "kids"}
    operate(api, "POST", path, step, status=409)
    preview = operate(api, "POST", f"{path}?dry_run=true", step)["preview"]
    etag = [("If-Match", topic(api, "children")["etag"])]
    merged = operate(api, "POST", path, {**step, "preview": preview}, headers=etag)
    assert (merged["key"], merged["aliases"]) == ("kids", ["children"])
    assert [(item["topic"], item["answer"]) for item in api.entries()] == [("kids", "I want two kids")]


@pytest.mark.parametrize("query", ["dry_run=yes!", "dry-run=true", "preview=x", "dry_run=true&dry_run=false"])
def test_the_query_of_a_step_is_read_strictly(untouched: Api, query: str) -> None:
    operate(untouched, "PATCH", f"{TOPICS}/kids?{query}", {"authority": "HR"}, status=422)


# ── Aliases ──────────────────────────────────────────────────────────────────────────────────────


def test_an_alias_leads_to_its_topic_until_it_is_deleted(api: Api) -> None:
    operate(api, "PUT", f"{TOPICS}/kids/aliases/Children", status=204)
    assert topic(api, "kids")["aliases"] == ["children"]
    api.capture("children", "I want two kids")
    assert [item["topic"] for item in api.entries()] == ["kids"]
    operate(api, "DELETE", f"{TOPICS}/kids/aliases/children", status=204)
    assert topic(api, "kids")["aliases"] == []


@pytest.mark.parametrize("alias", ["kids", "smoking"])
def test_a_key_is_no_alias(untouched: Api, alias: str) -> None:
    operate(untouched, "PUT", f"{TOPICS}/kids/aliases/{alias}", status=409)


# ── Windows, holds, the sweep ────────────────────────────────────────────────────────────────────


def test_the_default_window_holds_for_every_entry_at_once(api: Api) -> None:
    assert operate(api, "GET", "/v1/operator/windows") == {"reconfirm_after": 120, "drop_after": 540}
    api.capture("kids", "I want two kids")
    changed = operate(api, "PATCH", "/v1/operator/windows", {"reconfirm_after": 10})
    assert changed == {"reconfirm_after": 10, "drop_after": 540}
    assert [item["freshness"] for item in api.entries()] == ["reconfirm"]


@pytest.mark.parametrize(
    "body", [{"reconfirm_after": 0}, {"reconfirm_after": 540}, {"drop_after": 100}, {"reconfirm_after": True}]
)
def test_a_window_has_an_order(untouched: Api, body: dict[str, Any]) -> None:
    operate(untouched, "PATCH", "/v1/operator/windows", body, status=422)
    assert operate(untouched, "GET", "/v1/operator/windows") == {"reconfirm_after": 120, "drop_after": 540}


@pytest.mark.parametrize("principal", ["", " ", "\u2003", "x" * 257, None, 1])
def test_a_hold_is_on_somebody(untouched: Api, principal: Any) -> None:
    for method in ("PUT", "DELETE"):
        operate(untouched, method, "/v1/operator/legal-holds", {"principal": principal}, status=422)


def test_the_sweep_counts_and_then_deletes(api: Api) -> None:
    api.capture("kids", "I want two kids", "2025-03-11")
    api.database.day(date(2026, 9, 2))
    assert operate(api, "POST", "/v1/operator/sweep", {"dry_run": True})["entries"] == 1
    assert operate(api, "POST", "/v1/operator/sweep")["entries"] == 1
    assert operate(api, "POST", "/v1/operator/sweep", {})["entries"] == 0
