"""G7: what a person took away stays away, however late it is captured, and nothing older undoes what is newer."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ledger.core.model import Decision
from ledger.service import captures, principals


def objects(scene, yes: bool, name: str = "ann") -> None:
    scene.run(principals.object_(scene.ledger.context, scene.who(name), yes))


def barriers(scene, name: str = "ann") -> list:
    return scene.database.rows(
        "select mark, not_before from ledger.barrier where principal = %s", scene.who(name)
    )


# ── An objection that is lifted ──────────────────────────────────────────────────────────────────


def test_what_was_said_under_an_objection_is_not_kept_when_it_is_captured_after_it_was_lifted(scene):
    objects(scene, True)
    scene.later(3)
    objects(scene, False)
    for days_ago in (3, 2, 0):
        said = scene.say("pets", "I have two cats", on=scene.today - timedelta(days=days_ago))
        assert said.verdict.accepted, "answered as ever"
    assert scene.stored() == {}
    scene.later(1)
    scene.say("pets", "I have two cats", on=scene.today - timedelta(days=1))
    assert scene.stored() == {}
    scene.say("pets", "I have three cats")
    assert scene.stored() == {"pets": "I have three cats"}


def test_lifting_an_objection_touches_neither_what_was_kept_before_nor_anybody_else(scene):
    scene.say("kids", "I want two kids")
    objects(scene, True)
    objects(scene, False)
    scene.say("kids", "I want three kids")
    scene.say("kids", "I want four kids", name="bob")
    assert scene.stored() == {"kids": "I want two kids"}
    assert scene.stored("bob") == {"kids": "I want four kids"} and barriers(scene, "bob") == []


def test_nor_is_a_reconfirmation_that_was_said_under_it_made_afterwards(scene):
    scene.say("smoking", "I smoke outdoors")
    scene.decide(Decision.GRANTED)
    scene.later(130)
    objects(scene, True)
    objects(scene, False)

    def says_no() -> None:
        verdict = scene.run(
            captures.reconfirm(
                scene.ledger.context, scene.who(), "smoking", "No", "No", scene.today, still_true=False
            )
        )
        assert verdict.accepted

    says_no()
    assert scene.stored() == {"smoking": "I smoke outdoors"}
    scene.later(1)
    says_no()
    assert scene.stored() == {}


@pytest.mark.parametrize("before", ["nothing", "lifted long ago"])
def test_lifting_an_objection_that_does_not_stand_sets_nothing(scene, before):
    if before == "lifted long ago":
        objects(scene, True)
        objects(scene, False)
        scene.later(30)
    stood, told = barriers(scene), scene.audit()
    objects(scene, False)
    assert barriers(scene) == stood and scene.audit() == told
    scene.say("pets", "I have two cats")
    assert scene.stored() == {"pets": "I have two cats"}


def test_an_objection_that_is_placed_twice_and_lifted_once_is_lifted(scene):
    objects(scene, True)
    objects(scene, True)
    objects(scene, False)
    ((_, until),) = barriers(scene)
    assert until == scene.today + timedelta(days=1)
    assert scene.audit() == {"objected": 1, "objection_lifted": 1}
