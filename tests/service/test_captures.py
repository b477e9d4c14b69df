"""G4 and the order of answers: only his words, the newest stands, and nothing is said of what is stored."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ledger.core.model import Candidate, Decision, Handling, Reason
from ledger.errors import Conflict, InvalidRequest
from ledger.service import captures, operators, principals


def test_a_paraphrase_is_refused_and_the_nearest_words_offered(scene):
    outcome = scene.say("kids", "Honestly, I want two kids.", span="I want 2 children")
    assert outcome.verdict.reason is Reason.NOT_VERBATIM
    assert scene.stored() == {}


def test_a_cut_negation_is_refused_and_what_is_nearest_is_accepted(scene):
    refused = scene.say("kids", "I don't want kids", span="want kids")
    assert refused.verdict.reason is Reason.MEANING_CUT
    assert scene.say("kids", "I don't want kids", span=refused.verdict.nearest).verdict.accepted


def test_the_newest_day_wins_and_on_one_day_the_later_capture(scene):
    yesterday = scene.today - timedelta(days=1)
    scene.say("kids", "I want two kids", on=yesterday)
    scene.say("kids", "I want three kids", on=yesterday)
    assert scene.stored() == {"kids": "I want three kids"}
    assert scene.say("kids", "I want nine kids", on=yesterday - timedelta(days=1)).verdict.accepted
    assert scene.stored() == {"kids": "I want three kids"}
    scene.say("kids", "I want no kids")
    assert scene.stored() == {"kids": "I want no kids"}


def test_the_same_answer_said_again_moves_its_day(scene):
    scene.say("kids", "I want two kids", on=scene.today - timedelta(days=90))
    scene.say("kids", "I want two kids")
    assert scene.own()["kids"].as_of == scene.today


def test_tomorrow_is_read_as_today_and_later_is_refused(scene):
    scene.say("kids", "I want two kids", on=scene.today + timedelta(days=1))
    assert scene.own()["kids"].as_of == scene.today
    with pytest.raises(InvalidRequest) as refused:
        scene.say("a label of a day to come", "I want two kids", on=scene.today + timedelta(days=2))
    assert refused.value.problems[0].at == "said_on"
    assert scene.database.rows("select 1 from ledger.topic where key like 'a_label%'") == []


def test_of_several_on_one_topic_the_last_accepted_stands(scene):
    spans = ["I want two kids", "not there", "I want three kids"]
    outcomes = scene.run(
        captures.capture(
            scene.ledger.context,
            scene.who(),
            "I want two kids. I want three kids.",
            scene.today,
            [Candidate("kids", span) for span in spans],
        )
    )
    assert [outcome.verdict.accepted for outcome in outcomes] == [True, False, True]
    assert scene.stored() == {"kids": "I want three kids"}


def test_a_label_that_was_never_coined_is_coined_unless_it_is_a_bad_one(scene):
    assert scene.say("Favourite Chair", "I like the old armchair").topic == "favourite_chair"
    bad = scene.say("call 555 123 4567", "I like the old armchair")
    assert bad.verdict.reason is Reason.BAD_LABEL
    assert set(scene.stored()) == {"favourite_chair"}


def test_names_of_the_counterparty_never_get_in(scene):
    refused = scene.say("smoking", "Sure Marta, I smoke", avoid=["Marta"])
    assert refused.verdict.reason is Reason.NAMES_COUNTERPARTY
    assert scene.say("smoking", "Sure Marta, I smoke", span="I smoke", avoid=["Marta"]).verdict.accepted


def test_a_forbidden_topic_is_never_stored_and_the_refusal_names_the_authority(scene):
    scene.list_topic("other offers", handling=Handling.FORBIDDEN, authority="the recruiting system")
    refused = scene.say("other offers", "I have an offer from a bank")
    assert refused.verdict.reason is Reason.FORBIDDEN_TOPIC
    assert "the recruiting system" in refused.verdict.detail
    assert scene.stored() == {}


def test_a_bare_answer_needs_the_question_and_is_always_shown_with_it(scene):
    scene.decide(Decision.GRANTED)
    assert scene.say("smoking", "No.").verdict.reason is Reason.NEEDS_QUESTION
    assert scene.say("smoking", "No.", asked="By the way: do you smoke?").verdict.accepted
    assert scene.recall()["smoking"].question == "Do you smoke?"


def test_what_waits_for_his_yes_counts_only_after_it(scene):
    scene.list_topic("salary", "What do you earn?", Handling.CONFIRM)
    scene.decide(Decision.GRANTED)
    scene.say("salary", "I make 50k a year")
    assert scene.covered() == {} and scene.own()["salary"].pending
    scene.act(principals.decide, "salary", True)
    assert scene.quotes() == {"salary": "I make 50k a year"}
    scene.say("salary", "I make 60k a year")
    assert scene.quotes() == {"salary": "I make 50k a year"}
    pending = next(e for e in scene.run(principals.entries(scene.ledger.context, scene.who())) if e.pending)
    scene.run(principals.decide(scene.ledger.context, scene.who(), pending.id, False))
    assert scene.quotes() == {"salary": "I make 50k a year"}
    scene.say("salary", "I make 60k a year")
    assert not any(e.pending for e in scene.own().values()), (
        "declined today: what was said today does not come back"
    )


def test_a_reconfirmation_acts_only_on_what_is_offered_as_a_question(scene):
    context = scene.ledger.context
    scene.say("smoking", "I smoke outdoors")
    scene.decide(Decision.GRANTED)

    def answer(message: str, still_true: bool) -> bool:
        return scene.run(
            captures.reconfirm(context, scene.who(), "smoking", message, message, scene.today, still_true)
        ).accepted

    assert answer("No", False), "answered as ever, but fresh: nothing happens"
    assert scene.own()["smoking"].as_of == scene.today
    scene.later(130)
    assert not answer("No, not any more", True), "says the opposite"
    assert answer("Yes", True)
    assert scene.own()["smoking"].as_of == scene.today and scene.quotes() == {"smoking": "I smoke outdoors"}
    scene.later(130)
    assert answer("No", False)
    assert scene.stored() == {} and scene.audit()["taken_back"] == 1
    assert sorted(scene.database.rows("select topic, age_weeks, still_true, n from ledger.outcome")) == [
        ("smoking", 18, False, 1), ("smoking", 18, True, 1),
    ]  # fmt: skip
    scene.say("smoking", "I smoke again")
    assert scene.stored() == {"smoking": "I smoke again"}, "taken back today: what is said today counts"


@pytest.mark.parametrize(
    ("message", "span", "still_true"),
    [
        ("no, that's still right", "no", False),
        ("I don't think so, yes", "yes", True),
        ("No, sigue igual", "No", False),
        ("No. That's still right.", "No.", False),
        ("no, that's still right", "no, that's still right", True),
        ("no, that's still right", "no, that's still right", False),
        ("Yeah, that changed", "Yeah", True),
    ],
)
def test_a_reconfirmation_is_refused_where_the_sentence_says_the_opposite_or_both(
    scene, message, span, still_true
):
    context = scene.ledger.context
    scene.say("smoking", "I smoke outdoors")
    scene.decide(Decision.GRANTED)
    scene.later(130)
    verdict = scene.run(
        captures.reconfirm(context, scene.who(), "smoking", message, span, scene.today, still_true)
    )
    assert (verdict.accepted, verdict.reason, verdict.rule) == (False, "meaning_cut", "contradiction")
    assert scene.quotes() == {}
    assert scene.stored() == {"smoking": "I smoke outdoors"}


@pytest.mark.parametrize(
    ("message", "still_true"),
    [("Yes, I don't eat meat", True), ("Sí, no como carne", True), ("Yes, thanks", True), ("No, thanks", False), ("Yes. No pets though.", True)],
)  # fmt: skip
def test_a_no_that_is_no_answer_stops_no_reconfirmation(scene, message, still_true):
    context = scene.ledger.context
    verdict = scene.run(
        captures.reconfirm(context, scene.who(), "diet", message, message, scene.today, still_true)
    )
    assert verdict.accepted


@pytest.mark.parametrize("shut", ["revoked", "objection", "withheld", "undecided"])
def test_no_reconfirmation_reaches_what_no_agent_may_see(scene, shut):
    context = scene.ledger.context
    scene.say("smoking", "I smoke outdoors")
    if shut != "undecided":
        scene.decide(Decision.GRANTED)
    scene.later(130)
    match shut:
        case "revoked":
            scene.decide(Decision.REVOKED)
        case "objection":
            scene.run(principals.object_(context, scene.who(), True))
        case "withheld":
            scene.act(principals.withhold, "smoking", True)
    verdict = scene.run(captures.reconfirm(context, scene.who(), "smoking", "No", "No", scene.today, False))
    assert verdict.accepted
    assert scene.stored() == {"smoking": "I smoke outdoors"}


def interrupted(use_case, happening):
    """The use case, with something happening before what passed the gate is sent to be kept."""
    try:
        operation = next(use_case)
        while True:
            if happening and "ledger.capture" in operation.sql:
                happening()
                happening = None
            operation = use_case.send((yield operation))
    except StopIteration as end:
        return end.value


def test_a_question_that_changes_meanwhile_gets_no_bare_answer_of_the_old_one(scene):
    said = captures.capture(
        scene.ledger.context,
        scene.who(),
        "No",
        scene.today,
        [Candidate("smoking", "No")],
        asked="Do you smoke?",
    )
    change = interrupted(said, lambda: scene.change("smoking", {"question": "Are you a non-smoker?"}))
    (outcome,) = scene.run(change)
    assert outcome.verdict.reason is Reason.NEEDS_QUESTION and scene.stored() == {}


def test_what_was_deleted_under_a_key_that_is_merged_meanwhile_stays_deleted(scene):
    scene.list_topic("children", "Any children?")
    scene.say("children", "I want three kids")
    scene.act(principals.delete, "children")
    said = captures.capture(
        scene.ledger.context,
        scene.who(),
        "I want three kids",
        scene.today,
        [Candidate("kids", "I want three kids")],
    )
    outcomes = scene.run(interrupted(said, lambda: scene.merge("children", "kids")))
    assert outcomes[0].verdict.accepted and scene.stored() == {}


def test_what_is_merged_away_meanwhile_is_kept_under_the_key_that_it_went_to(scene):
    scene.list_topic("children", "Any children?")
    said = captures.capture(
        scene.ledger.context,
        scene.who(),
        "I want two kids",
        scene.today,
        [Candidate("children", "I want two kids")],
    )
    outcomes = scene.run(interrupted(said, lambda: scene.merge("children", "kids")))
    assert outcomes[0].topic == "kids" and scene.stored() == {"kids": "I want two kids"}


def test_a_key_that_was_merged_away_stays_a_label_of_where_it_went(scene):
    """Else what was deleted, or forbidden, under it could come back under another key."""
    context = scene.ledger.context
    scene.list_topic("children", "Any children?")
    scene.list_topic("family", "What is your family like?")
    scene.merge("children", "kids")
    for act in (
        operators.delete_alias(context, "kids", "children"),
        operators.put_alias(context, "family", "children"),
    ):
        with pytest.raises(Conflict):
            scene.run(act)
    assert scene.say("children", "I want three kids").topic == "kids"
    scene.merge("kids", "family")
    assert scene.say("children", "I want two kids").topic == "family"


def test_an_answer_that_waits_is_out_of_date_once_an_older_one_is_confirmed_later(scene):
    scene.say("smoking", "I smoke outdoors")
    scene.decide(Decision.GRANTED)
    scene.later(130)
    scene.change("smoking", {"handling": "confirm"})
    scene.act(principals.withhold, "smoking", False)
    scene.say("smoking", "I stopped smoking")
    scene.later(1)
    context = scene.ledger.context
    assert scene.run(
        captures.reconfirm(context, scene.who(), "smoking", "Yes", "Yes", scene.today, True)
    ).accepted
    assert scene.database.rows("select count(*) from ledger.pending") == [(0,)]
    assert scene.own()["smoking"].answer == "I smoke outdoors"
