"""Calls of the application that carries the chats."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.api.limits import Limiter
from ledger.api.routes_agent import COIN_BURST

from .world import Api


def capture(api: Api, message: str, *candidates: tuple[str, str], **more: Any) -> list[dict[str, Any]]:
    who = more.pop("who", "alex")
    body = {
        "message": message,
        "said_on": "2026-08-20",
        "candidates": [{"topic": topic, "span": span} for topic, span in candidates],
        **more,
    }
    response = api.call("POST", "/v1/captures", body, as_="capture", who=who)
    assert response.status_code == 200, response.text
    outcomes: list[dict[str, Any]] = response.json()["outcomes"]
    return outcomes


def kept(api: Api, who: str = "alex") -> dict[str, str]:
    return {item["topic"]: item["answer"] for item in api.entries(who)}


def test_each_span_is_judged_and_answered_in_order(api: Api) -> None:
    outcomes = capture(
        api,
        "Sure! I want two kids. I don't smoke.",
        ("smoking", "smoke"),
        ("kids", "I want two kids"),
        ("zebra/quartz", "Sure"),
        ("smoking", "I don't smoke"),
    )
    assert [one["accepted"] for one in outcomes] == [False, True, False, True]
    assert outcomes[1] == {"topic": "kids", "accepted": True, "answer": "I want two kids"}
    assert outcomes[0].keys() >= {"topic", "accepted", "reason", "detail"}
    assert outcomes[0]["reason"] == "meaning_cut"
    assert outcomes[2]["reason"] == "bad_label"
    assert kept(api) == {"kids": "I want two kids", "smoking": "I don't smoke"}


def test_what_would_pass_is_offered_and_passes(api: Api) -> None:
    message = "I don't think I want kids."
    (refused,) = capture(api, message, ("kids", "I want kids"))
    assert refused["accepted"] is False
    (accepted,) = capture(api, message, ("kids", refused["nearest"]))
    assert accepted["accepted"] is True


def test_of_several_spans_on_one_topic_the_last_accepted_stands(api: Api) -> None:
    capture(
        api,
        "I want two kids. Or three kids, really.",
        ("kids", "I want two kids"),
        ("kids", "three kids, really"),
        ("kids", "four"),
    )
    assert kept(api) == {"kids": "three kids, really"}


def test_a_label_is_coined_and_a_variant_lands_on_its_key(api: Api) -> None:
    capture(api, "three months", ("Notice period", "three months"))
    assert kept(api) == {"notice_period": "three months"}


def test_no_candidates_is_no_error(api: Api) -> None:
    assert capture(api, "hello") == []


def test_a_bare_answer_comes_with_what_was_asked(api: Api) -> None:
    (refused,) = capture(api, "No.", ("smoking", "No."))
    assert refused["reason"] == "needs_question"
    (accepted,) = capture(api, "No.", ("smoking", "No."), asked="By the way: Do you smoke?")
    assert accepted["accepted"] is True


def test_names_to_avoid_are_not_kept(api: Api) -> None:
    message = "Sure Marta, I smoke"
    outcomes = capture(api, message, ("smoking", message), ("smoking", "I smoke"), avoid=["Marta"])
    assert [one.get("reason") for one in outcomes] == ["names_counterparty", None]


def test_a_forbidden_topic_names_its_authority(api: Api) -> None:
    api.list_topic("claim_status", handling="forbidden")
    api.database.installer.execute(
        "update ledger.topic set authority = 'the claims system' where key = 'claim_status'"
    )
    (refused,) = capture(api, "it was paid", ("claim_status", "it was paid"))
    assert refused["reason"] == "forbidden_topic"
    assert "the claims system" in refused["detail"]


@pytest.mark.parametrize("said_on", ["2026-09-01", "2026-09-02"])
def test_tomorrow_is_read_as_today(api: Api, said_on: str) -> None:
    capture(api, "I smoke", ("smoking", "I smoke"), said_on=said_on)
    assert [item["as_of"] for item in api.entries()] == ["2026-09-01"]


def test_older_than_the_drop_window_is_accepted_and_not_kept(api: Api) -> None:
    for said_on in ("2025-03-11", "2025-03-10", "1999-01-01", "0001-01-01"):
        (outcome,) = capture(api, "I smoke", ("smoking", "I smoke"), said_on=said_on)
        assert outcome["accepted"] is True
    assert [item["as_of"] for item in api.entries()] == ["2025-03-11"]


# ── Labels that are not listed ───────────────────────────────────────────────────────────────────


def test_an_outcome_names_similar_topics_where_its_own_is_not_listed(api: Api) -> None:
    outcomes = capture(
        api,
        "I smoke",
        ("smoking habits", "I smoke"),
        ("smoking habit", "I don't smoke"),
        ("smokng", "I smoke"),
        ("favourite chair", "I smoke"),
    )
    assert outcomes[0] == {
        "topic": "smoking_habits",
        "accepted": True,
        "answer": "I smoke",
        "similar": ["smoking"],
    }
    assert (outcomes[1]["accepted"], outcomes[1]["similar"]) == (False, ["smoking"])
    assert outcomes[2] == {"topic": "smoking", "accepted": True, "answer": "I smoke"}
    assert "similar" not in outcomes[3]


def test_a_token_may_have_so_many_unlisted_labels_accepted_and_then_nothing_is_kept(api: Api) -> None:
    """Counted by what was accepted: not what is refused or listed, and neither whether it was there nor whether it is kept."""
    header = [("Authorization", f"Bearer {api.token('capture')}")]

    def offer(*labels: str, span: str = "I smoke") -> Any:
        candidates = [{"topic": label, "span": span} for label in labels]
        body = {"message": "I smoke", "said_on": "2026-08-20", "candidates": candidates}
        return api.call("POST", "/v1/captures", body, headers=header)

    old = [f"label {letter}" for letter in "abcdefghijklmnopqrst"]
    for _ in range(COIN_BURST // len(old)):  # known keys from the second time on
        assert offer(*old, "smoking").status_code == 200
    refused = next(
        one for one in (offer("one more", "smoking") for _ in range(100)) if one.status_code == 429
    )
    assert refused.json()["type"].endswith(":too-many-requests") and refused.headers["retry-after"]
    assert offer(*old, *old[:2]).status_code == 429, "a known key counts as a new one"
    assert offer(*old, span="nowhere").status_code == 200, "what is refused does not count"
    assert offer("smoking").status_code == 200
    fresh = api.call(
        "POST",
        "/v1/captures",
        {
            "message": "I smoke",
            "said_on": "2026-08-20",
            "candidates": [{"topic": "one more", "span": "I smoke"}],
        },
        as_="capture",
    )
    assert fresh.status_code == 200, "another token of the same person"


def test_a_capture_that_is_held_back_keeps_nothing(api: Api) -> None:
    api.app.state.coining = Limiter(1, 0.001)
    body = {
        "message": "I smoke",
        "said_on": "2026-08-20",
        "candidates": [{"topic": label, "span": "I smoke"} for label in ("smoking", "one", "another")],
    }
    assert api.call("POST", "/v1/captures", body, as_="capture").status_code == 429
    assert api.entries() == []
    assert api.database.rows("select key from ledger.topic where not listed") == []


# ── The answer depends on the request alone ──────────────────────────────────────────────────────


def test_what_a_capture_answers_does_not_tell_what_is_stored(api: Api) -> None:
    def answer(who: str) -> tuple[Any, ...]:
        body = {
            "message": "I smoke",
            "said_on": "2026-08-20",
            "candidates": [{"topic": "smoking", "span": "I smoke"}],
        }
        response = api.call("POST", "/v1/captures", body, as_="capture", who=who)
        return response.status_code, response.content, sorted(response.headers.items())

    unknown = answer("nobody")
    capture(api, "I smoke outdoors", ("smoking", "I smoke outdoors"), said_on="2026-08-30", who="newer")
    api.call("PUT", "/v1/me/objection", as_="principal", who="objecting")
    api.decide("revoked", who="revoked")
    api.call("DELETE", "/v1/me", as_="principal", who="erased")
    capture(api, "I smoke", ("smoking", "I smoke"), who="held")
    api.call("PUT", "/v1/operator/legal-holds", {"principal": "held"}, as_="operator")
    for who in ("nobody", "newer", "objecting", "revoked", "erased", "held"):
        assert answer(who) == unknown, who
    assert kept(api, "newer") == {"smoking": "I smoke outdoors"}
    assert kept(api, "objecting") == kept(api, "erased") == {}


# ── Reconfirmations ──────────────────────────────────────────────────────────────────────────────


def reconfirm(api: Api, message: str, still_true: bool, who: str = "alex", **more: Any) -> Any:
    body = {
        "topic": "smoking",
        "message": message,
        "span": message,
        "said_on": "2026-09-01",
        "still_true": still_true,
        **more,
    }
    response = api.call("POST", "/v1/reconfirmations", body, as_="capture", who=who)
    assert response.status_code == 200, response.text
    return response.json()


@pytest.fixture
def stale(api: Api) -> Api:
    capture(api, "I smoke outdoors", ("smoking", "I smoke outdoors"), said_on="2026-03-09")
    api.decide("granted")
    return api


def test_yes_makes_it_fresh(stale: Api) -> None:
    assert reconfirm(stale, "Yes", True) == {"accepted": True}
    assert [(item["as_of"], item["freshness"]) for item in stale.entries()] == [("2026-09-01", "fresh")]


def test_no_takes_it_back(stale: Api) -> None:
    assert reconfirm(stale, "No", False) == {"accepted": True}
    assert stale.entries() == []


def test_one_that_contradicts_itself_is_refused(stale: Api) -> None:
    refused = reconfirm(stale, "No", True)
    assert (refused["accepted"], refused["reason"]) == (False, "meaning_cut")
    assert len(stale.entries()) == 1


def test_it_answers_the_same_where_there_is_nothing_to_confirm(stale: Api) -> None:
    assert reconfirm(stale, "Yes", True, who="nobody") == reconfirm(stale, "Yes", True)
    assert stale.entries("nobody") == []
