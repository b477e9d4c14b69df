"""Near-misses: a high bar for "the same topic", a choice in the middle, and traps that are never near."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.core.registry.label import normalise
from ledger.core.registry.near import FAR, MOST_SIMILAR, Listed, Near
from ledger.packs import near_lists

KEYS = [
    "kids", "smoking", "vaccinated", "alcohol", "cats", "medication", "diet", "travel", "departure_date", "max_price", "child_2",
    "notice_period", "pets", "employer", "wife", "start_date", "date_of_birth", "car_model", "salary_expectation", "insured",
    "vitamin_d", "flights_from_home", "hijos", "permiso_de_trabajo", "fumar",
]  # fmt: skip
LISTED = Listed({key: key for key in KEYS}, near_lists())


def near(label: str) -> Near:
    return LISTED.near(normalise(label))


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("kids", "kids"),
        ("child 2", "child_2"),  # exactly a listed key, whatever else it is
        ("kid", "kids"),
        ("pet", "pets"),
        ("hijo", "hijos"),
        ("permisos de trabajo", "permiso_de_trabajo"),
        ("notice periods", "notice_period"),
        ("salary expectations", "salary_expectation"),
        ("period of notice", "notice_period"),
        ("birth date", "date_of_birth"),
        ("model of the car", "car_model"),
        ("notice peroid", "notice_period"),
        ("notic period", "notice_period"),
        ("noticeperiod", "notice_period"),
        ("smokng", "smoking"),
        ("vacinated", "vaccinated"),
        ("alcohool", "alcohol"),
    ],
)
def test_a_plural_an_order_a_gap_or_a_slip_is_the_same_topic(label: str, key: str) -> None:
    assert near(label) == Near("same", (key,))


@pytest.mark.parametrize(
    "label",
    [
        "no smoking", "non smoking", "nonsmoking", "smoke free", "quit smoking", "never smoking", "smoking: no",
        "unvaccinated", "un-vaccinated", "not vaccinated", "vaccinated? not", "non alcohol", "alcohol-free", "without alcohol",
        "no kids", "kids: none", "kidless", "don't travel", "uninsured", "ex wife", "husband", "employee",
        "min price", "arrival", "child 1", "child 3", "2 kids", "kids 2", "second kid", "vitamin c", "kids ii",
        "no fumar", "sin hijos", "dos hijos", "hijas",
    ],
)  # fmt: skip
def test_a_negated_opposite_or_numbered_label_is_near_nothing(label: str) -> None:
    assert near(label) == FAR


@pytest.mark.parametrize(
    "label", ["cars", "bats", "cat flu", "meditation", "diets plan", "gravel", "dies", "wine", "life", "carts", "pots", "insurer"]
)  # fmt: skip
def test_another_word_is_never_merged_however_alike_its_letters(label: str) -> None:
    assert near(label).kind != "same"


@pytest.mark.parametrize(
    ("key", "label"),
    [("flights_from_paris_to_rome", "flights_from_rome_to_paris"), ("number_of_rooms", "room_number"), ("price_per_night", "night_per_price")],
)  # fmt: skip
def test_another_order_of_a_direction_or_a_measure_says_another_thing(key: str, label: str) -> None:
    assert Listed({key: key}, near_lists()).near(label).kind != "same"


@pytest.mark.parametrize(
    ("label", "key"),
    [
        ("do you smoke?", "smoking"),
        ("smokers", "smoking"),
        ("fumador", "fumar"),
        ("pets allowed", "pets"),
        ("current salary", "salary_expectation"),
        ("how much notice do you need?", "notice_period"),
    ],
)
def test_a_label_that_shares_what_counts_is_put_up_for_choice(label: str, key: str) -> None:
    found = near(label)
    assert (found.kind, found.keys[0]) == ("similar", key)


@pytest.mark.parametrize(
    "label", ["children", "surfing", "favourite colour", "is it ok to ask you this", "сорт", "日本"]
)
def test_anything_else_is_far(label: str) -> None:
    assert near(label) == FAR


@pytest.mark.parametrize(
    ("label", "key"),
    [("how tall", "height"), ("town", "residence"), ("technicians", "tech_stack"), ("teachings", "teacher")],
)  # fmt: skip
def test_the_words_of_a_question_and_words_that_grow_from_another_put_a_topic_up_for_choice(
    label: str, key: str
) -> None:
    questions = {"height": "How tall are you?", "residence": "Which town do you live in?"}
    names = [*questions, "tech_stack", "technical_level", "teacher", "towel"]
    found = Listed({name: name for name in names}, near_lists(), questions).near(normalise(label))
    assert found.kind == "similar" and key in found.keys


def test_no_word_of_a_question_makes_a_label_the_same() -> None:
    listed = Listed({"smoking": "smoking"}, near_lists(), {"smoking": "Tobacco?"})
    assert listed.near("tobacco") == Near("similar", ("smoking",))
    assert listed.near("tobaco").kind != "same"


def test_a_label_near_to_two_topics_is_put_up_for_choice_and_not_merged() -> None:
    listed = Listed({"smoking": "smoking", "smoaking": "fish"}, near_lists())
    assert listed.near("smooking") == Near("similar", ("fish", "smoking"))


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("papá", "papa"), ("sí", "si"), ("año_nuevo", "ano_nuevo"), ("schön", "schon"), ("profesión", "profesion"), ("niños", "ninos"),
        ("cuánto_ganas", "cuanto_ganas"), ("música", "musicas"), ("работа_моё", "работа_мое"), ("ё", "е"),
    ],
)  # fmt: skip
def test_another_accent_is_another_word_similar_and_never_the_same(key: str, label: str) -> None:
    for listed, asked in ((key, label), (label, key)):
        assert Listed({listed: listed}, near_lists()).near(asked) == Near("similar", (listed,))


@pytest.mark.parametrize(
    ("key", "label"),
    [("smoking", "smokıng"), ("milk", "miłk"), ("salary", "sɑlary"), ("diet", "ɖiet"), ("تبغ", "ٺبغ"), ("ヘルプ", "へルプ"), ("кот", "қот")],
)  # fmt: skip
def test_letters_that_look_alike_are_similar_and_never_the_same(key: str, label: str) -> None:
    label = normalise(label)
    for listed, asked in ((key, label), (label, key)):
        assert Listed({listed: listed}, near_lists()).near(asked) == Near("similar", (listed,))


@given(st.sampled_from(KEYS), st.data())
def test_no_letter_of_a_listed_key_changes_for_one_with_an_accent_or_one_that_looks_alike(
    key: str, data: st.DataObject
) -> None:
    """Wherever it stands: such a label is never taken for the key."""
    lists = near_lists()
    others = {
        first: [chr(o) for o, read_as in lists.look_alikes.items() if read_as == first] for first in key
    }
    at = data.draw(st.sampled_from([n for n, letter in enumerate(key) if letter.isalpha()]))
    accented = [normalise(key[at] + mark) for mark in "\u0301\u0308\u0327\u0303"]
    letter = data.draw(st.sampled_from([*accented, *others[key[at]]]))
    label = normalise(key[:at] + letter + key[at + 1 :])
    assert near(label).kind != "same"


@pytest.mark.parametrize(
    ("key", "label"), [("niño", "niños"), ("país", "países"), ("mamá", "mamás"), ("período_de_preaviso", "preaviso período")]
)  # fmt: skip
def test_a_word_with_an_accent_has_its_plurals_and_orders(key: str, label: str) -> None:
    assert Listed({key: key}, near_lists()).near(normalise(label)) == Near("same", (key,))


@pytest.mark.parametrize("label", ["nó smoking", "nо_smoking".replace("о", "ø"), "únvaccinated", "mín price"])
def test_an_accent_opens_no_way_around_a_negation(label: str) -> None:
    assert near(label) == FAR


def test_an_alias_leads_to_its_key() -> None:
    listed = Listed({"kids": "kids", "children": "kids", "pets": "pets"}, near_lists())
    assert (
        listed.near("children") == listed.near("childrn") == listed.near("child") == Near("same", ("kids",))
    )


def test_nothing_is_near_to_an_empty_registry() -> None:
    assert Listed({}, near_lists()).near("kids") == FAR


@given(
    st.permutations(KEYS), st.sampled_from(["kid", "date", "salary start", "prices", "travel date", "smokng"])
)
def test_the_order_of_the_registry_changes_nothing(keys: list[str], label: str) -> None:
    assert Listed({key: key for key in keys}, near_lists()).near(normalise(label)) == near(label)


@given(st.text("abcdefgnotu_", min_size=1, max_size=12).map(lambda t: t.strip("_") or "a"))
def test_any_key_gets_an_answer_of_its_form(key: str) -> None:
    found = LISTED.near(key)
    assert len(found.keys) == len(set(found.keys))
    assert {"same": 1, "far": 0}.get(found.kind, len(found.keys) or 1) == len(found.keys) <= MOST_SIMILAR


@given(st.sampled_from([key for key in KEYS if not key[-1].isdigit()]), st.sampled_from(["no", "not", "non", "without", "un", "never", "sin"]))  # fmt: skip
def test_no_listed_topic_is_near_its_own_negation(key: str, negator: str) -> None:
    assert LISTED.near(f"{negator}_{key}") == FAR


def test_a_registry_of_five_thousand_answers_like_a_small_one() -> None:
    syllables = ["ka", "lo", "mi", "ten", "sar", "ul", "ve", "dor", "pi", "ran"]
    words = ["".join(three) for three in product(syllables, repeat=3)]
    names = [f"{one}_{other}" for one, other in product(words[::10], words[::20])]
    listed = Listed({name: name for name in [*names, *KEYS]}, near_lists())
    assert len(names) == 5000
    for label in ("notice_peroid", "kid", "birth_date"):
        assert listed.near(label) == near(label)
    assert listed.near("no_smoking") == FAR
