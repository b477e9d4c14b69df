"""Calls of the principal himself."""

from __future__ import annotations

from datetime import date
from typing import Any

import jsonschema
import pytest

from .world import Api

ME = "/v1/me"


def me(
    api: Api, method: str, path: str = "", body: Any = None, *, status: int = 200, who: str = "alex"
) -> Any:
    response = api.call(method, ME + path, body, as_="principal", who=who)
    assert response.status_code == status, response.text
    if status == 204:
        assert response.content == b""
        return None
    return response.json()


@pytest.fixture
def told(api: Api) -> Api:
    api.capture("kids", "I want two kids")
    api.capture("smoking", "I smoke outdoors", "2026-03-09")
    return api


def id_of(api: Api, topic: str) -> str:
    return next(str(item["id"]) for item in api.entries() if item["topic"] == topic)


def test_he_sees_what_is_kept_and_until_when(told: Api) -> None:
    kids, smoking = told.entries()
    assert {**kids, "id": ""} == {
        "id": "",
        "topic": "kids",
        "answer": "I want two kids",
        "question": "Do you want kids?",
        "as_of": "2026-08-20",
        "freshness": "fresh",
        "fresh_until": "2026-12-18",
        "kept_until": "2028-02-10",
        "withheld": False,
        "pending": False,
    }
    assert (smoking["topic"], smoking["freshness"]) == ("smoking", "reconfirm")


def test_an_id_names_no_topic_and_is_nobody_else_s(told: Api) -> None:
    told.capture("kids", "three please", who="kim")
    mine, hers = id_of(told, "kids"), told.entries("kim")[0]["id"]
    assert mine != hers
    assert id_of(told, "kids") == mine
    me(told, "DELETE", f"/entries/{hers}", status=404)
    assert len(told.entries("kim")) == 1


def test_he_corrects_in_his_own_words(told: Api) -> None:
    me(told, "PUT", f"/entries/{id_of(told, 'kids')}", {"answer": "I want one child"}, status=204)
    assert told.entries()[0]["answer"] == "I want one child"
    assert told.entries()[0]["as_of"] == "2026-09-01"


@pytest.mark.parametrize("answer", ["", "   ", "x" * 501, "my card is 4111 1111 1111 1111"])
def test_words_that_are_not_fit_to_keep_are_refused(told: Api, answer: str) -> None:
    refused = me(told, "PUT", f"/entries/{id_of(told, 'kids')}", {"answer": answer}, status=422)
    assert refused["problems"][0]["at"] == "answer"
    assert not answer.strip() or answer not in str(refused)


def test_he_deletes_and_it_stays_deleted(told: Api) -> None:
    told.decide("granted")
    me(told, "DELETE", f"/entries/{id_of(told, 'kids')}", status=204)
    told.capture("kids", "I want two kids")  # said before, captured late
    assert [item["topic"] for item in told.entries()] == ["smoking"]
    assert [one["topic"] for one in told.recall()["entries"]] == ["smoking"]


@pytest.mark.parametrize("id", ["kids", "0" * 32, "..%2f..", "%00", "*", "%25"])
@pytest.mark.parametrize(
    ("method", "rest", "body"),
    [
        ("PUT", "", {"answer": "x y"}),
        ("DELETE", "", None),
        ("POST", "/decision", {"keep": True}),
        ("PUT", "/withheld", None),
        ("DELETE", "/withheld", None),
    ],
)
def test_what_is_not_there_is_not_found(told: Api, id: str, method: str, rest: str, body: Any) -> None:
    refused = me(told, method, f"/entries/{id}{rest}", body, status=404)
    assert refused["type"] == "urn:answer-ledger:problem:not-found"
    assert len(told.entries()) == 2


def test_a_pending_answer_waits_for_his_yes(api: Api) -> None:
    api.list_topic("diagnosis", handling="confirm")
    api.decide("granted")
    api.capture("diagnosis", "I have asthma")
    (item,) = api.entries()
    assert item["pending"] is True
    assert api.recall(topics=["diagnosis"])["entries"] == []
    me(api, "POST", f"/entries/{item['id']}/decision", {"keep": True}, status=204)
    assert api.entries()[0]["pending"] is False
    assert len(api.recall(topics=["diagnosis"])["entries"]) == 1


def test_or_for_his_no(api: Api) -> None:
    api.list_topic("diagnosis", handling="confirm")
    api.capture("diagnosis", "I have asthma")
    me(api, "POST", f"/entries/{api.entries()[0]['id']}/decision", {"keep": False}, status=204)
    assert api.entries() == []


