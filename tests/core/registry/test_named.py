"""What a label names, by the listed topics alone."""

from __future__ import annotations

import pytest

from ledger.core.model import Topic
from ledger.core.registry.named import Named, Registry
from ledger.packs import near_lists

KIDS = Topic("kids", "Do you want children?", listed=True, aliases=("children", "hijos"), retired=("hijos",))
NOTICE = Topic("notice_period", "How long is your notice period?", listed=True)
REGISTRY = Registry([KIDS, NOTICE], near_lists())


@pytest.mark.parametrize("label", ["kids", "children", "hijos"])
def test_a_listed_key_or_alias_names_its_topic_and_stays_as_it_is(label: str) -> None:
    assert REGISTRY.named(label) == Named(label, KIDS)


@pytest.mark.parametrize(
    ("label", "topic"), [("kid", KIDS), ("childrn", KIDS), ("period_of_notice", NOTICE), ("notice_peroid", NOTICE)]
)  # fmt: skip
def test_a_slip_a_plural_or_a_reordering_is_the_key_that_was_meant(label: str, topic: Topic) -> None:
    assert REGISTRY.named(label) == Named(topic.key, topic)


def test_any_other_label_is_its_own_key_and_is_told_of_what_is_similar() -> None:
    assert REGISTRY.named("notice") == Named("notice", None, ("notice_period",))
    assert REGISTRY.named("no_kids") == Named("no_kids", None)
    assert REGISTRY.named("favourite_chair") == Named("favourite_chair", None)


def test_a_label_has_the_names_of_all_topics_to_which_it_led_or_would_lead() -> None:
    boat, parking = Topic("boat", listed=True, retired=("ship",)), Topic("parking_space", listed=True)
    spaces = Topic("space_parking", listed=True)
    moved = {"parrot": ["parrot", "bird"], "minors": ["kids"]}
    registry = Registry([KIDS, boat, Topic("boats", listed=True), parking, spaces], near_lists(), moved)
    assert registry.names("parrots", ["parrots"]) == ("parrots", "parrot", "bird")
    assert registry.names("children", KIDS.names) == ("kids", "hijos", "children")
    assert registry.names("minors", ["minors"]) == ("minors", "kids")
    assert registry.names("carrot", ["carrot"]) == ("carrot",)
    assert registry.names("boats", ["boats"]) == ("boats", "boat", "ship"), "before it was listed by itself"
    assert set(registry.names("parking_spaces", ["parking_spaces"])) == {
        "parking_spaces", "parking_space", "space_parking"
    }, "before the second was listed"  # fmt: skip
