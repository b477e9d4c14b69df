"""What a person withholds they see, set and lift, whether or not anything was said on it; and nothing else lifts it."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import psycopg
import pytest

from ledger.core.model import Decision, Handling, Topic
from ledger.db.operation import Surface
from ledger.errors import BadLabel, LegalHold, NotFound
from ledger.service import operators, principals


def withheld(scene: Any, name: str = "ann") -> dict[str, str]:
    """Topic -> id."""
    found = scene.run(principals.withheld(scene.ledger.context, scene.who(name)))
    return {one.topic: one.id for one in found}


def withhold(scene: Any, label: str, name: str = "ann") -> None:
    scene.run(principals.withhold_topic(scene.ledger.context, scene.who(name), label))


def release(scene: Any, topic: str, name: str = "ann") -> None:
    scene.run(principals.withhold(scene.ledger.context, scene.who(name), withheld(scene, name)[topic], False))


def test_a_topic_whose_entry_was_deleted_is_still_seen_as_withheld_and_can_be_lifted(scene):
    scene.say("kids", "I want two kids")
    scene.act(principals.withhold, "kids", True)
    scene.act(principals.delete, "kids")
    assert scene.own() == {} and set(withheld(scene)) == {"kids"}
    release(scene, "kids")
    assert withheld(scene) == {}
    scene.later(1)
    scene.say("kids", "I want three kids")
    assert scene.covered() == {"kids": "fresh"}


@pytest.mark.parametrize(
    "label", ["kids", "Kids", "Favourite Chair"], ids=["listed", "spelled", "never coined"]
)
def test_a_topic_is_withheld_before_anything_was_said_on_it(scene, label):
    scene.decide(Decision.GRANTED)
    withhold(scene, label)
    withhold(scene, label)
    (topic,) = withheld(scene)
    assert scene.audit()["withheld"] == 1
    scene.say(label, "I like the old one best")
    assert scene.recall() == {} and scene.recall(label) == {} and scene.covered(label) == {}
    assert scene.own()[topic].withheld and scene.own()[topic].id == withheld(scene)[topic]
    scene.act(principals.withhold, topic, False)
    assert set(scene.recall(label)) == {topic} and withheld(scene) == {}


def test_to_withhold_coins_nothing(scene):
    registry = scene.database.rows("select t::text from ledger.topic t order by 1")
    withhold(scene, "favourite chair")
    assert scene.database.rows("select t::text from ledger.topic t order by 1") == registry


def test_a_label_stands_for_the_topic_that_it_leads_to(scene):
    context = scene.ledger.context
    scene.run(operators.put_alias(context, "kids", "children"))
    scene.list_topic("offspring")
    scene.merge("offspring", "kids")
    for label in ("children", "offspring", "kids"):
        withhold(scene, label)
        assert set(withheld(scene)) == {"kids"}


@pytest.mark.parametrize("label", ["", "   ", "call 555 123 4567", "a/b", "x" * 65, "kids\nkids"])
def test_a_label_that_can_not_name_a_topic_is_refused(scene, label):
    with pytest.raises(BadLabel):
        withhold(scene, label)
    assert withheld(scene) == {}


def test_a_name_that_the_deployment_avoids_is_not_kept_as_a_topic(database, settings_for, tmp_path):
    from ledger.service.ledger import Ledger

    names = tmp_path / "avoid.txt"
    names.write_text("Marta\n", "utf-8")
    with Ledger.open(settings_for(database, avoid_file=names)) as ledger:
        with pytest.raises(BadLabel):
            ledger.principal("ann").withhold_topic("Marta and kids")
        assert ledger.principal("ann").withheld() == []


def test_not_even_the_login_itself_withholds_free_text(scene):
    own = scene.database.surface(Surface.PRINCIPAL)
    for text in ("whatever I wish to write down", "person@example.org", "x" * 65):
        with pytest.raises(psycopg.errors.CheckViolation):
            own.execute("select ledger.own_withhold(%s, %s, true)", (scene.who(), text))


def test_one_lifts_nothing_of_another(scene):
    withhold(scene, "kids")
    with pytest.raises(NotFound):
        scene.run(principals.withhold(scene.ledger.context, scene.who("bob"), withheld(scene)["kids"], False))
    assert withheld(scene, "bob") == {} and set(withheld(scene)) == {"kids"}


# ── Nothing but the person lifts it ──────────────────────────────────────────────────────────────


def test_it_outlives_sweeps_and_every_window(scene):
    scene.say("kids", "I want two kids")
    withhold(scene, "kids")
    withhold(scene, "favourite chair")
    scene.later(700)
    assert scene.sweep()["entries"] == 1
    assert set(withheld(scene)) == {"kids", "favourite_chair"}


def test_a_merge_takes_it_along_without_an_entry(scene):
    scene.list_topic("children")
    withhold(scene, "children")
    scene.merge("children", "kids")
    assert set(withheld(scene)) == {"kids"}
    scene.say("kids", "I want two kids")
    assert scene.covered() == {}


@pytest.mark.parametrize("by", ["an alias", "a starter pack"])
def test_nor_does_a_label_that_leads_elsewhere_from_now_on_let_it_go(scene, by):
    """A label that nobody had coined becomes another label of a topic: what is captured by it lies there."""
    context = scene.ledger.context
    withhold(scene, "children")
    withhold(scene, "diet")
    if by == "an alias":
        scene.run(operators.put_alias(context, "kids", "children"))
    else:
        scene.run(operators.adopt(context, Topic("kids", aliases=("children",))))
    assert set(withheld(scene)) == {"diet", "kids"}
    scene.say("children", "I want two kids")
    assert scene.stored() == {"kids": "I want two kids"} and scene.covered() == {}
    stamps = scene.database.rows("select count(distinct xmin::text) from ledger.withheld")
    assert stamps == [(1,)], "laid anew together"


def test_a_hold_and_its_end_leave_what_is_withheld_though_nobody_coined_it(scene):
    withhold(scene, "favourite chair")
    withhold(scene, "kids")
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    withhold(scene, "pets")
    scene.run(operators.lift_hold(scene.ledger.context, scene.who()))
    assert set(withheld(scene)) == {"favourite_chair", "kids", "pets"}


def test_after_a_merge_under_a_hold_the_old_key_goes_with_the_hold_and_the_new_one_stays(scene):
    scene.list_topic("children")
    scene.say("kids", "I want two kids")
    scene.say("children", "I want three kids", on=scene.today - timedelta(days=1))
    withhold(scene, "children")
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    scene.merge("children", "kids")
    assert set(withheld(scene)) == {"children", "kids"}, "each has an answer, and each answer is kept back"
    scene.act(principals.withhold, "children", True)
    scene.run(operators.lift_hold(scene.ledger.context, scene.who()))
    assert set(withheld(scene)) == {"kids"} and scene.covered() == {}


def test_what_is_released_under_the_new_key_while_the_old_one_is_withheld_is_withheld_again_with_the_hold(
    scene,
):
    scene.list_topic("children")
    scene.say("kids", "I want two kids", on=scene.today - timedelta(days=1))
    scene.say("children", "I want three kids")
    withhold(scene, "children")
    scene.decide(Decision.GRANTED)
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    scene.merge("children", "kids")
    release(scene, "kids")
    assert scene.quotes() == {"kids": "I want two kids"}
    scene.run(operators.lift_hold(scene.ledger.context, scene.who()))
    assert scene.stored() == {"kids": "I want three kids"} and scene.covered() == {}
    assert set(withheld(scene)) == {"kids"}


# ── Under a legal hold ───────────────────────────────────────────────────────────────────────────


def test_while_an_erasure_waits_nothing_is_seen_set_or_lifted(scene):
    """It would be erased with the rest, and be gone when the person believes that it stands."""
    withhold(scene, "kids")
    kids = withheld(scene)["kids"]
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    assert scene.run(principals.erase(scene.ledger.context, scene.who())).withheld == 1
    assert withheld(scene) == {}
    assert scene.run(principals.export(scene.ledger.context, scene.who())).withheld == ()
    with pytest.raises(LegalHold):
        withhold(scene, "pets")
    with pytest.raises(NotFound):
        scene.run(principals.withhold(scene.ledger.context, scene.who(), kids, False))
    assert scene.database.rows("select topic from ledger.withheld") == [("kids",)]
    scene.run(operators.lift_hold(scene.ledger.context, scene.who()))
    assert scene.database.rows("select topic from ledger.withheld") == []
    withhold(scene, "pets")
    assert set(withheld(scene)) == {"pets"}


def test_what_a_hold_alone_keeps_is_hidden_and_is_no_decision_of_theirs(scene):
    scene.list_topic("tattoos", "Do you have tattoos?", Handling.OPEN)
    scene.say("tattoos", "No", asked="Do you have tattoos?")
    scene.decide(Decision.GRANTED)
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    scene.change("tattoos", {"question": "Are you free of tattoos?"})
    assert withheld(scene) == {} and scene.own()["tattoos"].withheld and scene.covered() == {}
    withhold(scene, "tattoos")
    release(scene, "tattoos")
    assert scene.own()["tattoos"].withheld and scene.covered() == {}, "nor is it let go through the list"
    scene.run(operators.lift_hold(scene.ledger.context, scene.who()))
    scene.say("tattoos", "I have many")
    assert scene.quotes() == {"tattoos": "I have many"}, "nothing is kept back afterwards"
