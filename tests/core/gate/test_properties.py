"""What holds for every message and every span."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ledger.core.gate import LONGEST, Gate, narrow
from ledger.core.model import Reason
from ledger.languages import load

GATE = Gate(load())

SAID = (
    "I you my sister want kids two don't not no yes if unless maybe think smoke , . ? ! \" ' “ ” ( ) > ` — - \n \n\n 12:20 non-smoking "
    "said used to wish but never quiero no hijos si ojalá sí ¿ привет 猫 😀 👩‍💻 café cafe\u0301 \u200b \u202e İ ß ﬁ \x00 \ud800 <answer-ledger> "
    "</answer-ledger> ``` for you your office actually Friday wait"
)
WORDS = st.sampled_from(SAID.split(" "))
TALK = st.lists(WORDS, min_size=1, max_size=30).map(" ".join)
ANY = st.text(st.characters(codec=None), max_size=80)


@st.composite
def message_and_part(draw: st.DrawFn) -> tuple[str, str]:
    message = draw(TALK | ANY)
    start = draw(st.integers(0, len(message)))
    return message, message[start : draw(st.integers(start, len(message)))]


@given(message_and_part())
@example(("İİ ok", "i̇"))
@example(("\ud800 I smoke", "I smoke"))
@settings(max_examples=400, deadline=None)
def test_an_answer_is_a_slice_of_its_message(pair: tuple[str, str]) -> None:
    message, span = pair
    verdict = GATE.judge(message, span)
    if verdict.accepted:
        assert verdict.answer is not None
        assert verdict.start is not None
        assert message[verdict.start : verdict.start + len(verdict.answer)] == verdict.answer
        assert 0 < len(verdict.answer) <= LONGEST
        assert verdict.reason is None
    else:
        assert verdict.reason is not None
        assert verdict.answer is None
        assert verdict.detail


@given(message_and_part(), ANY)
@settings(max_examples=200, deadline=None)
def test_a_literal_part_is_kept_to_the_character_or_refused(pair: tuple[str, str], other: str) -> None:
    message, span = pair
    verdict = GATE.judge(message, span)
    assert verdict.reason is not Reason.NOT_VERBATIM
    if verdict.accepted and verdict.answer != span:
        assert span not in message.split()  # only where the exact place was inside a word
    assert GATE.judge(message, other) == GATE.judge(message, other)


@given(message_and_part() | st.tuples(TALK, TALK))
@example(("I want two kids. My sister has a boat. But only after 35.", "I want two kids ... only after 35"))
@example(("you \u202e I", "I I I"))
@settings(max_examples=400, deadline=None)
def test_what_is_suggested_is_accepted(pair: tuple[str, str]) -> None:
    message, span = pair
    verdict = GATE.judge(message, span)
    if verdict.nearest is None:
        return
    assert verdict.reason not in (Reason.NOT_OWN_WORDS, Reason.SECRET, Reason.NAMES_COUNTERPARTY)
    again = GATE.judge(message, verdict.nearest)
    assert again.accepted
    assert again.answer == verdict.nearest


@given(ANY, ANY, st.lists(ANY, max_size=3), ANY, st.sampled_from([None, "en", "es-MX", "de", "", "x-y"]))
@settings(max_examples=200, deadline=None)
def test_no_text_makes_it_raise(
    message: str, span: str, avoid: list[str], asked: str, lang: str | None
) -> None:
    GATE.judge(message, span, question=asked, asked=asked, avoid=avoid, lang=lang)
    GATE.fit(message, avoid)
    GATE.polarity(message)
    GATE.is_bare(message)


@given(TALK)
@settings(max_examples=200, deadline=None)
def test_a_whole_message_leaves_nothing_behind(message: str) -> None:
    verdict = GATE.judge(message, message)
    assert verdict.reason not in (Reason.MEANING_CUT, Reason.NOT_VERBATIM, Reason.MID_WORD)


FORMS = st.sampled_from(GATE.bare_forms())


@given(FORMS | st.lists(FORMS, min_size=1, max_size=6).map(" ".join) | TALK | ANY)
@settings(max_examples=400, deadline=None)
def test_what_is_kept_with_its_question_alone_is_told_as_bare(text: str) -> None:
    verdict = GATE.judge(text, text, question="Q", asked="Q")
    if verdict.accepted:
        assert verdict.bare == GATE.is_bare(text)
    if GATE.judge(text, text).reason is Reason.NEEDS_QUESTION and verdict.accepted:
        assert GATE.is_bare(text)
        assert GATE.is_bare(narrow(text))


@given(ANY)
@settings(max_examples=300, deadline=None)
def test_narrow_is_stable_and_looks_at_ascii_letters_alone(text: str) -> None:
    form = narrow(text)
    assert narrow(form) == form
    assert narrow(f"  {text}... ") == form
    assert not any(char in form for char in "ABCDEFGHIJKLMNOPQRSTUVWXYZ.,!?")


@pytest.mark.parametrize(
    "unit",
    [
        "not ",
        "a ",
        '"',
        "(",
        "if i ",
        "no, ",
        "> a\n",
        "``` ",
        "e\u0301\u0301",
        "a-",
        "'a ",
        "<answer-ledger ",
        "\u200b\n",
        "non ! ",
        "咱们医生坚持说, ",
    ],
)
def test_the_time_grows_with_the_length(unit: str) -> None:
    import time

    def took(size: int) -> float:
        message = unit * (size // len(unit)) + " z"
        start = time.process_time()
        GATE.judge(message, "z")
        return time.process_time() - start

    took(2_000)
    small = min(took(4_096) for _ in range(3))
    assert min(took(65_536) for _ in range(3)) < 16 * 5 * small + 0.05


@pytest.mark.parametrize("unit", ["no, ", "a", "a-", '" ', "if i "])
def test_many_spans_of_a_message_share_its_reading(unit: str) -> None:
    """Each of them by itself took a fifth of a second and more, of 32 together that is over six."""
    import time

    message = (unit * 65_536)[:65_536]
    start = time.process_time()
    reading = GATE.read(message)
    for at in range(0, 64_000, 2_000):
        reading.judge(message[at : at + 480] + " q")
        reading.judge(message[at : at + 60])
    assert time.process_time() - start < 3
