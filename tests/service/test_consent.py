"""A decision upon a page that was left open changes nothing where another decision stands by now."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from ledger.core.model import Consent, Decision, Tier
from ledger.errors import InvalidRequest, PreconditionFailed
from ledger.service import principals

GRANTED, REVOKED = Decision.GRANTED, Decision.REVOKED


def decide(scene: Any, decision: Decision, if_match: str | None = None, notice: str = "v1") -> Any:
    return principals.decide_consent(scene.ledger.context, scene.who(), decision, notice, if_match)


def standing(scene: Any) -> Consent:
    found: Consent = scene.run(principals.consent(scene.ledger.context, scene.who()))
    return found


def lasting(scene: Any) -> list[str]:
    """Everything that a decision leaves behind."""
    tables = ("consent", "consent_history", "audit")
    return sorted(
        row for table in tables for (row,) in scene.database.rows(f"select t::text from ledger.{table} t")
    )


def test_the_etag_is_that_of_decision_day_and_notice_and_of_nothing_else(scene):
    undecided = standing(scene)
    granted = scene.run(decide(scene, GRANTED))
    others = [
        undecided,
        granted,
        replace(granted, decision=REVOKED),
        replace(granted, notice="v2"),
        replace(granted, decided_on=scene.today + timedelta(days=1)),
    ]
    assert len({one.etag for one in others}) == 5
    assert replace(granted, tier=Tier.NONE).etag == granted.etag
    assert standing(scene).etag == granted.etag, "the one that a decision answers with"
    scene.run(principals.object_(scene.ledger.context, scene.who(), True))
    assert standing(scene).etag == granted.etag


@pytest.mark.parametrize("seen", ["undecided", "granted"])
def test_a_page_that_was_left_open_never_grants_again(scene, seen):
    if seen == "granted":
        scene.run(decide(scene, GRANTED))
        scene.later(1)
    page = standing(scene).etag
    scene.run(decide(scene, REVOKED))
    before = lasting(scene)
    with pytest.raises(PreconditionFailed):
        scene.run(decide(scene, GRANTED, page))
    assert lasting(scene) == before and standing(scene).decision is REVOKED
    assert scene.run(decide(scene, GRANTED, standing(scene).etag)).decision is GRANTED


def test_it_is_compared_once_more_where_it_is_written(scene):
    """Between the look and the act somebody else decides."""
    deciding = decide(scene, GRANTED, standing(scene).etag)
    look = next(deciding)
    seen = scene.ledger._connections.execute(look)
    scene.run(decide(scene, REVOKED))
    before = lasting(scene)

    def the_rest():
        found = seen
        while True:
            found = yield deciding.send(found)

    with pytest.raises(PreconditionFailed):
        scene.run(the_rest())
    assert lasting(scene) == before and standing(scene).decision is REVOKED


def test_of_many_that_decide_upon_the_same_page_one_does(scene):
    page = standing(scene).etag

    def one(n: int) -> bool:
        try:
            return bool(scene.run(decide(scene, GRANTED if n % 2 else REVOKED, page)))
        except PreconditionFailed:
            return False

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(one, range(12)))
    assert done.count(True) == 1
    assert scene.database.rows("select count(*) from ledger.consent_history") == [(1,)]


@pytest.mark.parametrize(
    ("if_match", "fits"),
    [
        ("*", True), (" * ", True), ("{}", True), ('"other", {}', True), ("{} ,", True),
        ("", False), ('"other"', False), ("W/{}", False), ("granted", False), ('"*"', False),
    ],
)  # fmt: skip
def test_what_if_match_may_say(scene, if_match, fits):
    """Source: RFC 9110, section 13.1.1: any of a list, a star for whatever there is, a weak one never."""
    scene.run(decide(scene, REVOKED))
    sent = if_match.replace("{}", standing(scene).etag)
    if fits:
        assert scene.run(decide(scene, GRANTED, sent)).tier is Tier.FULL
    else:
        with pytest.raises(PreconditionFailed):
            scene.run(decide(scene, GRANTED, sent))
        assert standing(scene).tier is Tier.NONE


def test_without_it_whatever_stands_is_decided_anew(scene):
    for decision in (GRANTED, REVOKED, GRANTED):
        assert scene.run(decide(scene, decision)).decision is decision


def test_a_notice_that_is_none_is_told_first(scene):
    with pytest.raises(InvalidRequest):
        scene.run(decide(scene, GRANTED, '"other"', notice="a\nb"))
    assert lasting(scene) == []
