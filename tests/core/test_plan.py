"""A plan: for each label what to do, from what the agent may see."""

from __future__ import annotations

from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from ledger.core.model import Do, Entry, Freshness
from ledger.core.plan import plan, shown
from ledger.core.prompt import MOST_ENTRIES

KEYS = {"Kids": "kids", "children": "kids", "smoking": "smoking", "pets": "pets"}
QUESTIONS = {"kids": "Do you want children?", "smoking": "Do you smoke?"}


def entry(topic: str, freshness: Freshness = Freshness.FRESH) -> Entry:
    return Entry(topic, freshness, "words", QUESTIONS.get(topic), date(2026, 3, 1))


def test_what_nobody_was_told_is_asked_with_the_approved_question() -> None:
    [item] = plan(["smoking"], KEYS, {}, {}, QUESTIONS, {})
    assert (item.do, item.key, item.entry, item.question) == (Do.ASK, "smoking", None, "Do you smoke?")


def test_a_label_that_names_no_topic_is_asked() -> None:
    [item] = plan(["surfing"], KEYS, {}, {}, QUESTIONS, {})
    assert (item.do, item.key, item.question) == (Do.ASK, None, None)


def test_a_visible_fresh_answer_is_known() -> None:
    [item] = plan(["Kids"], KEYS, {"kids": entry("kids")}, {}, QUESTIONS, {})
    assert (item.do, item.label, item.key, item.entry) == (Do.KNOWN, "Kids", "kids", entry("kids"))


def test_a_visible_stale_answer_is_reconfirmed() -> None:
    old = entry("kids", Freshness.RECONFIRM)
    [item] = plan(["Kids"], KEYS, {"kids": old}, {}, QUESTIONS, {})
    assert (item.do, item.entry) == (Do.RECONFIRM, old)


def test_a_locked_fresh_answer_is_covered() -> None:
    [item] = plan(["pets"], KEYS, {}, {"pets": Freshness.FRESH}, QUESTIONS, {})
    assert (item.do, item.entry, item.question) == (Do.COVERED, None, None)


def test_a_locked_stale_answer_is_reconfirmed_by_the_topics_question_alone() -> None:
    [item] = plan(["smoking"], KEYS, {}, {"smoking": Freshness.RECONFIRM}, QUESTIONS, {})
    assert (item.do, item.entry, item.question) == (Do.RECONFIRM, None, "Do you smoke?")


def test_a_dropped_answer_is_asked_anew() -> None:
    dropped = entry("kids", Freshness.DROPPED)
    items = plan(["Kids", "pets"], KEYS, {"kids": dropped}, {"pets": Freshness.DROPPED}, QUESTIONS, {})
    assert [(item.do, item.entry) for item in items] == [(Do.ASK, None), (Do.ASK, None)]


def test_two_labels_of_one_topic_get_an_item_each_and_one_place_in_the_prompt() -> None:
    items = plan(["children", "Kids"], KEYS, {"kids": entry("kids")}, {}, QUESTIONS, {})
    assert [(item.label, item.do) for item in items] == [("children", Do.KNOWN), ("Kids", Do.KNOWN)]
    assert shown(items) == [entry("kids")]


def test_past_twelve_topics_an_answer_is_covered_and_no_more() -> None:
    names = [f"t{n:02}" for n in range(20)]
    items = plan(
        names, dict(zip(names, names, strict=True)), {name: entry(name) for name in names}, {}, {}, {}
    )
    assert [item.do for item in items] == [Do.KNOWN] * 12 + [Do.COVERED] * 8
    assert [one.topic for one in shown(items)] == names[:12]
    assert not [item for item in items[12:] if item.entry]


@given(
    st.lists(st.sampled_from([f"t{n}" for n in range(20)]), max_size=32),
    st.dictionaries(st.sampled_from([f"t{n}" for n in range(20)]), st.sampled_from(Freshness)),
    st.sets(st.sampled_from([f"t{n}" for n in range(20)])),
)
def test_any_plan_keeps_the_order_and_shows_twelve_at_most(
    labels: list[str], covered: dict[str, Freshness], visible: set[str]
) -> None:
    entries = {key: entry(key, freshness) for key, freshness in covered.items() if key in visible}
    items = plan(labels, {label: label for label in labels}, entries, covered, {}, {})
    assert [item.label for item in items] == labels
    assert len(shown(items)) <= MOST_ENTRIES
    for item in items:
        assert (item.do is Do.KNOWN) <= (item.entry is not None and item.entry.freshness is Freshness.FRESH)
        assert (item.entry is not None) <= (item.label in visible)
