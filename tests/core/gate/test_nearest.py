"""The span that would pass."""

from __future__ import annotations

import pytest

from ledger.core.gate import Gate


@pytest.mark.parametrize(
    ("message", "span", "nearest"),
    [
        # the smallest wider span that leaves nothing behind
        ("Honestly? I don't want kids", "want kids", "don't want kids"),
        ("I used to smoke a lot", "smoke a lot", "I used to smoke a lot"),
        ("my sister has two kids", "has two kids", "my sister has two kids"),
        ("I want kids if I marry, I guess", "I want kids", "I want kids if I marry, I guess"),
        ("[I eat fish] but not meat. Ok.", "I eat fish", None),
        ("I doubt that I don't want kids", "want kids", "I doubt that I don't want kids"),
        # the verb goes with its negation
        ("I do not think I want a dog", "I want a dog", "do not think I want a dog"),
        ("I'm not sure I want a dog", "I want a dog", "I'm not sure I want a dog"),
        ("We could not find a flat", "find a flat", "could not find a flat"),
        # whole words
        ("About to start a new job", "art a new job", "start a new job"),
        # the nearest literal part
        (
            "I dont smoke cigarettes at all",
            "I don't smoke cigarettes at all.",
            "I dont smoke cigarettes at all",
        ),
        ("Sure! I want two kids, maybe", "I want two children", "I want two kids, maybe"),
        ("Nothing alike here", "zebra quartz", None),
        # whole sentences where there is no data
        ("Nie chcę teraz mieć dzieci. Nigdy.", "dzieci", "Nie chcę teraz mieć dzieci."),
        ("Я не хочу детей.", "детей", "Я не хочу детей."),
    ],
)
def test_what_is_suggested(gate: Gate, message: str, span: str, nearest: str | None) -> None:
    verdict = gate.judge(message, span)
    assert not verdict.accepted
    if nearest is not None:
        assert verdict.nearest == nearest
    elif verdict.nearest is not None:
        assert gate.judge(message, verdict.nearest).accepted


@pytest.mark.parametrize(
    ("message", "span"),
    [("Do you smoke?", "smoke"), ("I want this role", "this role"), ("x" * 600, "x" * 600), ('she said "I smoke"', "I smoke"),
     ("my pin is 4711", "my pin is 4711"), ("I don't " + "want " * 120 + "kids", "kids")],
)  # fmt: skip
def test_nothing_is_suggested_where_no_wider_span_helps(gate: Gate, message: str, span: str) -> None:
    assert gate.judge(message, span).nearest is None


@pytest.mark.parametrize(
    ("message", "span"),
    [
        # it would pass at one of them
        ("I want kids. My sister wants kids.", "kids"),
        ("Dogs are welcome here. Cats are not welcome.", "welcome"),
        ("I have 5 dogs, not 5 cats", "5"),
        # it passes at none
        ("Dogs are not welcome. Cats are not welcome.", "welcome"),
        ("I like starters, and I like party food", "art"),
    ],
)
def test_of_several_places_none_is_suggested(gate: Gate, message: str, span: str) -> None:
    verdict = gate.judge(message, span)
    assert not verdict.accepted and verdict.nearest is None


def test_a_refusal_says_what_was_left_behind_and_repeats_nothing(gate: Gate) -> None:
    message = "Honestly I don't want kids"
    verdict = gate.judge(message, "want kids")
    assert verdict.rule == "negation"
    assert verdict.left_behind is not None
    assert message[slice(*verdict.left_behind)] == "don't"
    assert "kids" not in verdict.detail
    assert "don't" not in verdict.detail
