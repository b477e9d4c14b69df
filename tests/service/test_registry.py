"""The registry: what operators decide holds for everybody, and no step of theirs loosens in silence."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ledger.core.model import Decision, Handling, Topic
from ledger.db import operator as db
from ledger.errors import Conflict, InvalidRequest, NotFound, PreconditionFailed, PreviewNeeded
from ledger.service import operators, principals


def test_an_alias_leads_to_its_topic_on_every_call(scene):
    context = scene.ledger.context
    scene.run(operators.put_alias(context, "kids", "children"))
    scene.run(operators.put_alias(context, "children", "kiddos"))
    assert scene.say("Children", "I want two kids").topic == "kids"
    scene.decide(Decision.GRANTED)
    assert set(scene.quotes("kiddos")) == {"kids"}
    scene.run(operators.put_alias(context, "diet", "children"))
    assert set(scene.quotes("children")) == set() and set(scene.quotes("kids")) == {"kids"}
    scene.run(operators.delete_alias(context, "diet", "children"))
    with pytest.raises(NotFound):
        scene.run(operators.delete_alias(context, "diet", "children"))


@pytest.mark.parametrize(("alias", "of"), [("kids", "kids"), ("smoking", "kids"), ("kids", "children")])
def test_an_alias_is_no_topic_of_its_own(scene, alias, of):
    scene.run(operators.put_alias(scene.ledger.context, "kids", "children"))
    with pytest.raises(Conflict):
        scene.run(operators.put_alias(scene.ledger.context, of, alias))


def test_listing_is_no_loosening_and_opens_the_topic(scene):
    scene.say("favourite chair", "I like the old armchair")
    assert scene.create("favourite chair").handling is Handling.OPEN
    assert scene.covered() == {"favourite_chair": "fresh"}


def test_a_special_category_is_never_open(scene):
    scene.say("religion", "I go to church on Sundays")
    with pytest.raises(InvalidRequest, match="special category"):
        scene.create("religion")
    assert scene.create("religion", handling="sealed").listed


def test_loosening_a_listed_topic_withholds_it_until_he_releases_it(scene):
    scene.list_topic("income", "What do you earn?", Handling.SEALED)
    scene.say("income", "I earn enough")
    scene.change("income", {"handling": "open"})
    scene.say("income", "I earn enough", name="bob")
    assert scene.covered() == {} and scene.covered(name="bob") == {"income": "fresh"}
    scene.act(principals.withhold, "income", False)
    assert scene.covered() == {"income": "fresh"}


@pytest.mark.parametrize("handling", [Handling.CONFIRM, Handling.FORBIDDEN])
def test_unlisting_a_topic_and_listing_it_again_loosens_nothing_in_silence(scene, handling):
    scene.list_topic("income", "What do you earn?")
    scene.say("income", "I earn enough")
    scene.decide(Decision.GRANTED)
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    scene.change("income", {"handling": handling.value})
    scene.change("income", {"listed": False})
    scene.say("income", "I earn too much", name="bob")
    assert scene.stored("bob") == {}, "an unlisted topic is handled as strictly as when it was listed"
    scene.create("income", handling=handling.value)
    scene.change("income", {"listed": False})
    scene.create("income", handling="open")
    assert scene.covered() == {}
    scene.run(operators.lift_hold(scene.ledger.context, scene.who()))
    if handling is Handling.FORBIDDEN:
        assert scene.stored() == {}, "what the hold alone kept"
    else:
        scene.act(principals.withhold, "income", False)
        assert scene.covered() == {"income": "fresh"}


def test_forbidding_a_topic_takes_its_answers_away_after_a_preview(scene):
    context = scene.ledger.context
    scene.say("diet", "I eat everything")
    with pytest.raises(PreviewNeeded):
        scene.run(operators.change(context, "diet", {"handling": "forbidden"}))
    scene.change("diet", {"handling": "forbidden"})
    assert scene.stored() == {} and scene.audit() == {"dropped": 1}


def test_changing_a_question_drops_the_bare_answers_given_under_the_old_one(scene):
    scene.say("smoking", "¡NO!", asked="Do you smoke?")
    scene.say("smoking", "I never smoke", name="bob")
    with pytest.raises(PreviewNeeded):
        scene.run(operators.change(scene.ledger.context, "smoking", {"question": "Are you a non-smoker?"}))
    scene.change("smoking", {"question": "Are you a non-smoker?"})
    assert scene.stored() == {} and scene.stored("bob") == {"smoking": "I never smoke"}


def test_a_bare_answer_that_a_legal_hold_keeps_is_shown_under_no_other_question(scene):
    scene.list_topic("tobacco", "Do you use tobacco?")
    scene.decide(Decision.GRANTED)
    scene.say("smoking", "No", asked="Do you smoke?")
    scene.say("diet", "I eat everything")
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    scene.change("smoking", {"question": "Are you a non-smoker?"})
    assert scene.stored()["smoking"] == "No" and scene.own()["smoking"].withheld
    assert scene.quotes() == {"diet": "I eat everything"}
    scene.merge("smoking", "tobacco")
    assert scene.stored()["tobacco"] == "No" and scene.quotes() == {"diet": "I eat everything"}


@pytest.mark.parametrize(
    "fields",
    [
        {"listed": None},
        {"handling": None},
        {"question": ""},
        {"question": " "},
        {"authority": " "},
        {"authority": "x" * 121},
        {"question": "x" * 301},
    ],
)
def test_a_field_that_a_topic_can_not_have_is_refused_by_name(scene, fields):
    with pytest.raises(InvalidRequest) as refused:
        scene.run(operators.change(scene.ledger.context, "kids", fields, dry_run=True))
    assert [problem.at for problem in refused.value.problems] == list(fields)


def test_a_preview_is_good_for_the_very_step_on_the_very_topic(scene):
    context = scene.ledger.context
    old = scene.run(operators.topic(context, "smoking"))
    preview = scene.run(operators.change(context, "smoking", {"question": "One?"}, dry_run=True)).token
    with pytest.raises(PreconditionFailed):
        scene.run(operators.change(context, "smoking", {"question": "Two?"}, operators.etag(old), preview))
    scene.change("smoking", {"reconfirm_after": 30, "drop_after": 60})
    with pytest.raises(PreconditionFailed):
        scene.run(operators.change(context, "smoking", {"question": "One?"}, operators.etag(old), preview))


def test_figures_before_a_step_name_no_one(scene):
    scene.say("diet", "I eat everything")
    preview = scene.run(
        operators.change(scene.ledger.context, "diet", {"handling": "forbidden"}, dry_run=True)
    )
    assert preview.shown.principals == "fewer than 5"


def test_a_merge_keeps_the_newer_answer_and_leaves_bare_ones_behind(scene):
    scene.list_topic("children", "Any children?")
    old = scene.today - timedelta(days=10)
    scene.say("kids", "I want two kids", on=old)
    scene.say("children", "I want three kids")
    scene.say("children", "I want one child", name="bob", on=old)
    scene.say("kids", "I want no child", name="bob")
    scene.say("children", "Yes", name="cid", asked="Any children?")
    scene.merge("children", "kids")
    assert scene.stored() == {"kids": "I want three kids"}
    assert scene.stored("bob") == {"kids": "I want no child"}
    assert scene.stored("cid") == {}
    assert scene.say("children", "I want four kids").topic == "kids"


def test_a_merge_takes_the_stricter_handling_and_the_union_of_withheld(scene):
    scene.list_topic("children", "Any children?", Handling.SEALED)
    scene.say("children", "I want three kids")
    scene.act(principals.withhold, "children", True)
    assert scene.merge("children", "kids").handling is Handling.SEALED
    scene.decide(Decision.GRANTED)
    assert scene.covered("kids") == {} and scene.own()["kids"].withheld


def test_a_merge_makes_no_label_of_a_special_category_open(scene):
    scene.say("religion", "I go to church on Sundays")
    scene.propose("religion")
    with pytest.raises(InvalidRequest, match="special category"):
        scene.merge("religion", "diet")
    assert scene.stored() == {"religion": "I go to church on Sundays"}


def test_after_a_merge_no_older_answer_waits_behind_a_newer_one(scene):
    scene.list_topic("children", "Any children?", Handling.CONFIRM)
    scene.say("children", "I want three kids", on=scene.today - timedelta(days=10))
    scene.say("kids", "I want two kids")
    scene.merge("children", "kids")
    assert not scene.own()["kids"].pending and scene.own()["kids"].answer == "I want two kids"
    with pytest.raises(NotFound):
        scene.act(principals.decide, "kids", True)


def test_what_was_deleted_under_a_merged_key_stays_deleted(scene):
    scene.list_topic("children", "Any children?")
    scene.say("children", "I want three kids")
    scene.act(principals.delete, "children")
    scene.merge("children", "kids")
    scene.say("kids", "I want three kids")
    assert scene.stored() == {}


def test_the_snapshot_shows_nobody_below_five_and_proposes_what_five_have(scene):
    for n in range(7):
        scene.say("kids", "I want two kids", name=f"person {n}")
        scene.say("favourite chair", "I like the old armchair", name=f"person {n}")
    for n in range(4):
        scene.say("pets", "I have two cats", name=f"person {n}")
    scene.sweep()
    assert scene.database.rows("select topic, age_weeks, n from ledger.snapshot") == [("kids", 0, 5)]
    proposed = [t.key for t in scene.run(operators.topics(scene.ledger.context)) if t.proposed]
    assert proposed == ["favourite_chair"]


@pytest.mark.parametrize("emptied", [{"reconfirm_after": 1, "drop_after": 2}, {"handling": "forbidden"}])
def test_what_a_legal_hold_alone_keeps_is_in_no_figure(scene, emptied):
    """Else whoever places holds could empty a topic but for those whom they chose, and count these."""
    context = scene.ledger.context
    for n in range(9):
        scene.say("kids", "I want two kids", name=f"person {n}")
        if n < 5:
            scene.run(operators.place_hold(context, scene.who(f"person {n}")))
    scene.change("kids", emptied)
    scene.later(8)
    scene.sweep()
    assert scene.database.rows("select count(*) from ledger.entry where topic = 'kids'") == [(5,)]
    assert scene.database.rows("select * from ledger.snapshot where topic = 'kids'") == []


@pytest.mark.parametrize(
    ("emptied", "undone"),
    [
        ({"reconfirm_after": 1, "drop_after": 2}, {"reconfirm_after": None, "drop_after": None}),
        ({"handling": "forbidden"}, {"handling": "sealed"}),
    ],
    ids=["a window", "handling"],
)
def test_a_step_that_emptied_a_topic_is_undone_without_counting_those_whom_a_hold_kept(
    scene, emptied, undone
):
    context = scene.ledger.context
    for n in range(9):
        scene.say("kids", "I want two kids", name=f"person {n}")
        if n < 5:
            scene.run(operators.place_hold(context, scene.who(f"person {n}")))
            scene.decide(Decision.GRANTED, name=f"person {n}")
    scene.change("kids", emptied)
    scene.later(3)
    scene.sweep()
    scene.change("kids", undone)
    scene.later(5)
    scene.sweep()
    assert scene.database.rows("select count(*) from ledger.entry where topic = 'kids'") == [(5,)]
    assert scene.database.rows("select * from ledger.snapshot where topic = 'kids'") == []
    assert scene.quotes("kids", name="person 0") == {}, "what should be gone comes back to no agent either"


def test_whom_a_hold_is_placed_on_changes_no_figure_of_a_topic_that_was_loosened(scene):
    """A loosening withholds it for everybody; a hold on some of them must not take these out of the count."""
    context = scene.ledger.context
    for n in range(9):
        scene.say("kids", "I want two kids", name=f"person {n}")
    scene.change("kids", {"handling": "confirm"})
    scene.change("kids", {"handling": "open"})
    for n in range(5):
        scene.run(operators.place_hold(context, scene.who(f"person {n}")))
    scene.later(8)
    scene.sweep()
    assert scene.database.rows("select n from ledger.snapshot where topic = 'kids'") == [(10,)]


@pytest.mark.parametrize("emptied", [{"reconfirm_after": 1, "drop_after": 2}, {"handling": "forbidden"}])
def test_nor_does_lifting_the_holds_count_those_whom_they_kept(scene, emptied):
    context = scene.ledger.context
    for n in range(9):
        scene.say("kids", "I want two kids", name=f"person {n}")
        if n < 5:
            scene.run(operators.place_hold(context, scene.who(f"person {n}")))
    scene.change("kids", emptied)
    scene.later(3)
    scene.sweep()
    scene.change("kids", {"handling": "sealed", "reconfirm_after": None, "drop_after": None})
    for n in range(5):
        scene.run(operators.lift_hold(context, scene.who(f"person {n}")))
    scene.later(5)
    scene.sweep()
    assert scene.database.rows("select * from ledger.snapshot where topic = 'kids'") == []
    assert scene.database.rows("select * from ledger.entry where topic = 'kids'") == []


def test_windows_must_be_windows(scene):
    for fields in (
        {"reconfirm_after": 0, "drop_after": 5},
        {"reconfirm_after": 9, "drop_after": 5},
        {"reconfirm_after": 5},
    ):
        with pytest.raises(InvalidRequest):
            scene.change("kids", fields)


@pytest.mark.parametrize("text", ["Any\nkids?", "Any\x07kids?", "Any\u2028kids?", "Any\ud800kids?"])
def test_a_question_is_one_line_of_text(scene, text):
    with pytest.raises(InvalidRequest) as refused:
        scene.change("kids", {"question": text})
    assert [problem.at for problem in refused.value.problems] == ["question"]
    assert "kids" not in refused.value.detail


def test_what_was_sealed_is_not_opened_by_way_of_unlisting_it(scene):
    scene.list_topic("salary", "What do you earn?")
    scene.change("salary", {"handling": "sealed"})
    scene.say("salary", "I earn enough")
    scene.change("salary", {"listed": False})
    scene.create("salary", handling="open")
    assert scene.covered() == {} and scene.own()["salary"].withheld
    scene.act(principals.withhold, "salary", False)
    assert scene.covered() == {"salary": "fresh"}


def test_nor_by_a_merge_into_an_open_one(scene):
    scene.list_topic("salary", "What do you earn?")
    scene.change("salary", {"handling": "sealed"})
    scene.list_topic("pay", "What are you paid?")
    scene.say("salary", "I earn enough")
    scene.change("salary", {"listed": False})
    scene.propose("salary")
    scene.merge("salary", "pay")
    assert scene.covered() == {}
    assert scene.stored() == {"pay": "I earn enough"}


def test_a_step_that_leans_on_the_defaults_is_not_done_once_they_are_others(scene):
    """Between the preview and the step another operator may have changed them."""
    scene.change("kids", {"reconfirm_after": 200, "drop_after": 700})
    back = {"reconfirm_after": None, "drop_after": None}

    def meanwhile():
        step = operators.change(scene.ledger.context, "kids", back, "*", preview.token)
        operation = next(step)
        while "topic_change" not in getattr(operation, "sql", ""):  # the record has steps too
            operation = step.send((yield operation))
        yield db.setting_change({}, {"reconfirm_after": 1, "drop_after": 2})
        yield operation

    preview = scene.run(operators.change(scene.ledger.context, "kids", back, dry_run=True))
    with pytest.raises(PreconditionFailed):
        scene.run(meanwhile())
    assert scene.run(operators.topic(scene.ledger.context, "kids")).drop_after == 700


def test_of_two_who_shorten_the_default_at_once_the_second_looks_again(scene):
    context = scene.ledger.context
    preview = scene.run(operators.set_default_window(context, 10, 20, dry_run=True))
    step = operators.set_default_window(context, 10, 20, "*", preview.token)

    def meanwhile():
        operation = next(step)
        while "setting_change" not in operation.sql:
            operation = step.send((yield operation))
        yield db.setting_change({}, {"reconfirm_after": 30, "drop_after": 40})
        yield operation

    with pytest.raises(PreconditionFailed):
        scene.run(meanwhile())
    assert scene.run(operators.default_window(context)).drop_after == 40


def test_a_proposal_is_there_for_every_step_though_its_row_was_swept_away(scene):
    context = scene.ledger.context
    for key in ("chess", "go", "poker", "bridge"):
        scene.propose(key)
    scene.run(operators.put_alias(context, "chess", "checkers"))
    assert scene.merge("go", "chess").aliases == ("checkers", "go")
    assert scene.change("poker", {"listed": True}).listed
    scene.merge("kids", "bridge")
    scene.say("kids", "I want two kids")
    assert scene.stored() == {"bridge": "I want two kids"}


def test_what_was_deleted_under_a_key_that_an_alias_took_in_stays_deleted_wherever_the_label_goes(scene):
    context = scene.ledger.context
    scene.say("offspring", "I want three kids")
    scene.act(principals.delete, "offspring")
    scene.run(operators.put_alias(context, "kids", "offspring"))
    scene.run(operators.put_alias(context, "diet", "offspring"))
    scene.run(operators.delete_alias(context, "diet", "offspring"))
    scene.say("offspring", "I want three kids")
    scene.run(operators.put_alias(context, "diet", "offspring"))
    for label in ("kids", "offspring"):
        scene.say(label, "I want three kids")
    assert scene.stored() == {}


def test_a_pack_lists_a_proposal_but_shortens_no_window_unseen(scene):
    context = scene.ledger.context
    scene.say("commute", "I take the train")
    scene.propose("commute")
    scene.run(operators.adopt(context, Topic("kids", "Another?", aliases=("children",), listed=True)))
    with pytest.raises(PreviewNeeded):
        scene.run(operators.adopt(context, Topic("commute", None, Handling.OPEN, None, 5, 10, listed=True)))
    scene.run(
        operators.adopt(
            context, Topic("commute", "How do you come?", Handling.OPEN, aliases=("children", "way"))
        )
    )
    commute, kids = (scene.run(operators.topic(context, key)) for key in ("commute", "kids"))
    assert (commute.listed, commute.aliases) == (True, ("way",))
    assert (kids.question, kids.aliases) == ("Do you want kids?", ("children",))
