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
    assert REGISTRY.named(label) == Named(label, KIDS, before=(label,))


@pytest.mark.parametrize(
    ("label", "topic"), [("kid", KIDS), ("childrn", KIDS), ("period_of_notice", NOTICE), ("notice_peroid", NOTICE)]
)  # fmt: skip
def test_a_slip_a_plural_or_a_reordering_is_the_key_that_was_meant(label: str, topic: Topic) -> None:
    assert REGISTRY.named(label) == Named(topic.key, topic, before=(label,))


def test_any_other_label_is_its_own_key_and_is_told_of_what_is_similar() -> None:
    assert REGISTRY.named("notice") == Named("notice", None, ("notice_period",), ("notice",))
    assert REGISTRY.named("no_kids") == Named("no_kids", None, before=("no_kids",))
    assert REGISTRY.named("favourite_chair") == Named("favourite_chair", None, before=("favourite_chair",))


def test_a_label_knows_to_which_keys_it_led_before_operators_moved_it() -> None:
    moved = Registry([KIDS], near_lists(), {"parrot": ["parrot", "bird"], "minors": ["kids"]})
    assert moved.named("parrot").before == ("parrot", "parrot", "bird")
    assert moved.named("parrots").before == ("parrots", "parrot", "bird")
    assert moved.named("parrots").names(["parrots"]) == ("parrots", "parrot", "bird")
    assert moved.named("children").names(KIDS.names) == ("kids", "hijos", "children")
    assert moved.named("carrot").before == ("carrot",)
