"""Handling: an order from loose to strict, and categories that are never open."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.core.model import Handling
from ledger.core.registry.handling import LONGEST_PHRASE, is_loosening, special_category, stricter
from ledger.packs import special_categories

HANDLINGS = st.sampled_from(Handling)


def touched(key: str, question: str | None = None, *aliases: str) -> str | None:
    return special_category(special_categories(), key, question, aliases)


def test_the_order_is_open_sealed_confirm_forbidden() -> None:
    assert stricter(Handling.OPEN, Handling.SEALED) is Handling.SEALED
    assert stricter(Handling.CONFIRM, Handling.SEALED) is Handling.CONFIRM
    assert stricter(Handling.FORBIDDEN, Handling.CONFIRM) is Handling.FORBIDDEN


@given(HANDLINGS, HANDLINGS)
def test_the_stricter_of_two_loosens_neither(one: Handling, other: Handling) -> None:
    strict = stricter(one, other)
    assert strict is stricter(other, one)
    assert strict in {one, other}
    assert not is_loosening(one, strict)
    assert not is_loosening(other, strict)


@given(HANDLINGS, HANDLINGS)
def test_a_step_loosens_or_its_way_back_does_or_nothing_changed(one: Handling, other: Handling) -> None:
    assert is_loosening(one, other) + is_loosening(other, one) + (one is other) == 1


@pytest.mark.parametrize(
    ("key", "category"),
    [
        ("health_problems", "health"), ("hiv", "health"), ("hiv_status", "health"), ("pregnancy", "health"),
        ("diagnosis", "health"), ("disability", "health"), ("medication", "health"), ("blood_type", "health"),
        ("embarazo", "health"), ("enfermedad", "health"), ("alergias", "health"), ("grupo_sanguíneo", "health"),
        ("religion", "faith"), ("religión", "faith"), ("iglesia", "faith"), ("do_you_pray", "faith"),
        ("sexual_orientation", "sexuality"), ("orientación_sexual", "sexuality"), ("gender_identity", "sexuality"),
        ("politics", "politics"), ("who_do_you_vote_for", "politics"), ("trade_union", "politics"), ("sindicato", "politics"),
        ("ethnicity", "origin"), ("race", "origin"), ("skin_colour", "origin"), ("nacionalidad", "origin"),
        ("criminal_record", "crime"), ("arrests", "crime"), ("antecedentes_penales", "crime"),
    ],
)  # fmt: skip
def test_a_topic_that_touches_a_special_category_is_found(key: str, category: str) -> None:
    assert touched(key) == category


@pytest.mark.parametrize(
    "key",
    [
        "smoking", "kids", "diet", "alcohol", "pets", "vaccinated", "notice_period", "start_date", "salary_expectation",
        "work_permit", "hometown", "languages", "device", "probation_period", "blood_orange", "credit_union", "skin_care",
        "racetrack", "fumar", "hijos", "dieta", "vacunado", "color_favorito",
    ],
)  # fmt: skip
def test_everyday_topics_and_words_that_only_look_alike_are_not(key: str) -> None:
    assert touched(key) is None


def test_the_question_and_the_aliases_count_too() -> None:
    assert touched("sundays", "Do you go to church?") == "faith"
    assert touched("sundays", "What do you do on Sundays?", "iglesia") == "faith"
    assert touched("sundays", "What do you do on Sundays?", "weekends") is None


def test_the_data_is_plain_words_and_phrases_of_the_six_categories() -> None:
    assert set(special_categories()) == {"health", "faith", "sexuality", "politics", "origin", "crime"}
    for phrase in frozenset().union(*special_categories().values()):
        assert phrase.isascii(), phrase
        assert phrase == phrase.lower(), phrase
        assert len(phrase.split("_")) <= LONGEST_PHRASE, phrase
        assert all(word.isalpha() for word in phrase.split("_")), phrase
