"""G7 and G2 where operators move labels: what was taken away under a label stays so wherever the label leads afterwards.

Each move is played with each way to take away. Behind it somebody says something under the very same label.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from ledger.core.model import Decision, Handling
from ledger.errors import Conflict
from ledger.service import operators, principals

WORDS = "I have one at home"


def alias(scene: Any, target: str, label: str) -> None:
    scene.run(operators.put_alias(scene.ledger.context, target, label))


def no_alias(scene: Any, target: str, label: str) -> None:
    scene.run(operators.delete_alias(scene.ledger.context, target, label))


def unlist(scene: Any, label: str) -> None:
    scene.change(label, {"listed": False})


def moved_alias(scene: Any) -> None:
    scene.list_topic("beast")
    no_alias(scene, "animal", "critter")
    alias(scene, "beast", "critter")


def alias_of_a_topic_that_was_merged(scene: Any) -> None:
    scene.list_topic("beast")
    no_alias(scene, "animal", "critter")
    scene.merge("animal", "beast")


# what is said -> how the registry is before, and the move
MOVES: dict[str, tuple[str, Callable[[Any], Any], Callable[[Any], Any]]] = {
    "an alias is deleted": (
        "critter",
        lambda s: (s.list_topic("animal"), alias(s, "animal", "critter")),
        lambda s: no_alias(s, "animal", "critter"),
    ),
    "an alias of which a plural was said is deleted": (
        "critters",
        lambda s: (s.list_topic("animal"), alias(s, "animal", "critter")),
        lambda s: no_alias(s, "animal", "critter"),
    ),
    "an alias leads elsewhere": (
        "critter",
        lambda s: (s.list_topic("animal"), alias(s, "animal", "critter")),
        moved_alias,
    ),
    "an alias is deleted, and where it led is merged away": (
        "critter",
        lambda s: (s.list_topic("animal"), alias(s, "animal", "critter")),
        alias_of_a_topic_that_was_merged,
    ),
    "a label becomes an alias": (
        "critter",
        lambda s: s.list_topic("animal"),
        lambda s: alias(s, "animal", "critter"),
    ),
    "a label becomes an alias after its key went with the sweep": (
        "critter",
        lambda s: s.list_topic("animal"),
        lambda s: (s.later(2), s.sweep(), alias(s, "animal", "critter"), s.later(-2)),
    ),
    "a label becomes an alias, and is none again": (
        "critter",
        lambda s: s.list_topic("animal"),
        lambda s: (alias(s, "animal", "critter"), no_alias(s, "animal", "critter")),
    ),
    "a topic is listed of which a plural was said": (
        "ferrets",
        lambda s: None,
        lambda s: s.list_topic("ferret"),
    ),
    "a plural is listed by itself": (
        "ferrets",
        lambda s: s.list_topic("ferret"),
        lambda s: s.list_topic("ferrets"),
    ),
    "a plural becomes an alias of another topic": (
        "ferrets",
        lambda s: (s.list_topic("ferret"), s.list_topic("animal")),
        lambda s: alias(s, "animal", "ferrets"),
    ),
    "a second topic is listed to which it is as near": (
        "parking_spaces",
        lambda s: s.list_topic("parking_space"),
        lambda s: s.list_topic("space_parking"),
    ),
    "a topic is unlisted of which a plural was said": (
        "parrots",
        lambda s: s.list_topic("parrot"),
        lambda s: unlist(s, "parrot"),
    ),
    "a topic is unlisted of which a slip was said": (
        "parakete",
        lambda s: s.list_topic("parakeet"),
        lambda s: unlist(s, "parakeet"),
    ),
    "a topic is unlisted of whose alias a plural was said": (
        "budgies",
        lambda s: (s.list_topic("parrot"), alias(s, "parrot", "budgie")),
        lambda s: unlist(s, "parrot"),
    ),
    "a topic is unlisted, and a plural of it is listed": (
        "parrots",
        lambda s: s.list_topic("parrot"),
        lambda s: (unlist(s, "parrot"), s.list_topic("parrots")),
    ),
}
every_move = pytest.mark.parametrize(
    ("label", "before", "move"), [pytest.param(*played, id=name) for name, played in MOVES.items()]
)


def only_topic(scene: Any) -> str:
    (topic,) = scene.stored()
    return str(topic)


@every_move
def test_what_was_deleted_does_not_come_back_under_the_label_by_which_it_was_said(scene, label, before, move):
    before(scene)
    scene.say(label, WORDS)
    scene.say(label, WORDS, name="bob")
    scene.act(principals.delete, only_topic(scene))
    move(scene)
    assert scene.say(label, WORDS).verdict.accepted, "answered as ever"
    assert scene.stored() == {}
    scene.later(2)
    scene.say(label, WORDS, on=scene.today - timedelta(days=2))
    assert scene.stored() == {}
    assert WORDS in scene.stored("bob").values(), "nobody else's is touched"
    scene.say(label, WORDS)
    assert list(scene.stored().values()) == [WORDS], "what is said after the deletion is kept"


@every_move
def test_what_is_withheld_under_a_label_is_withheld_where_the_label_leads(scene, label, before, move):
    before(scene)
    scene.decide(Decision.GRANTED)
    scene.decide(Decision.GRANTED, "bob")
    scene.run(principals.withhold_topic(scene.ledger.context, scene.who(), label))
    move(scene)
    for name in ("ann", "bob"):
        scene.say(label, WORDS, name=name)
    assert scene.recall(label) == {} and scene.covered(label) == {}
    assert scene.own()[only_topic(scene)].withheld
    assert [entry.answer for entry in scene.recall(label, name="bob").values()] == [WORDS]


def test_what_is_withheld_under_a_label_is_withheld_where_it_leads_again(scene):
    scene.list_topic("parrot")
    scene.decide(Decision.GRANTED)
    scene.say("parrots", WORDS)
    unlist(scene, "parrot")
    scene.run(principals.withhold_topic(scene.ledger.context, scene.who(), "parrots"))
    scene.list_topic("parrot")
    assert scene.recall("parrots") == {} and scene.covered("parrot") == {}


@pytest.mark.parametrize("handling", [Handling.FORBIDDEN, Handling.CONFIRM])
@pytest.mark.parametrize("label", ["parrot", "parrots", "parot", "budgie", "budgies"])
def test_an_unlisted_topic_is_handled_under_slips_of_its_labels_as_under_its_key(scene, label, handling):
    scene.list_topic("parrot", handling=handling)
    alias(scene, "parrot", "budgie")
    unlist(scene, "parrot")
    scene.decide(Decision.GRANTED)
    scene.say(label, WORDS)
    assert scene.stored() == {} and scene.recall(label) == {}
    assert [one.pending for one in scene.own().values()] == [True] * (handling is Handling.CONFIRM)


@pytest.mark.parametrize("handling", [Handling.FORBIDDEN, Handling.CONFIRM])
def test_an_alias_that_was_deleted_is_handled_as_strictly_until_it_is_listed(scene, handling):
    scene.list_topic("animal", handling=handling)
    alias(scene, "animal", "critter")
    no_alias(scene, "animal", "critter")
    scene.say("critter", WORDS)
    assert scene.stored() == {}
    scene.list_topic("critter")
    scene.say("critter", WORDS)
    assert scene.stored() == {"critter": WORDS}, "operators say how it is handled"


@pytest.mark.parametrize("handling", [Handling.FORBIDDEN, Handling.CONFIRM, Handling.SEALED])
def test_a_topic_that_was_unlisted_is_no_alias_of_one_that_is_handled_more_loosely(scene, handling):
    """It would be loosened in silence, without a preview."""
    scene.list_topic("animal")
    scene.list_topic("critter", handling=handling)
    unlist(scene, "critter")
    with pytest.raises(Conflict):
        alias(scene, "animal", "critter")
    scene.say("critter", WORDS)
    assert scene.stored() == ({"critter": WORDS} if handling is Handling.SEALED else {})
    scene.change("animal", {"handling": handling.value})
    alias(scene, "animal", "critter")
    no_alias(scene, "animal", "critter")
    assert scene.database.rows("select handling from ledger.topic where key = 'critter'") == [
        (handling.value,)
    ]


@every_move
def test_a_move_by_itself_keeps_nothing_back_and_loses_nothing(scene, label, before, move):
    before(scene)
    scene.decide(Decision.GRANTED)
    move(scene)
    scene.say(label, WORDS)
    assert [entry.answer for entry in scene.recall(label).values()] == [WORDS]
    assert scene.run(principals.withheld(scene.ledger.context, scene.who())) == []
