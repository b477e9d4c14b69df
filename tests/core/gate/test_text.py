"""Folding keeps its way back."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st

from ledger.core.text import fold, has_substance, is_edge

ANY = st.text(
    st.characters(codec=None)
    | st.sampled_from("’“–—­\u200b\u200d\ufe0f\u0301İßﬁǰ\u030c \t\r\n\x85\u2028é-'\""),
    max_size=40,
)


@given(ANY)
@example("J\u030cß")
@settings(max_examples=400, deadline=None)
def test_every_folded_slice_leads_back_to_an_original_that_folds_to_it(text: str) -> None:
    folded = fold(text)
    for at in range(len(folded.text)):
        start, end = folded.start(at), folded.end(at + 1)
        if start is not None and end is not None:
            assert 0 <= start < end <= len(text)
            assert fold(text[start:end]).text in (folded.text[at], "\n", "\f", "—", " ")
    assert len(folded.alike) == len(folded.text)


def test_marks_that_canonical_order_changes_about_are_one_piece() -> None:
    text = "x\u0300\u0316y"
    folded = fold(text)
    assert folded.text == "x\u0316\u0300y"
    assert folded.start(2) is None
    assert (folded.start(3), folded.end(4)) == (3, 4)


@given(ANY)
@settings(max_examples=300, deadline=None)
def test_folding_evens_out_what_typing_changes(text: str) -> None:
    assert fold(unicodedata.normalize("NFD", text)).alike == fold(unicodedata.normalize("NFC", text)).alike
    assert fold(text.replace("'", "’")).text == fold(text).text
    assert fold(f"{text}\u200b").text == fold(text).text


@given(ANY)
@settings(max_examples=300, deadline=None)
def test_the_ends_of_a_text_are_edges_and_letters_have_none_between_them(text: str) -> None:
    assert is_edge(text, 0)
    assert is_edge(text, len(text))
    for at in range(1, len(text)):
        if text[at - 1].isascii() and text[at].isascii() and text[at - 1].isalnum() and text[at].isalnum():
            assert not is_edge(text, at)


def test_substance_is_more_than_marks_and_blanks() -> None:
    assert not any(
        has_substance(text) for text in ("", " ", ".", "?!…", "\u200b", "\u3164", "\x00", "“”", "-")
    )
    assert all(has_substance(text) for text in ("a", "5", "👍", "$", "猫", "é"))
