"""G2 and G3: consent gates reading, never writing; and nobody can tell a refusal from a blank page."""

from __future__ import annotations

import pytest

from ledger.core.model import Decision, Handling, Tier
from ledger.service import agents, operators, principals

pytestmark = pytest.mark.usefixtures("scene")


def test_an_unknown_principal_has_no_entries_and_is_asked(scene):
    assert scene.recall() == {} and scene.covered() == {}
    assert [item.do for item in scene.ledger.principal("nobody").plan(["kids", "no such thing"]).items] == [
        "ask",
        "ask",
    ]


def test_undecided_agents_see_keys_and_no_answer(scene):
    scene.say("kids", "I want two kids")
    assert scene.covered() == {"kids": "fresh"}
    assert scene.recall() == {}
    (item,) = scene.ledger.principal("ann").plan(["kids"]).items
    assert (item.do, item.entry) == ("covered", None)


def test_granted_agents_see_answers_with_month_and_question(scene):
    scene.say("kids", "I want two kids")
    scene.decide(Decision.GRANTED)
    (entry,) = scene.recall().values()
    assert (entry.answer, entry.question, str(entry.month)) == (
        "I want two kids",
        "Do you want kids?",
        "2026-09-01",
    )
    assert scene.ledger.principal("ann").plan(["kids"]).items[0].do == "known"


def test_revoked_agents_see_nothing_and_nothing_is_destroyed(scene):
    scene.say("kids", "I want two kids")
    scene.decide(Decision.GRANTED)
    scene.decide(Decision.REVOKED)
    assert scene.recall() == {} and scene.covered() == {}
    scene.say("smoking", "I smoke outdoors")
    assert scene.stored() == {"kids": "I want two kids", "smoking": "I smoke outdoors"}
    scene.decide(Decision.GRANTED)
    assert set(scene.quotes()) == {"kids", "smoking"}


def test_a_stored_decision_that_nobody_understands_shows_nothing(scene):
    scene.say("kids", "I want two kids")
    scene.decide(Decision.GRANTED)
    scene.database.installer.execute("alter table ledger.consent drop constraint consent_decision_check")
    scene.database.installer.execute("update ledger.consent set decision = 'everything'")
    assert scene.recall() == {} and scene.covered() == {}


@pytest.mark.parametrize("handling", [Handling.SEALED, Handling.CONFIRM])
def test_a_sealed_topic_is_invisible_even_as_a_key_without_consent(scene, handling):
    scene.say("kids", "I want two kids")
    scene.change("kids", {"handling": handling.value})
    assert scene.covered() == {} and scene.covered("kids") == {}
    scene.decide(Decision.GRANTED)
    assert scene.covered() == {"kids": "fresh"}


def test_an_unlisted_topic_shows_only_with_consent_to_whom_names_it(scene):
    scene.say("favourite chair", "I like the old armchair")
    assert scene.covered("favourite chair") == {}
    scene.decide(Decision.GRANTED)
    assert scene.covered() == {}
    assert scene.covered("favourite chair") == {"favourite_chair": "fresh"}
    assert scene.quotes("favourite_chair") == {"favourite_chair": "I like the old armchair"}


def test_a_token_can_narrow_what_consent_gave_and_never_widen_it(scene):
    scene.say("kids", "I want two kids")
    scene.say("pets", "I have two cats")
    assert scene.covered(max_tier=Tier.NONE) == {}
    scene.decide(Decision.GRANTED)
    assert scene.recall(max_tier=Tier.TOPICS) == {}
    assert scene.covered(max_tier=Tier.TOPICS) == {"kids": "fresh", "pets": "fresh"}
    narrowed = scene.ledger.principal("ann", topics=["pets"])
    assert [entry.topic for entry in narrowed.recall().entries] == ["pets"]
    assert [item.do for item in narrowed.plan(["kids", "pets"]).items] == ["ask", "known"]
    scene.decide(Decision.REVOKED)
    assert narrowed.coverage() == []


def test_withholding_hides_one_topic_from_all_agents_and_outlives_the_entry(scene):
    scene.say("kids", "I want two kids")
    scene.say("pets", "I have two cats")
    scene.decide(Decision.GRANTED)
    scene.act(principals.withhold, "kids", True)
    assert set(scene.quotes()) == {"pets"} and set(scene.covered("kids", "pets")) == {"pets"}
    scene.act(principals.delete, "kids")
    scene.later(1)
    scene.say("kids", "I want three kids")
    assert set(scene.quotes()) == {"pets"}
    scene.act(principals.withhold, "kids", False)
    assert set(scene.quotes()) == {"kids", "pets"}


def test_objecting_shuts_everything_and_keeps_nothing_new(scene):
    scene.say("kids", "I want two kids")
    scene.decide(Decision.GRANTED)
    scene.run(principals.object_(scene.ledger.context, scene.who(), True))
    assert scene.say("pets", "I have two cats").verdict.accepted, "answered as ever"
    assert set(scene.stored()) == {"kids"}
    assert scene.recall() == {} and scene.covered() == {}
    scene.run(principals.object_(scene.ledger.context, scene.who(), False))
    assert set(scene.quotes()) == {"kids"}


