"""G7: deletion is real, what was deleted does not come back, and a legal hold is said, not hidden."""

from __future__ import annotations

from datetime import timedelta

import pytest

from ledger.core.model import Decision
from ledger.db import principal as db
from ledger.errors import InvalidRequest, LegalHold, NotFound, PreconditionFailed
from ledger.service import operators, principals


def everything(scene) -> str:
    """Every row of every table, as text: what a person with the database can read."""
    tables = [
        name
        for (name,) in scene.database.rows(
            "select relname from pg_class where relnamespace = 'ledger'::regnamespace and relkind = 'r'"
        )
    ]
    return repr([scene.database.rows(f"select t::text from ledger.{table} t") for table in tables])


def test_a_deleted_entry_is_gone_and_what_was_said_before_does_not_bring_it_back(scene):
    scene.say("smoking", "I smoke zebra quartz")
    scene.act(principals.delete, "smoking")
    assert "zebra" not in everything(scene)
    assert scene.say("smoking", "I smoke zebra quartz").verdict.accepted
    assert scene.say("smoking", "I smoke zebra quartz", on=scene.today - timedelta(days=3)).verdict.accepted
    assert scene.stored() == {} and scene.audit() == {"deleted": 1}
    scene.later(1)
    scene.say("smoking", "I smoke again")
    assert scene.stored() == {"smoking": "I smoke again"}


def test_the_barrier_does_not_say_what_was_deleted_and_stops_nothing_else(scene):
    scene.say("smoking", "I smoke outdoors")
    scene.act(principals.delete, "smoking")
    assert "smoking" not in repr(scene.database.rows("select b::text from ledger.barrier b"))
    scene.say("kids", "I want two kids")
    scene.say("smoking", "I smoke outdoors", name="bob")
    assert set(scene.stored()) == {"kids"} and set(scene.stored("bob")) == {"smoking"}


def test_a_correction_stands_against_everything_said_up_to_that_day(scene):
    scene.say("kids", "I want two kids")
    scene.act(principals.correct, "kids", "I want three kids")
    scene.say("kids", "I want two kids")
    assert scene.stored() == {"kids": "I want three kids"}
    scene.later(1)
    scene.say("kids", "I want no kids")
    assert scene.stored() == {"kids": "I want no kids"}


def test_a_correction_must_be_fit_to_keep(scene):
    scene.say("diet", "I eat everything")
    for answer in ("", "   ", "x" * 501, "my card is 4111 1111 1111 1111", "no"):
        with pytest.raises(InvalidRequest) as refused:
            scene.act(principals.correct, "diet", answer)
        assert len(answer) < 3 or answer not in repr(refused.value.problems)
    assert scene.stored() == {"diet": "I eat everything"}


def test_erasing_takes_all_and_leaves_a_refusal_and_a_barrier(scene):
    scene.say("kids", "I want two kids")
    scene.say("pets", "I have two cats")
    scene.say("kids", "three please", name="bob")
    scene.decide(Decision.GRANTED)
    scene.act(principals.withhold, "pets", True)
    erased = scene.run(principals.erase(scene.ledger.context, scene.who()))
    assert (erased.entries, erased.withheld, erased.on_hold) == (2, 1, False)
    assert "two kids" not in everything(scene)
    consent = scene.run(principals.consent(scene.ledger.context, scene.who()))
    assert (consent.decision, consent.tier) == ("revoked", "none")
    scene.say("kids", "I want two kids")
    assert scene.stored() == {} and scene.stored("bob") == {"kids": "three please"}
    scene.later(1)
    scene.say("kids", "I want two kids")
    assert scene.stored() == {"kids": "I want two kids"} and scene.recall() == {}


def test_erasing_leaves_the_undecided_undecided_and_an_objection_standing(scene):
    context = scene.ledger.context
    scene.run(principals.erase(context, scene.who()))
    assert scene.run(principals.consent(context, scene.who())).decision is None
    scene.run(principals.object_(context, scene.who(), True))
    scene.run(principals.erase(context, scene.who()))
    assert scene.run(principals.export(context, scene.who())).rest.objection


