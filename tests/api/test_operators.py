"""Calls of operators: the registry and the windows, and no way to an entry."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

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


# ── What they see ────────────────────────────────────────────────────────────────────────────────


def test_listed_topics_and_proposals_are_shown_and_no_other_key(api: Api) -> None:
    api.capture("shoe size", "forty-two")
    api.capture("first pet", "Rex")
    propose(api, "shoe_size")
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
    assert (shoe_size["listed"], shoe_size["proposed"], shoe_size["handling"]) == (False, True, "sealed")
    assert smoking["etag"] != kids["etag"]


def test_the_list_has_pages_and_a_filter(api: Api) -> None:
    propose(api, "shoe_size")
    operate(api, "PUT", f"{TOPICS}/smoking/aliases/tobacco_use", status=204)

    def keys(query: str) -> list[str]:
        return [one["key"] for one in operate(api, "GET", f"{TOPICS}?{query}")["items"]]

    first = operate(api, "GET", f"{TOPICS}?limit=2")
    rest = operate(api, "GET", f"{TOPICS}?limit=2&cursor={first['next']}")
    assert [one["key"] for one in (*first["items"], *rest["items"])] == ["kids", "shoe_size", "smoking"]
    assert rest["next"] is None
    assert keys("only=listed") == ["kids", "smoking"]
    assert keys("only=proposed") == ["shoe_size"]
    assert keys("q=shoe%20SIZE") == ["shoe_size"]
    assert keys("q=Tobacco%20use") == ["smoking"]
    assert keys("q=you%20want") == ["kids"]
    assert keys("q=zebra") == []


@pytest.mark.parametrize(
    "query", ["limit=0", "limit=101", "cursor=%00", "only=unlisted", "q=" + "x" * 101, "all=1"]
)
def test_what_is_no_query_of_the_list_is_refused(untouched: Api, query: str) -> None:
    operate(untouched, "GET", f"{TOPICS}?{query}", status=422)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PATCH", "{key}", {"listed": True}),
        ("PATCH", "{key}?dry_run=true", {"handling": "forbidden"}),
        ("POST", "{key}/merge", {"into": "kids"}),
        ("POST", "kids/merge", {"into": "{key}"}),
        ("PUT", "{key}/aliases/other", None),
        ("DELETE", "{key}/aliases/other", None),
        ("DELETE", "kids/aliases/{key}", None),
        ("PUT", "kids/aliases/{key}", None),
        ("POST", "", {"label": "{key}", "question": "How so?"}),
    ],
)
def test_a_call_on_an_unlisted_key_is_answered_as_if_it_had_never_been_coined(
    api: Api, method: str, path: str, body: Any
) -> None:
    api.capture("shoe size", "forty-two")

    def told(key: str) -> tuple[int, str]:
        sent = body and {
            name: value.replace("{key}", key) if isinstance(value, str) else value
            for name, value in body.items()
        }
        response = api.call(
            method, f"{TOPICS}/{path.replace('{key}', key)}".rstrip("/"), sent, as_="operator"
        )
        etag = response.json().get("etag", "").strip('"') if response.content else ""
        return response.status_code, response.text.replace(key, "").replace(etag, "")

    assert told("shoe_size") == told("shoe_sire")


# ── Creating ─────────────────────────────────────────────────────────────────────────────────────


def test_a_created_topic_is_listed_and_open(api: Api) -> None:
    created = operate(api, "POST", TOPICS, {"label": "Parking Space"})
    assert created == topic(api, "parking_space")
    assert (created["key"], created["listed"], created["handling"]) == ("parking_space", True, "open")
    whole = {
        "label": "commute", "question": "How do you come to work?", "handling": "sealed", "authority": "HR",
        "reconfirm_after": 30, "drop_after": 90,
    }  # fmt: skip
    created = operate(api, "POST", TOPICS, whole)
    assert {**whole, "key": "commute"}.items() >= {
        name: created[name] for name in (*whole, "key") if name != "label"
    }.items()


def test_answers_that_were_given_under_the_key_are_there_when_it_is_created(api: Api) -> None:
    api.capture("commute", "I take the train")
    operate(api, "POST", TOPICS, {"label": "commute"})
    assert [item["answer"] for item in api.entries()] == ["I take the train"]


def test_what_was_given_before_is_overwritten_and_a_loosening_withholds(api: Api) -> None:
    operate(
        api,
        "POST",
        TOPICS,
        {"label": "pay", "question": "Your pay?", "handling": "sealed", "authority": "HR"},
    )
    api.capture("pay", "I earn enough")
    step(api, "PATCH", f"{TOPICS}/pay", {"listed": False}, topic(api, "pay")["etag"])
    created = operate(api, "POST", TOPICS, {"label": "pay"})
    assert (created["question"], created["authority"], created["handling"]) == (None, None, "open")
    assert [item["withheld"] for item in api.entries()] == [True]


@pytest.mark.parametrize("label", ["kids", "Kids", "children"])
def test_a_listed_topic_and_a_label_of_one_are_not_created_again(api: Api, label: str) -> None:
    operate(api, "PUT", f"{TOPICS}/kids/aliases/children", status=204)
    operate(api, "POST", TOPICS, {"label": label}, status=409)
    assert topic(api, "kids")["question"] == "Do you want kids?"


@pytest.mark.parametrize(
    "body",
    [
        {}, {"label": "555 123 456 call"}, {"label": "a", "listed": True}, {"label": "a", "drop_after": 9},
        {"label": "religion"}, {"label": "a", "question": "one\ntwo"}, {"label": "a", "handling": "secret"},
    ],
)  # fmt: skip
def test_what_is_no_topic_is_not_created(untouched: Api, body: dict[str, Any]) -> None:
    operate(untouched, "POST", TOPICS, body, status=422)


def test_a_proposal_is_created_but_not_so_that_it_destroys(api: Api) -> None:
    api.capture("commute", "I take the train", "2026-08-20")
    propose(api, "commute")
    operate(api, "POST", TOPICS, {"label": "commute", "reconfirm_after": 1, "drop_after": 2}, status=428)
    assert operate(api, "POST", TOPICS, {"label": "commute"})["listed"]


def test_an_alias_takes_in_a_key_that_they_do_not_see_and_no_answer_is_lost(api: Api) -> None:
    api.capture("offspring", "I want two kids")
    operate(api, "PUT", f"{TOPICS}/kids/aliases/offspring", status=204)
    assert [(item["topic"], item["answer"]) for item in api.entries()] == [("kids", "I want two kids")]
    operate(api, "PUT", f"{TOPICS}/smoking/aliases/offspring", status=204)  # moved, like any other
    operate(api, "DELETE", f"{TOPICS}/smoking/aliases/offspring", status=204)
    assert topic(api, "kids")["aliases"] == topic(api, "smoking")["aliases"] == []


def test_what_a_hold_left_under_a_key_that_an_alias_took_in_is_not_lost_with_the_alias(api: Api) -> None:
    api.capture("kids", "I want two kids", "2026-08-20")
    api.capture("offspring", "I want three kids", "2026-08-21")
    operate(api, "PUT", "/v1/operator/legal-holds", {"principal": "alex"}, status=204)
    operate(api, "PUT", f"{TOPICS}/kids/aliases/offspring", status=204)
    operate(api, "DELETE", f"{TOPICS}/kids/aliases/offspring", status=204)
    operate(api, "DELETE", "/v1/operator/legal-holds", {"principal": "alex"}, status=204)
    assert {item["answer"] for item in api.entries()} == {"I want two kids", "I want three kids"}


def test_an_alias_of_a_key_that_was_sealed_once_opens_no_answer(api: Api) -> None:
    operate(api, "POST", TOPICS, {"label": "offspring", "handling": "confirm"})
    step(api, "PATCH", f"{TOPICS}/offspring", {"handling": "sealed"}, topic(api, "offspring")["etag"])
    step(api, "PATCH", f"{TOPICS}/offspring", {"handling": "confirm"}, topic(api, "offspring")["etag"])
    api.database.installer.execute("update ledger.topic set handling = 'sealed' where key = 'offspring'")
    api.capture("offspring", "I want two kids")
    api.database.installer.execute("update ledger.topic set handling = 'confirm' where key = 'offspring'")
    step(api, "PATCH", f"{TOPICS}/offspring", {"listed": False}, topic(api, "offspring")["etag"])
    operate(api, "PUT", f"{TOPICS}/kids/aliases/offspring", status=204)
    assert topic(api, "kids")["handling"] == "open"
    assert [(item["topic"], item["withheld"]) for item in api.entries()] == [("kids", True)]


# ── Changing ─────────────────────────────────────────────────────────────────────────────────────


def test_a_topic_is_changed_by_key_or_alias(api: Api) -> None:
    operate(api, "PUT", f"{TOPICS}/kids/aliases/children", status=204)
    changed = operate(api, "PATCH", f"{TOPICS}/children", {"reconfirm_after": 180, "drop_after": 720})
    assert (changed["key"], changed["reconfirm_after"], changed["drop_after"]) == ("kids", 180, 720)
    assert topic(api, "kids") == changed


def test_a_change_answers_with_the_new_etag(api: Api) -> None:
    response = api.call("PATCH", f"{TOPICS}/kids", {"authority": "HR"}, as_="operator")
    assert response.headers["etag"] == response.json()["etag"] == topic(api, "kids")["etag"]


def test_null_puts_a_window_back_to_the_default(api: Api) -> None:
    operate(api, "PATCH", f"{TOPICS}/kids", {"reconfirm_after": 180, "drop_after": 720})
    default = {"reconfirm_after": None, "drop_after": None}
    operate(api, "PATCH", f"{TOPICS}/kids", default, status=428)  # the default is shorter
    changed = step(api, "PATCH", f"{TOPICS}/kids", default, topic(api, "kids")["etag"])
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


def test_a_proposal_is_listed(api: Api) -> None:
    api.capture("shoe size", "forty-two")
    propose(api, "shoe_size")
    listed = operate(api, "PATCH", f"{TOPICS}/shoe_size", {"listed": True, "question": "Which shoe size?"})
    assert (listed["listed"], listed["handling"], listed["question"]) == (True, "open", "Which shoe size?")


# ── Steps that destroy ───────────────────────────────────────────────────────────────────────────


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
