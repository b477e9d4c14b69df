"""Rule 3: a real question is no answer, even whole; a polite request states its content."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("message", "span"),
    [
        ("Do you want kids?", "Do you want kids?"),
        ("do you want kids", "want kids"),
        ("Hey Kim, so how many kids do you have?", "kids"),
        ("Where do you live", "Where do you live"),
        ("What about you?", "What about you?"),
        ("You smoke?", "You smoke?"),
        ("Can you tell me whether you smoke?", "you smoke"),
        ("Is there anything you are allergic to?", "allergic"),
        ("I'm in Austin, where are you?", "where are you?"),
        ("¿Tienes hijos?", "¿Tienes hijos?"),
        ("Hola, ¿dónde vives?", "dónde vives"),
        ("kim: is zathura installed on it", "installed on it"),
        ("kim, will gparted do", "gparted do"),
        ("i see... what do you drink", "what do you drink"),
        ("sorry, where", "where"),
        ("You know where she lives", "where she lives"),
        ("But do n't you need a car", "need a car"),
        ("Where 've you been", "you been"),
        ("How do I make sure it is open", "it is open"),
        ("Shall I buy a dog", "a dog"),
    ],
)
def test_a_real_question_is_refused(outcome, message, span):
    assert outcome(message, span) == "question"


@pytest.mark.parametrize(
    ("message", "span"),
    [
        ("Can you book it for two?", "two"),
        ("Could you please find me a flat in Leeds?", "a flat in Leeds"),
        ("Hi, can I change the table to 9 people?", "9 people"),
        ("Will you have availability on Sunday?", "Sunday"),
        ("Do you have a table for four at 8pm?", "four at 8pm"),
        ("Is it possible to come at 7:15?", "7:15"),
        ("How about next Tuesday?", "next Tuesday"),
        ("I booked for two at eight?", "two at eight"),
        ("8:30?", "8:30"),
        ("I'm in Austin, where are you?", "I'm in Austin"),
        ("Honestly? I want kids", "I want kids"),
        ("I want kids. Do you?", "I want kids. Do you?"),
        ("kim: it is cold", "it is cold"),
        ("Kim, can come on Friday", "Friday"),
        ("shall we say seven", "seven"),
        ("How do I make a reservation for two", "two"),
        ("¿Podrías reservar una mesa para dos?", "dos"),
    ],
)
def test_a_request_or_a_statement_beside_a_question_is_kept(outcome, message, span):
    assert outcome(message, span) == "kept"