def test_under_a_legal_hold_nothing_is_swept_deleted_or_replaced(scene):
    context = scene.ledger.context
    scene.say("kids", "I want two kids")
    scene.run(operators.place_hold(context, scene.who()))
    for act, rest in ((principals.delete, ()), (principals.correct, ("I want none",))):
        with pytest.raises(LegalHold):
            scene.act(act, "kids", *rest)
    assert scene.say("kids", "I want nine kids").verdict.accepted
    scene.later(600)
    assert scene.sweep()["entries"] == 0
    assert scene.stored() == {"kids": "I want two kids"}
    scene.run(operators.lift_hold(context, scene.who()))
    assert scene.stored() == {}, "and goes with the hold, since a sweep would have taken it"


def test_an_erasure_under_a_hold_hides_everything_and_is_completed_when_it_is_lifted(scene):
    context = scene.ledger.context
    scene.say("kids", "I want two kids")
    scene.decide(Decision.GRANTED)
    scene.run(operators.place_hold(context, scene.who()))
    receipt = scene.run(principals.erase(context, scene.who()))
    assert receipt.on_hold
    assert scene.own() == {} and scene.recall() == {} and scene.covered() == {}
    assert scene.run(principals.export(context, scene.who())).entries == ()
    assert scene.stored() == {"kids": "I want two kids"}
    scene.run(operators.lift_hold(context, scene.who()))
    assert scene.stored() == {} and "two kids" not in everything(scene)
    assert scene.audit() == {
        "consent_granted": 1,
        "hold_placed": 1,
        "erase_asked": 1,
        "hold_lifted": 1,
        "erased": 1,
    }


def test_an_erasure_under_a_hold_leaves_the_receipt_of_a_refusal_and_names_no_topic(scene):
    context = scene.ledger.context
    scene.decide(Decision.GRANTED)
    scene.say("kids", "I want two kids")
    scene.act(principals.withhold, "kids", True)
    scene.run(operators.place_hold(context, scene.who()))
    scene.run(principals.erase(context, scene.who()))
    taken = scene.run(principals.export(context, scene.who()))
    assert taken.rest.erase_asked and taken.withheld == () and taken.entries == ()
    states = {receipt["events"][0]["event_state"] for receipt in taken.receipts}
    assert states == {"consent given", "consent withdrawn"}


def test_what_was_forbidden_under_a_hold_goes_when_it_is_lifted(scene):
    context = scene.ledger.context
    scene.say("diet", "I eat everything")
    scene.say("kids", "I want two kids")
    scene.run(operators.place_hold(context, scene.who()))
    scene.change("diet", {"handling": "forbidden"})
    assert set(scene.stored()) == {"diet", "kids"}
    scene.run(operators.lift_hold(context, scene.who()))
    assert scene.stored() == {"kids": "I want two kids"} and scene.audit()["dropped"] == 1


def test_one_cannot_touch_the_entry_of_another(scene):
    scene.say("kids", "I want two kids")
    with pytest.raises(NotFound):
        scene.run(principals.delete(scene.ledger.context, scene.who("bob"), scene.own()["kids"].id))


def test_barriers_and_the_audit_expire_with_the_window(scene):
    scene.say("kids", "I want two kids")
    scene.act(principals.delete, "kids")
    scene.later(542)
    done = scene.sweep()
    assert (done["barriers"], done["audit"]) == (1, 1)
    assert scene.database.rows("select count(*) from ledger.barrier") == [(0,)]


def test_a_bare_answer_that_a_hold_keeps_is_shown_under_no_other_question_and_goes_with_the_hold(scene):
    scene.list_topic("tattoos", "Do you have tattoos?")
    scene.say("tattoos", "No", asked="Do you have tattoos?")
    scene.decide(Decision.GRANTED)
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    scene.change("tattoos", {"question": "Are you free of tattoos?"})
    assert scene.quotes() == {}
    assert scene.own()["tattoos"].question is None
    scene.run(operators.lift_hold(scene.ledger.context, scene.who()))
    assert scene.stored() == {}


def test_nor_is_one_that_waits_for_his_yes(scene):
    scene.list_topic("tattoos", "Do you have tattoos?")
    scene.change("tattoos", {"handling": "confirm"})
    scene.say("tattoos", "No", asked="Do you have tattoos?")
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    scene.change("tattoos", {"question": "Are you free of tattoos?"})
    scene.run(operators.lift_hold(scene.ledger.context, scene.who()))
    assert scene.database.rows("select answer from ledger.pending") == []


# ── What a hold postponed is done when it is lifted, whatever the registry says by then ──────────


def forbid_and_allow(scene):
    scene.change("smoking", {"handling": "forbidden"})
    scene.change("smoking", {"handling": "open"})