def test_he_keeps_a_topic_back_from_all_agents(told: Api) -> None:
    told.decide("granted")
    me(told, "PUT", f"/entries/{id_of(told, 'kids')}/withheld", status=204)
    assert told.entries()[0]["withheld"] is True
    assert [one["topic"] for one in told.recall()["entries"]] == ["smoking"]
    me(told, "DELETE", f"/entries/{id_of(told, 'kids')}/withheld", status=204)
    assert len(told.recall()["entries"]) == 2


def withheld(api: Api, who: str = "alex") -> list[str]:
    return [item["topic"] for item in me(api, "GET", "/withheld", who=who)["items"]]


def test_what_is_withheld_is_seen_and_lifted_also_without_an_entry(told: Api) -> None:
    told.decide("granted")
    id = id_of(told, "kids")
    me(told, "PUT", f"/entries/{id}/withheld", status=204)
    me(told, "DELETE", f"/entries/{id}", status=204)
    assert me(told, "GET", "/withheld") == {"items": [{"id": id, "topic": "kids"}]}
    assert me(told, "GET", "/export")["withheld"] == ["kids"]
    me(told, "DELETE", f"/withheld/{id}", status=404, who="kim")
    me(told, "DELETE", f"/withheld/{id}", status=204)
    assert withheld(told) == []
    me(told, "DELETE", f"/withheld/{id}", status=404)


def test_a_topic_is_withheld_by_any_label_and_the_answer_does_not_say_whether_there_is_one(told: Api) -> None:
    told.decide("granted")
    told.capture("favourite chair", "I like the old armchair")
    sent = [
        told.call("POST", "/v1/me/withheld", {"topic": label}, as_="principal")
        for label in ("Kids", "favourite chair", "never coined")
    ]
    assert {(one.status_code, one.content) for one in sent} == {(204, b"")}
    assert len({str(sorted(one.headers.items())) for one in sent}) == 1
    assert withheld(told) == ["favourite_chair", "kids", "never_coined"] and withheld(told, "kim") == []
    assert [one["topic"] for one in told.recall()["entries"]] == ["smoking"]
    assert told.recall(topics=["favourite chair"])["entries"] == []


@pytest.mark.parametrize("topic", ["", "a@b.example", "call 555 123 4567", "a/b", None, 1, ["kids"]])
def test_a_label_that_names_no_topic_is_not_withheld(told: Api, topic: Any) -> None:
    me(told, "POST", "/withheld", {"topic": topic}, status=422)
    assert withheld(told) == []


# ── Consent ──────────────────────────────────────────────────────────────────────────────────────


def test_consent_is_his_and_reads_as_decided(api: Api) -> None:
    assert me(api, "GET", "/consent") == {
        "decision": None,
        "decided_on": None,
        "notice": None,
        "tier": "topics",
    }
    granted = {"decision": "granted", "decided_on": "2026-09-01", "notice": "v1", "tier": "full"}
    assert me(api, "PUT", "/consent", {"decision": "granted", "notice": "v1"}) == granted
    assert me(api, "GET", "/consent") == granted
    assert me(api, "PUT", "/consent", {"decision": "revoked", "notice": "v1"})["tier"] == "none"


def test_a_stale_page_does_not_grant_again(told: Api) -> None:
    page = told.call("GET", "/v1/me/consent", as_="principal").headers["etag"]
    body = {"decision": "granted", "notice": "v1"}

    def put(etag: str) -> Any:
        return told.call("PUT", "/v1/me/consent", body, as_="principal", headers=[("If-Match", etag)])

    told.decide("revoked")
    standing = me(told, "GET", "/consent")
    refused = put(page)
    assert (refused.status_code, refused.json()["type"]) == (
        412,
        "urn:answer-ledger:problem:precondition-failed",
    )
    assert page not in refused.text and "etag" not in refused.headers
    assert me(told, "GET", "/consent") == standing and told.recall()["entries"] == []
    done = put(told.call("GET", "/v1/me/consent", as_="principal").headers["etag"])
    assert done.status_code == 200 and done.json()["tier"] == "full"
    assert done.headers["etag"] == told.call("GET", "/v1/me/consent", as_="principal").headers["etag"] != page


def test_the_etag_of_a_decision_is_no_mark_of_whose_it_is(api: Api) -> None:
    """A hash of what the answer says in words, the same for everybody."""
    for who in ("alex", "kim"):
        api.decide("granted", who)
    etags = {
        api.call("GET", "/v1/me/consent", as_="principal", who=who).headers["etag"] for who in ("alex", "kim")
    }
    assert len(etags) == 1


@pytest.mark.parametrize(
    "decision", ["GRANTED", "granted ", "all", "", None, 1, True, "on", ["granted"], "full", "undecided"]
)
def test_no_other_word_grants(told: Api, decision: Any) -> None:
    refused = me(told, "PUT", "/consent", {"decision": decision, "notice": "v1"}, status=422)
    assert refused["problems"] == [{"at": "decision", "message": "This must be 'granted' or 'revoked'."}]
    assert told.recall()["entries"] == []