def test_the_tier_of_the_undecided_is_the_deployments(scene, database, settings_for):
    from ledger.service.ledger import Ledger

    scene.say("kids", "I want two kids")
    with Ledger.open(settings_for(database, undecided_tier="none")) as stricter:
        assert stricter.principal("ann").coverage() == []
    assert scene.covered() == {}, "on every worker"
    with Ledger.open(settings_for(database)) as unaware:
        assert unaware.principal("ann").coverage() == [], "and a process that sets nothing undoes nothing"


def test_from_the_next_day_on_hides_what_was_said_today(scene, database, settings_for):
    from ledger.service.ledger import Ledger

    scene.say("kids", "I want two kids")
    with Ledger.open(settings_for(database, visible_from="next_day")) as slower:
        assert slower.principal("ann").coverage() == []
        scene.later(1)
        assert [key for key, _ in slower.principal("ann").coverage()] == ["kids"]


def test_two_tenants_never_collide(scene, database, settings_for):
    from ledger.service.ledger import Ledger

    scene.say("kids", "I want two kids")
    scene.decide(Decision.GRANTED)
    with Ledger.open(settings_for(database, tenant="another")) as other:
        assert other.principal("ann").recall().entries == ()
        assert other.principal("ann").id != scene.who()


def test_what_coining_answers_depends_on_the_listed_registry_alone(scene):
    context = scene.ledger.context
    first = scene.run(agents.coin(context, "favourite chair"))
    assert scene.run(agents.coin(context, "favourite chair")) == first
    assert first.question is None and not first.listed
    assert scene.run(agents.coin(context, "Kids")).key == "kids"
    assert scene.run(agents.coin(context, "kid")).key == "kids"


def merged_away(scene, key: str, into: str) -> None:
    """As operators merge what is not listed."""
    scene.database.installer.execute("insert into ledger.topic_alias values (%s, %s)", (key, into))
    scene.database.installer.execute("insert into ledger.retired_key values (%s, %s)", (key, into))


def test_a_topic_that_is_not_listed_is_named_by_the_callers_own_label(scene):
    """What a key of it was merged into is a key that another agent coined."""
    scene.decide(Decision.GRANTED)
    scene.run(agents.coin(scene.ledger.context, "marta s cat"))
    merged_away(scene, "cats", "marta_s_cat")
    assert scene.say("Cats", "I have two cats").topic == "cats"
    person = scene.ledger.principal("ann")
    plan = person.plan(["cats", "kids"])
    assert [item.key for item in plan.items] == ["cats", "kids"]
    assert plan.items[0].entry.answer == "I have two cats"
    replies = (plan.prompt, person.recall(["cats"]).prompt, str(person.coverage(["cats"])))
    assert all("cats" in reply and "marta" not in reply for reply in replies)
    assert scene.stored() == {"marta_s_cat": "I have two cats"}
    scene.propose("marta_s_cat")
    scene.change("marta s cat", {"listed": True})
    assert person.plan(["cats"]).items[0].key == "marta_s_cat"


@pytest.mark.parametrize("coined", [True, False])
def test_an_alias_that_took_a_key_in_unseen_rests_like_any_other(scene, coined):
    """Whether somebody had coined it is told by no reply."""
    context = scene.ledger.context
    scene.decide(Decision.GRANTED)
    if coined:
        scene.say("ferment", "I make kimchi", name="zoe")
    scene.list_topic("brewing")
    scene.run(operators.put_alias(context, "brewing", "ferment"))
    scene.say("brewing", "I brew beer")
    scene.change("brewing", {"listed": False})
    assert scene.quotes("ferment") == {} and scene.covered("ferment") == {}
    assert scene.ledger.principal("ann").plan(["ferment"]).items[0].do == "ask"


def test_an_alias_of_a_topic_that_is_not_listed_rests_till_it_is(scene):
    """An answer under it is kept with its topic; it is no label to read by, nor a key that anybody coins."""
    context = scene.ledger.context
    scene.decide(Decision.GRANTED)
    scene.run(agents.coin(context, "felines"))
    scene.database.installer.execute("insert into ledger.topic_alias values ('cats', 'felines')")
    assert scene.run(agents.coin(context, "cats")).key == "cats"
    assert scene.say("Cats", "I have two cats").topic == "cats"
    assert scene.database.rows("select key from ledger.topic where key = 'cats'") == []
    assert scene.stored() == {"felines": "I have two cats"}
    assert scene.quotes("cats") == {} and scene.covered("cats") == {}
    assert scene.quotes("felines") == {"felines": "I have two cats"}
    scene.propose("felines")
    scene.change("felines", {"listed": True})
    assert scene.quotes("cats") == {"felines": "I have two cats"}