def ask_otherwise_and_back(scene):
    scene.change("smoking", {"question": "Are you a non-smoker?"})
    scene.change("smoking", {"question": "Do you smoke?"})


def ask_otherwise_and_merge(scene):
    scene.change("smoking", {"question": "Are you a non-smoker?"})
    scene.list_topic("tobacco", "Do you smoke?")
    scene.merge("smoking", "tobacco")


def shorten_sweep_and_lengthen(scene):
    scene.change("smoking", {"reconfirm_after": 1, "drop_after": 2})
    scene.later(3)
    scene.sweep()
    scene.change("smoking", {"reconfirm_after": None, "drop_after": None})


@pytest.mark.parametrize("waits", [False, True])
@pytest.mark.parametrize(
    "postponed",
    [forbid_and_allow, ask_otherwise_and_back, ask_otherwise_and_merge, shorten_sweep_and_lengthen],
)
def test_what_a_hold_postponed_is_gone_when_it_is_lifted(scene, postponed, waits):
    if waits:
        scene.change("smoking", {"handling": "confirm"})
    scene.decide(Decision.GRANTED)
    scene.say("smoking", "No", asked="Do you smoke?")
    scene.say("kids", "I want two kids")
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    kept = scene.database.rows(
        "select answer from ledger.entry union all select answer from ledger.pending order by 1"
    )
    postponed(scene)
    assert (
        scene.database.rows(
            "select answer from ledger.entry union all select answer from ledger.pending order by 1"
        )
        == kept
    ), "the hold keeps it"
    assert scene.quotes() == {"kids": "I want two kids"} and scene.covered() == {"kids": "fresh"}
    scene.run(operators.lift_hold(scene.ledger.context, scene.who()))
    assert scene.stored() == {"kids": "I want two kids"}
    assert scene.database.rows("select answer from ledger.pending") == [] and scene.audit()["dropped"] == 1
    assert (
        scene.run(principals.withheld(scene.ledger.context, scene.who())) == []
        or postponed is forbid_and_allow
    )


@pytest.mark.parametrize("newer", ["children", "kids"])
def test_a_merge_under_a_hold_is_completed_when_it_is_lifted(scene, newer):
    """Both answers stay meanwhile, one of them out of sight; then the newer one stands, withheld if one was."""
    scene.list_topic("children", "Any children?")
    for topic in ("children", "kids"):
        scene.say(topic, f"I want {topic}", on=scene.today - timedelta(days=topic != newer))
    scene.act(principals.withhold, "children", True)
    scene.decide(Decision.GRANTED)
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    scene.merge("children", "kids")
    assert len(scene.stored()) == 2 and scene.quotes() == {}
    scene.run(operators.lift_hold(scene.ledger.context, scene.who()))
    assert scene.stored() == {"kids": f"I want {newer}"}
    assert scene.quotes() == {}
    scene.act(principals.withhold, "kids", False)
    assert scene.quotes() == {"kids": f"I want {newer}"}


def test_after_an_erasure_under_a_hold_not_even_why_shows_what_there_was(scene):
    scene.say("kids", "I want two kids")
    scene.act(principals.withhold, "kids", True)
    scene.run(operators.place_hold(scene.ledger.context, scene.who()))
    scene.run(principals.erase(scene.ledger.context, scene.who()))
    state = scene.ledger._connections.execute(db.state(scene.who(), "kids"))
    assert (state.as_of, state.pending, state.withheld) == (None, False, False)


def test_a_bare_correction_leans_on_the_question_that_he_saw(scene):
    scene.list_topic("tattoos", "Do you have tattoos?")
    scene.say("tattoos", "I have two tattoos")
    (entry,) = scene.run(principals.entries(scene.ledger.context, scene.who()))
    correcting = principals.correct(scene.ledger.context, scene.who(), entry.id, "No")
    found = scene.run(first_of(correcting))
    scene.change("tattoos", {"question": "Are you free of tattoos?"})
    with pytest.raises(PreconditionFailed):
        scene.run(rest_of(correcting, found))
    assert scene.stored() == {"tattoos": "I have two tattoos"}


def first_of(use_case):
    return (yield next(use_case))


def rest_of(use_case, found):
    try:
        operation = use_case.send(found)
        while True:
            operation = use_case.send((yield operation))
    except StopIteration as end:
        return end.value