@pytest.mark.parametrize(
    "notice", ["", " ", "a\nb", "x" * 65, 1, None, "v2", "V1", "v1 ", "2026-11-30T14:03 thread/42", "2026-06"]
)
def test_a_notice_is_a_version_that_there_is_a_file_of(untouched: Api, notice: Any) -> None:
    refused = me(untouched, "PUT", "/consent", {"decision": "granted", "notice": notice}, status=422)
    assert refused["problems"][0]["at"] == "notice"


def test_revoking_locks_and_destroys_nothing(told: Api) -> None:
    told.decide("granted")
    told.decide("revoked")
    told.capture("kids", "I want three kids", "2026-08-25")
    assert told.recall()["entries"] == []
    assert len(told.entries()) == 2
    told.decide("granted")
    assert [one.get("quote") for one in told.recall()["entries"]] == ["I want three kids", None]


def test_every_decision_has_a_receipt(api: Api) -> None:
    for decision in ("granted", "revoked"):
        api.decide(decision)
    items = me(api, "GET", "/consent/receipts")["items"]
    assert len(items) == 2
    assert all(item["privacy_notice"] == "v1" for item in items)
    assert "T" not in items[0]["events"][0]["event_time"]


def test_an_objection_is_answered_as_ever_and_nothing_is_kept(api: Api) -> None:
    me(api, "PUT", "/objection", status=204)
    me(api, "PUT", "/objection", status=204)
    assert api.capture("kids", "I want two kids")["accepted"] is True
    assert api.entries() == []
    me(api, "DELETE", "/objection", status=204)
    api.capture("kids", "I want two kids", "2026-09-01")
    assert api.entries() == [], "said before it was lifted, for all that is known"
    api.database.day(date(2026, 9, 2))
    api.capture("kids", "I want two kids", "2026-09-02")
    assert len(api.entries()) == 1


# ── Taking away and erasing ──────────────────────────────────────────────────────────────────────


def test_the_export_is_everything_by_its_own_schema(told: Api) -> None:
    told.decide("granted")
    me(told, "PUT", f"/entries/{id_of(told, 'kids')}/withheld", status=204)
    document = me(told, "GET", "/export")
    jsonschema.validate(document, document["schema"])
    assert document["count"] == len(document["entries"]) == 2
    assert [item["answer"] for item in document["entries"]] == ["I want two kids", "I smoke outdoors"]
    assert document["consent"]["decision"] == "granted"
    assert document["withheld"] == ["kids"]
    assert me(told, "GET", "/export") == document


def test_the_export_comes_as_a_file_whose_name_says_nothing(told: Api) -> None:
    response = told.call("GET", "/v1/me/export", as_="principal")
    assert response.headers["content-disposition"] == 'attachment; filename="answer-ledger.json"'


def test_what_is_dropped_stands_marked_in_the_export_only(api: Api) -> None:
    api.capture("kids", "I want two kids", "2025-03-11")
    api.database.day(date(2026, 9, 2))
    assert api.entries() == []
    assert [item["freshness"] for item in me(api, "GET", "/export")["entries"]] == ["dropped"]


def test_erasing_gives_a_receipt_that_counts_and_names_nothing(told: Api) -> None:
    told.decide("granted")
    assert me(told, "DELETE") == {"entries": 2, "pending": 0, "withheld": 0, "on_hold": False}
    assert told.entries() == []
    assert me(told, "GET", "/consent")["decision"] == "revoked"
    told.capture("kids", "I want two kids")  # said before, captured late
    assert told.entries() == []


def test_under_a_hold_it_is_hidden_and_completed_when_the_hold_is_lifted(told: Api) -> None:
    hold = {"principal": "alex"}
    assert told.call("PUT", "/v1/operator/legal-holds", hold, as_="operator").status_code == 204
    refused = told.call("DELETE", f"/v1/me/entries/{id_of(told, 'kids')}", as_="principal")
    assert (refused.status_code, refused.json()["type"]) == (409, "urn:answer-ledger:problem:legal-hold")
    assert me(told, "DELETE")["on_hold"] is True
    assert told.entries() == []
    assert told.database.rows("select count(*) from ledger.entry") == [(2,)]
    assert told.call("DELETE", "/v1/operator/legal-holds", hold, as_="operator").status_code == 204
    assert told.database.rows("select count(*) from ledger.entry") == [(0,)]


@pytest.mark.parametrize(
    "body", [{}, {"principal": None}, {"principal": ""}, {"principal": "*"}, {"principal": "%"}]
)
def test_whom_to_erase_is_not_for_a_body_to_say(told: Api, body: dict[str, Any]) -> None:
    me(told, "DELETE", "", body, status=422)
    assert len(told.entries()) == 2
