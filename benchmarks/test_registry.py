"""The bars of near-misses, on labels that people wrote: a part of what `benchmarks.registry` measures."""

from __future__ import annotations

import pytest

from benchmarks import registry


@pytest.fixture(scope="module")
def found() -> list[registry.Line]:
    return registry.lines()


def test_wrong_merges_are_as_good_as_none(found: list[registry.Line]) -> None:
    apart, _ = registry.merges(found, folds=3)
    assert apart.of > 2000
    assert apart.share >= 0.999


def test_plurals_typos_and_other_orders_land_on_their_key(found: list[registry.Line]) -> None:
    for share in registry.landed(found, registries=5).values():
        assert share.of > 300
        assert share.share >= 0.95


def test_the_right_key_is_offered_where_a_word_is_shared(found: list[registry.Line]) -> None:
    shares = registry.offered(found).values()
    assert sum(share.of for share in shares) > 4000
    assert sum(share.hits for share in shares) / sum(share.of for share in shares) >= 0.90
