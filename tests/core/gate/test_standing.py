"""Rule 5: an answer stands alone, or with its question."""

from __future__ import annotations

import pytest

from ledger.core.gate import Gate

SMOKE = "Do you smoke?"


@pytest.mark.parametrize(
    "answer",
    ["yes", "No.", "Yeah. Yeah.", "No, I don't.", "Yes, I do.", "uh-huh", "Not really.", "same as before", "the second one",
     "Both", "I do, yes.", "sí", "SÍ", "Sí, claro", "no, gracias", "lo mismo", "👍", "maybe", "neither", "negative", "came back negative", "resultó negativo", "son negativas"],
)  # fmt: skip
def test_a_bare_answer_needs_its_question(gate: Gate, answer: str) -> None:
    assert gate.judge(answer, answer).reason == "needs_question"
    assert gate.judge(answer, answer, question=SMOKE).reason == "needs_question"
    assert gate.judge(answer, answer, asked=SMOKE).reason == "needs_question"
    assert gate.judge(answer, answer, question=SMOKE, asked="Do you drink?").reason == "needs_question"
    verdict = gate.judge(answer, answer, question=SMOKE, asked="Great!  do you  SMOKE")
    assert verdict.accepted
    assert verdict.bare
    assert gate.is_bare(answer)


@pytest.mark.parametrize(
    "answer",
    [
        "two",
        "10.04",
        "In Dallas.",
        "May 5th",
        "Kim",
        "never on weekdays",
        "only on Fridays",
        "I don't smoke",
        "no kids",
        "the test came back negative",
        "el cultivo fue negativo",
    ],
)
def test_numbers_dates_names_and_statements_stand_alone(gate: Gate, answer: str) -> None:
    verdict = gate.judge(answer, answer)
    assert verdict.accepted
    assert not verdict.bare


@pytest.mark.parametrize(
    "answer", ["ＹＥＳ", "y\u200bes", "yes yes no no yes", "uh, yes, I do, yes, thanks", "👍🏽", "🙂"]
)
def test_what_only_sounds_bare_and_is_not_listed_is_refused_even_with_its_question(
    gate: Gate, answer: str
) -> None:
    assert gate.judge(answer, answer, question=SMOKE, asked=SMOKE).reason == "needs_question"


def test_a_wider_span_is_suggested_for_a_bare_one(gate: Gate) -> None:
    assert gate.judge("No, I live in Maryland.", "No").nearest == "No, I live in Maryland."
    assert gate.judge("No. I vape.", "No.").nearest == "No. I vape."


YES, NO, BOTH, NEITHER = {True}, {False}, {True, False}, set[bool]()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Yes, still", YES), ("yeah it is", YES), ("No, I don't anymore", NO), ("nope", NO), ("sí", YES), ("Creo que no", NO),
        ("I live in Leeds", NEITHER), ("", NEITHER),
        # what is said of its being so stands anywhere
        ("nothing has changed", YES), ("that changed", NO), ("I no longer smoke", NO), ("no change", YES),
        # both: nobody can say which holds
        ("Yes and no", BOTH), ("no, that's still right", BOTH), ("I don't think so, yes", BOTH), ("Yeah no, I quit", BOTH),
        ("No. That's still right.", BOTH), ("no, sigue igual", BOTH), ("sí, ya no fumo", BOTH), ("No, I do", BOTH),
        # a yes or a no is an answer, or a word like others
        ("Yes, I don't smoke", YES), ("Sí, no fumo", YES), ("Yes, still no pets", YES), ("sure, no problem", YES), ("ja, ich rauche nicht", YES),
        # a condition, a wish, a joke settle nothing
        ("if you insist, yes", BOTH), ("yes, if you insist", BOTH), ("si insistes, sí", BOTH), ("I wish, yes", BOTH), ("wenn du meinst, ja", BOTH),
        # thanks go with either
        ("Yes, thanks", YES), ("No, thanks", NO),
    ],
)  # fmt: skip
def test_polarity(gate: Gate, text: str, said: set[bool]) -> None:
    assert gate.polarity(text) == said


@pytest.mark.parametrize(
    "span", ["I could work for you", "I like your office", "I want this role", "I live right here", "as you said, two", "para ti dos"],
)  # fmt: skip
def test_words_that_lean_on_the_listener_or_the_place_are_refused(outcome, span):
    assert outcome(span, span) == "needs_context"


@pytest.mark.parametrize(
    "span", ["I can start this month", "I live here in Dallas", "it's for me and you know who"]
)
def test_words_that_do_not_are_kept(outcome, span):
    assert outcome(span, span) == "kept"
