"""A key that was coined and that nobody needs goes with the sweep; one that somebody may be about to use does not."""

from __future__ import annotations

import threading
from typing import Any

import psycopg
import pytest

from ledger.core.model import Candidate, Handling
from ledger.db.operation import Surface
from ledger.service import agents, captures


def unlisted(scene: Any) -> set[str]:
    return {key for (key,) in scene.database.rows("select key from ledger.topic where not listed")}


def coin(scene: Any, *labels: str) -> None:
    for label in labels:
        scene.run(agents.coin(scene.ledger.context, label))


def test_a_key_that_nobody_has_goes_on_the_next_day(scene: Any) -> None:
    coin(scene, "shoe size", "favourite chair")
    scene.say("shoe size", "I wear a 43")
    scene.sweep()
    assert unlisted(scene) == {"shoe_size", "favourite_chair"}, "named today"
    scene.later(1)
    assert scene.sweep()["topics"] == 1
    assert unlisted(scene) == {"shoe_size"}


@pytest.mark.parametrize(
    "carried",
    [
        "insert into ledger.withheld values (%(p)s, 'shoe_size')",
        "insert into ledger.pending values (%(p)s, 'shoe_size', 'I wear a 43', ledger.today())",
        "insert into ledger.topic_alias values ('feet', 'shoe_size')",
        "insert into ledger.retired_key values ('feet', 'shoe_size')",
        "update ledger.topic set handling = 'sealed' where key = 'shoe_size'",
        "update ledger.topic set question = 'Which size?' where key = 'shoe_size'",
        "update ledger.topic set authority = 'the shop' where key = 'shoe_size'",
        "update ledger.topic set reconfirm_after = 3, drop_after = 9 where key = 'shoe_size'",
    ],
    ids=["withheld", "pending", "an alias", "a merged key", "handling", "question", "authority", "window"],
)
def test_a_key_that_carries_something_stays(scene: Any, carried: str) -> None:
    coin(scene, "shoe size", "favourite chair")
    scene.database.installer.execute(carried, {"p": scene.who()})
    scene.later(1)
    scene.sweep()
    assert unlisted(scene) == {"shoe_size"}


def test_a_listed_topic_stays_whoever_has_it(scene: Any) -> None:
    scene.list_topic("shoe size", handling=Handling.OPEN)
    scene.later(1)
    assert scene.sweep()["topics"] == 0


def test_a_key_that_is_named_again_today_stays_today(scene: Any) -> None:
    coin(scene, "shoe size")
    scene.later(1)
    coin(scene, "shoe size")
    scene.sweep()
    assert unlisted(scene) == {"shoe_size"}


def test_what_is_said_while_the_sweep_takes_a_key_away_is_kept(scene: Any) -> None:
    """The sweep has looked, and waits for its lock; a capture names the key meanwhile."""
    coin(scene, "shoe size", "favourite chair")
    scene.later(1)
    swept: list[int] = []
    sweeper = scene.database.another().surface(Surface.SWEEPER)
    sweeping = threading.Thread(
        target=lambda: swept.append(sweeper.execute("select ledger.sweep_keys(100)").fetchone()[0])
    )
    with psycopg.connect(scene.database.conninfo) as writing:
        writing.execute("select ledger.lock_in_common()")
        sweeping.start()
        waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted"
        while scene.database.rows(waiting) == [(0,)]:
            assert sweeping.is_alive()
        writing.execute("select ledger.coin_missing('{shoe_size}')")
    sweeping.join()
    assert swept == [1]
    assert unlisted(scene) == {"shoe_size"}


def test_a_capture_keeps_nothing_under_a_key_that_was_not_named_today(scene: Any) -> None:
    """The sweep may be taking it away: the application coins it again, and the answer is kept all the same."""
    scene.say("shoe size", "I wear a 43")
    scene.later(1)
    message = "I wear a 44"
    capture = captures.capture(
        scene.ledger.context, scene.who(), message, scene.today, [Candidate("shoe size", message)]
    )
    operation, called, result = next(capture), [], None
    while True:
        called.append(operation.sql)
        if "topics_for" in operation.sql and len([one for one in called if "topics_for" in one]) == 1:
            # as if midnight had come between the two: the row has no stamp of today
            found = scene.ledger._connections.execute(operation)
            scene.later(1)
            scene.database.installer.execute("select ledger.cut()")
        else:
            found = scene.ledger._connections.execute(operation)
        try:
            operation = capture.send(found)
        except StopIteration as end:
            result = end.value
            break
    assert result is not None and result[0].verdict.accepted
    assert len([one for one in called if "topics_for" in one]) == 2
    assert scene.stored() == {"shoe_size": message}


def test_what_is_said_under_an_alias_of_an_unlisted_topic_is_kept_on_any_day(scene: Any) -> None:
    """To name an alias names its topic: else a capture would wait for somebody to name the topic itself today."""
    coin(scene, "felines")
    scene.database.installer.execute("insert into ledger.topic_alias values ('cats', 'felines')")
    scene.later(1)
    scene.sweep()
    assert scene.say("Cats", "I have two cats").verdict.accepted
    assert scene.stored() == {"felines": "I have two cats"}


@pytest.mark.parametrize("swept_first", [True, False])
def test_an_answer_past_its_window_is_counted_as_gone_whether_a_sweep_or_a_capture_comes_first(
    scene: Any, swept_first: bool
) -> None:
    scene.say("kids", "I want two kids")
    scene.later(540)
    if swept_first:
        scene.sweep()
    scene.say("kids", "I want no kids")
    if not swept_first:
        scene.sweep()
    assert scene.stored() == {"kids": "I want no kids"}
    assert scene.audit() == {"expired": 1}


@pytest.mark.parametrize("swept_first", [True, False])
def test_words_that_were_confirmed_long_ago_wait_for_a_new_yes(scene: Any, swept_first: bool) -> None:
    scene.list_topic("salary", "What do you earn?", Handling.CONFIRM)
    scene.database.installer.execute(
        "insert into ledger.entry values (%s, 'salary', 'I earn enough', ledger.today())", (scene.who(),)
    )
    scene.later(540)
    if swept_first:
        scene.sweep()
    scene.say("salary", "I earn enough")
    scene.sweep()
    assert scene.stored() == {}
    assert scene.own()["salary"].pending
    assert scene.audit() == {"expired": 1}
