"""G7: what a person took away stays away, however late it is captured, and nothing older undoes what is newer."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ledger.core.model import Decision, Handling
from ledger.errors import NotFound
from ledger.service import captures, operators, principals


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


# ── How long a barrier stands ────────────────────────────────────────────────────────────────────


def window(drop_after: int) -> dict[str, int]:
    return {"reconfirm_after": 120, "drop_after": drop_after}


@pytest.mark.parametrize("took", ["one entry", "everything"])
@pytest.mark.parametrize("widest", ["a topic's", "the default"])
def test_a_barrier_and_the_audit_stand_as_long_as_any_topic_would_keep_what_they_stop(scene, took, widest):
    """Of the widest window of all, whichever topic was deleted: the mark does not say which."""
    if widest == "a topic's":
        scene.change("pets", window(900))
        scene.change("kids", window(300))
    else:
        scene.run(operators.set_default_window(scene.ledger.context, 120, 900))
        scene.change("kids", window(300))
        scene.change("diet", window(600))
    topic = "kids" if took == "one entry" else "pets"
    said = scene.today
    scene.say(topic, "I like two best")
    if took == "one entry":
        scene.act(principals.delete, topic)
    else:
        scene.run(principals.erase(scene.ledger.context, scene.who()))
    scene.later(899)  # the last day on which the widest window keeps what was said then
    done = scene.sweep()
    assert (done["barriers"], done["audit"]) == (0, 0) and len(barriers(scene)) == 1
    for label in ("pets", "kids"):
        scene.say(label, "I like two best", on=said)
    assert scene.stored() == ({"pets": "I like two best"} if took == "one entry" else {})
    scene.later(3)
    done = scene.sweep()
    assert (done["barriers"], done["audit"]) == (1, 1) and barriers(scene) == []
    scene.say("pets", "I like two best", on=said)
    assert scene.stored() == {}, "by then no window keeps it"


# ── What waits for a yes ─────────────────────────────────────────────────────────────────────────


def waiting(scene) -> list:
    return scene.database.rows("select topic, answer, as_of from ledger.pending order by topic")


@pytest.mark.parametrize("by_then", [Handling.CONFIRM, Handling.OPEN])
def test_an_older_message_that_is_captured_late_replaces_nothing_newer_that_waits(scene, by_then):
    scene.list_topic("salary", "What do you earn?", Handling.CONFIRM)
    scene.say("salary", "I make 60k a year")
    if by_then is not Handling.CONFIRM:
        scene.change("salary", {"handling": by_then.value})
    yesterday = scene.today - timedelta(days=1)
    assert scene.say("salary", "I make 50k a year", on=yesterday).verdict.accepted
    assert waiting(scene) == [("salary", "I make 60k a year", scene.today)] and scene.stored() == {}
    scene.say("salary", "I make 70k a year")
    newest = ("salary", "I make 70k a year")
    assert [*scene.stored().items(), *(row[:2] for row in waiting(scene))] == [newest], "the same day's may"


def test_an_older_message_does_not_wait_where_a_newer_answer_stands(scene):
    scene.say("kids", "I want two kids")
    scene.change("kids", {"handling": "confirm"})
    scene.say("kids", "I want three kids", on=scene.today - timedelta(days=1))
    assert waiting(scene) == [] and scene.stored() == {"kids": "I want two kids"}


def test_a_yes_to_an_answer_that_is_out_of_date_does_not_bring_it_back(scene):
    """No call leads there: what waits goes when something newer is kept. But a yes would outlive the newer words."""
    scene.list_topic("salary", "What do you earn?", Handling.CONFIRM)
    scene.say("salary", "I make 50k a year", on=scene.today - timedelta(days=1))
    (pending,) = scene.run(principals.entries(scene.ledger.context, scene.who()))
    scene.database.installer.execute(
        "insert into ledger.entry values (%s, 'salary', 'I make 60k a year', %s)", (scene.who(), scene.today)
    )
    with pytest.raises(NotFound):
        scene.run(principals.decide(scene.ledger.context, scene.who(), pending.id, True))
    assert scene.stored() == {"salary": "I make 60k a year"}
    scene.run(principals.decide(scene.ledger.context, scene.who(), pending.id, False))
    assert scene.stored() == {"salary": "I make 60k a year"} and waiting(scene) == []


def test_what_waits_beside_a_newer_answer_goes_when_the_hold_that_kept_it_is_lifted(scene):
    """A merge brings the two together, and may take neither away while the hold stands."""
    scene.list_topic("salary", "What do you earn?", Handling.CONFIRM)
    scene.list_topic("income", "What is your income?")
    scene.say("salary", "I make 50k a year", on=scene.today - timedelta(days=1))
    scene.say("income", "I make 60k a year")
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    scene.merge("income", "salary")
    assert len(waiting(scene)) == 1 and scene.stored() == {"salary": "I make 60k a year"}
    scene.run(operators.lift_hold(scene.ledger.context, scene.who()))
    assert waiting(scene) == [] and scene.stored() == {"salary": "I make 60k a year"}
    assert [one.pending for one in scene.own().values()] == [False]


@pytest.mark.parametrize("newer", ["income", "salary"])
def test_of_two_that_wait_under_keys_that_were_merged_under_a_hold_the_newer_waits_on(scene, newer):
    for topic in ("salary", "income"):
        scene.list_topic(topic, handling=Handling.CONFIRM)
        scene.say(topic, f"I live on my {topic}", on=scene.today - timedelta(days=topic != newer))
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    scene.merge("income", "salary")
    assert len(waiting(scene)) == 2
    scene.run(operators.lift_hold(scene.ledger.context, scene.who()))
    assert waiting(scene) == [("salary", f"I live on my {newer}", scene.today)]
