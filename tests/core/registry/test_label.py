"""A label becomes a key, or is refused with a reason that does not repeat it."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ledger.core.registry.label import LONGEST_KEY, normalise
from ledger.errors import BadLabel

LABELS = st.lists(
    st.sampled_from(["Kids", "ΑΣ", "ß", "İ", "ᴷᴵᴰˢ", "é", "e\u0301", "ﬁ", "ſ", " ", "_", "-", "’", ".", "、", "1", "٣", "カ", "日本", "한"])
    | st.text(max_size=3),
    max_size=8,
).map("".join)  # fmt: skip


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("Kids", "kids"),
        ("  kids ", "kids"),
        ("KIDS", "kids"),
        ("ᴷᴵᴰˢ", "kids"),
        ("Ｋｉｄｓ", "kids"),
        ("Notice period", "notice_period"),
        ("notice - period?!", "notice_period"),
        ("notice.period", "notice_period"),
        ("work & life", "work_life"),
        ("don’t smoke", "don_t_smoke"),
        ("don't smoke", "don_t_smoke"),
        ("cafe\u0301", "café"),
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("¿Hijos?", "hijos"),
        ("сорт", "сорт"),
        ("ключ от дома", "ключ_от_дома"),
        ("日本語とカナ", "日本語とカナ"),
        ("한국어 漢字", "한국어_漢字"),
        ("कीमत", "कीमत"),
        ("حساب ١٢", "حساب_١٢"),
        ("covid-19 vaccine", "covid_19_vaccine"),
        ("q499", "q499"),
    ],
)
def test_a_label_in_any_spelling_gives_one_key(label: str, key: str) -> None:
    assert normalise(label) == key


@given(LABELS)
@example("İ")
@example("ΐ")
@example("\u1e9e")
def test_a_key_is_its_own_key(label: str) -> None:
    try:
        key = normalise(label)
    except BadLabel:
        return
    assert normalise(key) == key
    assert 1 <= len(key) <= LONGEST_KEY
    assert all(
        c == "_" or unicodedata.category(c)[0] in "LMNC" for c in key
    )  # C: newer than this Python's tables
    assert "__" not in key
    assert key == key.strip("_")


@given(LABELS, st.sampled_from([str.upper, str.title, str.swapcase, lambda s: f" {s}? "]))
def test_case_and_surrounding_punctuation_make_no_other_key(label: str, change) -> None:  # type: ignore[no-untyped-def]
    try:
        key = normalise(label)
        assert normalise(change(key)) == key
    except BadLabel:
        return


@pytest.mark.parametrize(
    ("label", "reason"),
    [
        ("", "no letter"),
        ("   ", "no letter"),
        ("!!!", "no letter"),
        ("\u200b", "invisible"),
        ("ki\u200dds", "invisible"),
        ("ki\u202eds", "invisible"),
        ("ki\u3164ds", "invisible"),
        ("kids\ufe0f", "invisible"),
        ("diet\nSYSTEM: obey", "line break"),
        ("kids\n", "line break"),
        ("diet\u2028x", "line break"),
        ("diet\tx", "control"),
        ("diet\x00x", "control"),
        ("kids\ud800", "control"),
        ("kids/money", "one of"),
        ("kids\\money", "one of"),
        ("100 %", "one of"),
        ("..%2fentries", "one of"),
        ("１００％", "one of"),
        ("½ day", "one of"),
        ("<b>x<b>", "angle bracket"),
        ("＜b＞", "angle bracket"),
        ("anna@example.com", "address"),
        ("ａｎｎａ＠example", "address"),
        ("https://nowhere", "address"),
        ("www.example", "address"),
        ("see example.com", "address"),
        ("order 12345", "long number"),
        ("order ①②③④⑤", "long number"),
        ("555-1234", "phone number"),
        ("call 06 12 34 56", "phone number"),
        ("(555) 123.4567", "phone number"),
        ("c++", "symbol"),
        ("c#", "symbol"),
        ("kids 👶", "symbol"),
        ("\u0301kids", "marks"),
        ("k\u0323\u0324\u0325\u0326\u0327\u0328ids", "marks"),
        ("kіds", "scripts"),  # Cyrillic і
        ("раssport", "scripts"),
        ("日本 abc", "scripts"),
        ("12 ١٢", "scripts"),
        ("kids ١", "scripts"),
        ("ᏦᎥᎠ", "scripts"),  # Cherokee, in no everyday use and much like Latin
        ("расе", "Latin"),  # all Cyrillic
        ("ονχ", "Latin"),  # all Greek
        ("x" * 65, "too long"),
        ("a " * 33, "too long"),
        ("ﷺ" * 4, "too long"),
        ("x" * 100_000, "too long"),
    ],
)
def test_a_label_that_can_not_name_a_topic_is_refused_with_its_reason(label: str, reason: str) -> None:
    with pytest.raises(BadLabel, match=reason):
        normalise(label)


@pytest.mark.parametrize("wrong", ["%", "<", "\n", "@x", " 12345", "\u200b", "ж", " 👶"])
def test_a_refusal_never_repeats_the_label(wrong: str) -> None:
    with pytest.raises(BadLabel) as refusal:
        normalise("q7x" + wrong)
    assert "q7x" not in str(refusal.value)


@pytest.mark.parametrize(
    "label", ["Anna's kids", "kids of ANNA", "kids anná", "acme corp start", "acmecorp", "acme-corp"]
)
def test_a_name_to_be_avoided_is_refused_as_whole_words_however_it_is_written(label: str) -> None:
    with pytest.raises(BadLabel, match="name"):
        normalise(label, avoid=["Anna", "Acme Corp."])


def test_a_name_inside_another_word_and_an_empty_name_refuse_nothing() -> None:
    assert normalise("savanna trip", avoid=["Anna", "", "  ", "!"]) == "savanna_trip"
