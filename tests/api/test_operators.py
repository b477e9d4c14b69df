"""Calls of operators on the registry: what they see, create and change, and no way to an entry."""

from __future__ import annotations

from typing import Any

import pytest

from .operating import TOPICS, operate, propose, step, topic
from .world import Api

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


def test_a_key_that_was_sealed_once_becomes_no_alias_of_an_open_topic(api: Api) -> None:
    operate(api, "POST", TOPICS, {"label": "offspring", "handling": "sealed"})
    api.capture("offspring", "I want two kids")
    step(api, "PATCH", f"{TOPICS}/offspring", {"listed": False}, topic(api, "offspring")["etag"])
    operate(api, "PUT", f"{TOPICS}/kids/aliases/offspring", status=409)
    assert [item["topic"] for item in api.entries()] == ["offspring"]


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
