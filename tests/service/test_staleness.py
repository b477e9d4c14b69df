"""G5 and G6: stale is a question, dropped is gone, and at most twelve entries reach a prompt."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from ledger.core.model import Decision
from ledger.service import principals


def test_age_decides_in_whole_days(scene):
    said = date(2026, 3, 1)
    scene.day(said)
    scene.say("smoking", "I smoke outdoors")
    scene.decide(Decision.GRANTED)
    for days, freshness in {
        0: "fresh",
        120: "fresh",
        121: "reconfirm",
        539: "reconfirm",
        540: None,
        600: None,
    }.items():
        scene.day(said + timedelta(days=days))
        assert scene.covered().get("smoking") == freshness, days
        recalled = scene.recall().get("smoking")
        assert (recalled.freshness if recalled else None) == freshness, days


def test_a_stale_answer_is_offered_as_a_question_and_never_as_a_fact(scene):
    scene.say("smoking", "I smoke outdoors")
    scene.decide(Decision.GRANTED)
    scene.later(121)
    plan = scene.ledger.principal("ann").plan(["smoking"])
    assert plan.items[0].do == "reconfirm"
    assert '"said": ' not in plan.prompt and "Is that still so?" in plan.prompt


def test_what_is_dropped_is_served_nowhere_and_stands_in_the_export_until_the_sweep(scene):
    scene.say("smoking", "I smoke outdoors")
    scene.later(540)
    assert scene.own() == {} and scene.covered() == {}
    taken = scene.run(principals.export(scene.ledger.context, scene.who()))
    assert [(e.topic, e.freshness) for e in taken.entries] == [("smoking", "dropped")]
    assert scene.sweep()["entries"] == 1
    assert scene.stored() == {} and scene.audit() == {"expired": 1}


def test_a_changed_window_holds_for_every_entry_at_once(scene):
    scene.say("smoking", "I smoke outdoors")
    scene.say("kids", "I want two kids")
    scene.later(50)
    scene.change("smoking", {"reconfirm_after": 30, "drop_after": 40})
    assert scene.covered() == {"kids": "fresh"}
    scene.change("smoking", {"reconfirm_after": 30, "drop_after": 300})
    assert scene.covered() == {"kids": "fresh", "smoking": "reconfirm"}
    scene.change("smoking", {"reconfirm_after": None, "drop_after": None})
    scene.set_default(49, 60)
    assert set(scene.covered().values()) == {"reconfirm"}


def test_reading_never_renews(scene):
    scene.say("smoking", "I smoke outdoors")
    scene.decide(Decision.GRANTED)
    scene.later(120)
    scene.recall()
    assert scene.own()["smoking"].as_of == date(2026, 9, 1)


def test_the_principal_sees_until_when(scene):
    scene.say("smoking", "I smoke outdoors")
    entry = scene.own()["smoking"]
    assert (entry.fresh_until - entry.as_of).days == 120
    assert (entry.kept_until - entry.as_of).days == 539


def test_at_most_twelve_entries_whatever_is_asked(scene):
    for n in range(20):
        scene.list_topic(f"hobby {chr(97 + n)}")
        scene.say(f"hobby {chr(97 + n)}", "I like it very much", on=scene.today - timedelta(days=n))
    scene.decide(Decision.GRANTED)
    assert len(scene.recall(limit=12)) == 12
    plan = scene.ledger.principal("ann").plan([f"hobby {chr(97 + n)}" for n in range(20)])
    assert [item.do for item in plan.items] == ["known"] * 12 + ["covered"] * 8
    assert plan.prompt.count('"said": ') == 12


def test_the_order_is_the_callers_else_fresh_first_then_newest_month_then_key(scene):
    scene.decide(Decision.GRANTED)
    for topic, ago in {"smoking": 130, "kids": 40, "pets": 2, "diet": 1}.items():
        scene.say(topic, f"I say something about {topic}", on=scene.today - timedelta(days=ago))
    assert list(scene.recall()) == ["diet", "pets", "kids", "smoking"]
    assert list(scene.recall("smoking", "pets")) == ["smoking", "pets"]


@pytest.mark.parametrize("days", [540, 541, 2000])
def test_what_was_said_before_the_window_is_answered_and_not_kept(scene, days):
    assert scene.say("smoking", "I smoke outdoors", on=scene.today - timedelta(days=days)).verdict.accepted
    assert scene.stored() == {}
