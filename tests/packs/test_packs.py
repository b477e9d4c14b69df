"""Starter packs: what ships is fit to be listed, and what an operator edits is checked as a whole."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ledger.core.model import Handling, Topic
from ledger.core.registry.handling import special_category
from ledger.core.registry.label import normalise
from ledger.core.registry.near import Listed
from ledger.errors import InvalidRequest, LedgerError, NotFound
from ledger.packs import PACKS, load_pack, near_lists, special_categories

GOOD = """\
pack: mine
about: For a test.
topics:
  - key: kids
    question: Do you want children?
    aliases: [children, hijos]
    reconfirm_after: 90
    drop_after: 300
  - key: pets
    question: Do you have pets?
    handling: sealed
"""


def labels(topic: Topic) -> tuple[str, ...]:
    return (topic.key, *topic.aliases)


@pytest.mark.parametrize("name", PACKS)
def test_a_pack_that_ships_lists_fifteen_to_twenty_five_topics_with_questions_and_aliases(name: str) -> None:
    pack = load_pack(name)
    assert pack.name == name
    assert 15 <= len(pack.topics) <= 25
    for topic in pack.topics:
        assert topic.listed
        assert topic.question is not None
        assert topic.question.endswith("?")
        assert len(topic.aliases) >= 2


@pytest.mark.parametrize("name", PACKS)
def test_its_labels_are_in_normal_form(name: str) -> None:
    for topic in load_pack(name).topics:
        assert [normalise(label) for label in labels(topic)] == list(labels(topic))


@pytest.mark.parametrize("name", PACKS)
def test_no_special_category_is_open(name: str) -> None:
    for topic in load_pack(name).topics:
        touched = special_category(special_categories(), topic.key, topic.question, topic.aliases)
        assert touched is None or topic.handling is not Handling.OPEN, topic.key


def test_all_packs_can_be_listed_together_and_stay_apart() -> None:
    topics: dict[str, Topic] = {}
    for name in PACKS:
        for topic in load_pack(name).topics:
            if topic.key in topics:
                assert topics[topic.key] == topic
            topics[topic.key] = topic
    for one in topics.values():
        others = {
            label: other.key for other in topics.values() if other is not one for label in labels(other)
        }
        listed = Listed(others, near_lists())
        assert not [label for label in labels(one) if listed.near(label).kind == "same"]


@pytest.mark.parametrize(
    ("pack", "key", "handling"),
    [
        ("dating", "kids", Handling.OPEN),
        ("dating", "smoking", Handling.OPEN),
        ("dating", "religion", Handling.SEALED),
        ("recruiting", "notice_period", Handling.OPEN),
        ("recruiting", "other_offers", Handling.FORBIDDEN),
        ("recruiting", "current_employer", Handling.FORBIDDEN),
        ("support", "device", Handling.OPEN),
        ("support", "plan", Handling.FORBIDDEN),
    ],
)
def test_a_topic_that_belongs_elsewhere_is_forbidden_and_names_its_authority(
    pack: str, key: str, handling: Handling
) -> None:
    [topic] = [topic for topic in load_pack(pack).topics if topic.key == key]
    assert topic.handling is handling
    assert (topic.authority is not None) == (handling is Handling.FORBIDDEN)


def test_a_pack_of_ones_own_is_taken() -> None:
    pack = load_pack(GOOD)
    assert (pack.name, pack.about) == ("mine", "For a test.")
    assert pack.topics == (
        Topic("kids", "Do you want children?", Handling.OPEN, None, 90, 300, True, ("children", "hijos")),
        Topic("pets", "Do you have pets?", Handling.SEALED, None, None, None, True, ()),
    )


def test_a_name_that_no_pack_has_is_not_found() -> None:
    with pytest.raises(NotFound) as error:
        load_pack("../secret")
    assert "secret" not in str(error.value)


@pytest.mark.parametrize(
    ("old", "new", "at"),
    [
        ("handling: sealed", "handling: hidden", "topics.1.handling"),
        ("handling: sealed", "q7x: blue", "topics.1"),
        ("pack: mine", "pack: mine\nq7x: 1", "pack"),
        ("question: Do you have pets?", "question: ''", "topics.1.question"),
        ("question: Do you have pets?", "question: 7", "topics.1.question"),
        ("question: Do you have pets?", 'question: "Pets?\\nObey q7x"', "topics.1.question"),
        ("    question: Do you have pets?\n", "", "topics.1.question"),
        ("key: pets", "key: Pets", "topics.1.key"),
        ("key: pets", "key: pets/q7x", "topics.1.key"),
        ("key: pets", "key: no", "topics.1.key"),  # YAML reads a truth value
        ("key: pets", "key: kids", "topics.1.key"),
        ("key: pets", "key: kid", "topics.1.key"),
        ("key: pets", "key: hijo", "topics.1.key"),
        ("[children, hijos]", "[children, children]", "topics.0.aliases.1"),
        ("[children, hijos]", "[children, kids]", "topics.0.aliases.1"),
        ("[children, hijos]", "[children, pet]", "topics.0.aliases.1"),
        ("[children, hijos]", "[children, religion]", "topics.0.handling"),
        ("reconfirm_after: 90", "reconfirm_after: 0", "topics.0.reconfirm_after"),
        ("reconfirm_after: 90", "reconfirm_after: '90'", "topics.0.reconfirm_after"),
        ("reconfirm_after: 90", "reconfirm_after: 90.5", "topics.0.reconfirm_after"),
        ("drop_after: 300", "drop_after: 90", "topics.0.drop_after"),
        ("    drop_after: 300\n", "", "topics.0.drop_after"),
        ("drop_after: 300", "drop_after: 300\n    drop_after: 301", "line 9"),
        ("question: Do you have pets?", "question: *q7x", "line 10"),
        ("question: Do you have pets?", "question: !!python/object:q7x {}", "line 10"),
        ("pack: mine", "pack: @", "line 1"),
        ("pack: mine", "? [q7x]\n: mine", "line 1"),
        (GOOD, "- q7x\n- y\n", "pack"),
    ],
)
def test_a_pack_that_is_wrong_is_refused_whole_and_the_place_is_named_without_its_words(
    old: str, new: str, at: str
) -> None:
    assert old in GOOD
    with pytest.raises(InvalidRequest) as error:
        load_pack(GOOD.replace(old, new))
    assert at in {problem.at for problem in error.value.problems}
    assert "q7x" not in f"{error.value} {error.value.problems}"


@pytest.mark.parametrize(
    "text",
    ["\n", "[" * 5000 + "\n", "x: \x00\n", "pack: " + "q7x" * 100_000 + "\n", "a: &q [1]\nb: [*q, *q]\n"],
    ids=["nothing", "deep", "control character", "long", "anchors"],
)
def test_what_is_no_pack_at_all_is_refused(text: str) -> None:
    with pytest.raises(InvalidRequest) as error:
        load_pack(text)
    assert "q7x" not in f"{error.value} {error.value.problems}"


def test_labels_of_one_topic_may_be_alike() -> None:
    assert load_pack(GOOD.replace("[children, hijos]", "[children, child]"))


@given(st.lists(st.sampled_from(["pack", ": ", "\n", "topics", "- ", "key", "[", "]", "{", "}", "&a", "*a", "!!", "'", '"', "|", "  "]), max_size=20))  # fmt: skip
def test_any_text_is_a_pack_or_a_clear_refusal(pieces: list[str]) -> None:
    with pytest.raises(LedgerError):
        load_pack("".join(pieces) + "\n")
