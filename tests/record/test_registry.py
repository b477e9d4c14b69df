"""Restrictions and merges of the registry, and what was taken away around them, after a restore."""

from __future__ import annotations

from typing import Any

import pytest

from ledger.service import operators

from .house import House


def merge(house: House, label: str, into: str) -> None:
    context = house.ledger.context
    seen = house.run(operators.topic(context, label))
    preview = house.run(operators.merge(context, label, into, dry_run=True))
    house.run(operators.merge(context, label, into, operators.etag(seen), preview.token))


def change(house: House, label: str, **fields: Any) -> None:
    context = house.ledger.context
    seen = house.run(operators.topic(context, label))
    preview = house.run(operators.change(context, label, fields, dry_run=True))
    house.run(operators.change(context, label, fields, operators.etag(seen), preview.token))


@pytest.fixture
def told(house: House) -> House:
    """Ann consents, and said something on cats and on cars."""
    house.say("cats", "I have three cats")
    house.say("cars", "I have two cars")
    house.decide("granted")
    return house


def handling(house: House, key: str) -> Any:
    return house.database.rows("select handling, listed from ledger.topic where key = %s", key)


def test_what_was_deleted_under_the_topic_that_another_was_merged_into_is_gone(told: House) -> None:
    backup = told.backup()
    merge(told, "cats", "chairs")
    told.run(told.deleting("chairs"))
    told.restore(backup)
    told.reconcile()
    assert told.quotes() == told.stored() == {"I have two cars"} and not told.ahead


def test_what_was_deleted_before_a_merge_takes_nothing_of_the_topic_that_stays(told: House) -> None:
    backup = told.backup()
    told.run(told.deleting("cats"))
    merge(told, "cats", "cars")
    told.restore(backup)
    told.reconcile()
    assert told.quotes() == {"I have two cars"} and not told.ahead


def test_what_was_withheld_under_a_key_that_was_merged_is_withheld_where_it_went(told: House) -> None:
    told.run(told.withholding("cats"))
    merge(told, "cats", "chairs")
    told.reopen()
    assert not told.ahead
    backup_after = told.backup()
    told.run(told.releasing("chairs"))
    assert told.quotes() == {"I have three cats", "I have two cars"} and not told.ahead
    told.run(told.withholding("chairs"))
    told.restore(backup_after)
    assert not told.ahead and told.quotes() == {"I have two cars"}


def test_a_topic_that_was_forbidden_since_is_forbidden_again(told: House) -> None:
    backup = told.backup()
    change(told, "cats", handling="forbidden")
    told.restore(backup)
    assert told.ahead
    told.reconcile()
    assert handling(told, "cats") == [("forbidden", True)] and told.stored() == {"I have two cars"}


def test_a_topic_that_was_loosened_is_not_restricted_again_and_stays_withheld(told: House) -> None:
    change(told, "cats", handling="sealed")
    backup = told.backup()
    change(told, "cats", handling="open")
    told.reopen()
    assert not told.ahead and told.quotes() == {"I have two cars"}
    told.restore(backup)
    told.reconcile()
    assert handling(told, "cats") == [("sealed", True)] and told.quotes() == {"I have two cars"}


def test_a_topic_that_was_unlisted_since_is_unlisted_again(told: House) -> None:
    backup = told.backup()
    change(told, "cats", listed=False)
    told.restore(backup)
    told.reconcile()
    assert handling(told, "cats") == [("open", False)]
    told.run(operators.create(told.ledger.context, "cats", {"handling": "open"}))
    told.reopen()
    assert not told.ahead


def test_a_topic_that_nobody_knows_any_more_is_hidden_the_day_it_is_coined_again(told: House) -> None:
    backup = told.backup()
    told.run(told.withholding("dogs"))
    told.restore(backup)
    told.reconcile()
    assert not told.ahead
    told.say("dogs", "I have one dog")
    assert "I have one dog" in told.stored()
    assert {e.answer for e in told.ledger.principal("ann").recall(["dogs", "cars"]).entries} == {
        "I have two cars"
    }
    told.run(told.releasing("dogs"))
    told.reopen()
    assert not told.ahead
    assert "I have one dog" in {e.answer for e in told.ledger.principal("ann").recall(["dogs"]).entries}


def test_what_a_topic_that_nobody_knows_any_more_was_restricted_to_stays_in_the_record(told: House) -> None:
    backup = told.backup()
    context = told.ledger.context
    told.run(operators.create(context, "dogs", {"handling": "forbidden"}))
    told.restore(backup)
    told.reconcile()
    assert not told.ahead
    told.reopen()
    assert not told.ahead, "what has no name here stands under its mark"


def test_what_a_hold_keeps_is_hidden_and_not_deleted(told: House) -> None:
    backup = told.backup()
    told.run(told.deleting("cats"))
    told.run(told.holding())
    told.restore(backup)
    told.reconcile()
    assert told.quotes() == {"I have two cars"} and told.stored() == {"I have three cats", "I have two cars"}


def test_an_erasure_that_waits_for_the_end_of_a_hold_waits_again(told: House) -> None:
    backup = told.backup()
    told.run(told.holding())
    told.run(told.erasing())
    told.restore(backup)
    told.reconcile()
    assert told.quotes() == set() and len(told.stored()) == 2
    told.run(told.lifting())
    assert told.stored() == set()
    told.reopen()
    assert not told.ahead


def test_what_is_withheld_follows_a_label_that_is_put_moved_and_deleted_and_nobody_is_locked_out(
    told: House,
) -> None:
    told.run(told.withholding("kittens"))
    for topic, puts in (("cats", True), ("chairs", True), ("chairs", False), ("cats", True)):
        step = operators.put_alias if puts else operators.delete_alias
        told.run(step(told.ledger.context, topic, "kittens"))
        told.reopen()
        assert not told.ahead and told.quotes() == {"I have two cars"}
        assert told.sweep()["behind"] == 0
    backup = told.backup()
    told.run(told.releasing("cats"))
    told.reopen()
    assert not told.ahead and told.quotes() == {"I have three cats", "I have two cars"}
    told.run(told.withholding("kittens"))  # under every key to which the label led
    told.restore(backup)
    told.reconcile()
    assert told.quotes() == {"I have two cars"}
