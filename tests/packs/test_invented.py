"""Labels that a model makes up: how many meet the topic that was meant, or are told of it."""

from __future__ import annotations

from benchmarks import registry


def test_a_label_that_a_model_made_up_is_told_of_the_topic_that_was_meant() -> None:
    found = registry.invented()
    assert found.offered.of > 250
    assert found.offered.share >= 0.85
    assert found.wrong.hits == 0, "none is taken for another topic"


def test_the_questions_alone_tell_of_a_topic_that_nobody_gave_other_labels() -> None:
    found = registry.invented(aliases=False)
    assert found.offered.share >= 0.60
    assert found.wrong.hits == 0
