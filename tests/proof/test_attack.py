"""Attackers find what is there, and nothing where nothing is."""

from __future__ import annotations

import random
from datetime import date, timedelta
from uuid import UUID

import pytest

from ledger.db.remains import Row
from ledger.proof import attack, signals
from ledger.proof.signals import Given

DAY = date(2026, 1, 5)
PEOPLE = [str(UUID(int=n)) for n in range(40)]
TOPICS = [f"topic_{n}" for n in range(8)]


@pytest.fixture
def answers():
    """Everybody gave eight answers in two threads of one day, in an order of chance."""
    chance = random.Random(1)  # noqa: S311
    return {
        (who, topic): Given(chance.randrange(2), DAY, f"{topic} of {who}")
        for who in PEOPLE
        for topic in TOPICS
    }


def in_the_order_of_threads(answers, noise: float = 0.0):
    chance = random.Random(2)  # noqa: S311
    return {
        item: given.thread * 100 + chance.random() + noise * chance.gauss(0, 1)
        for item, given in answers.items()
    }


def test_who_has_the_order_of_writing_wins(answers):
    found = attack.best(answers, {"order": in_the_order_of_threads(answers)}, {})
    assert found.advantage > 0.99 and found.leaks


def test_who_has_a_trace_of_it_wins_a_little(answers):
    found = attack.best(answers, {"order": in_the_order_of_threads(answers, noise=45)}, {})
    assert 0.02 < found.advantage < 0.9 and found.leaks
    assert found.low < found.advantage < found.high


@pytest.mark.parametrize("seed", range(20))
def test_who_has_numbers_of_chance_wins_nothing(answers, seed):
    chance = random.Random(seed)  # noqa: S311
    noise = {f"noise {n}": {item: chance.random() for item in answers} for n in range(10)}
    assert not attack.best(answers, noise, {}).leaks


def test_one_number_for_all_tells_nothing(answers):
    found = attack.best(answers, {"xmin": dict.fromkeys(answers, 7.0)}, {})
    assert (found.advantage, found.low, found.high, found.leaks) == (0.0, 0.0, 0.0, False)


def test_what_a_copy_of_the_contents_tells_too_is_no_advantage(answers):
    order = in_the_order_of_threads(answers)
    assert attack.best(answers, {"place": order}, {"place": order}).advantage == 0.0


def test_dates_are_what_everybody_has():
    """Threads of different days are told apart by their dates, and by nothing else here."""
    answers = {
        (who, topic): Given(n % 2, DAY + timedelta(days=n % 2), topic)
        for who in PEOPLE
        for n, topic in enumerate(TOPICS)
    }
    assert attack.by_dates(answers) == 1.0
    assert (
        attack.best(
            answers, {"date": {item: float(g.as_of.toordinal()) for item, g in answers.items()}}, {}
        ).advantage
        == 0.0
    )


def row(who: str | None, topic: str, xmin: int, **more: str) -> Row:
    values: dict[str, str | None] = {"principal": who, "topic": topic, **more}
    return Row("a table", {k: v for k, v in values.items() if v is not None}, "", xmin, 0, (xmin, 1), 0)


def test_every_column_that_is_a_number_is_a_signal_and_the_contents_are_not():
    rows = [
        row(
            PEOPLE[0],
            "kids",
            7,
            answer="12",
            as_of="2026-01-05",
            n="3",
            at="2026-01-05 10:00:00+00",
            note="hm",
        )
    ]
    found = signals.of_rows({"a table": rows})
    assert set(found) == {f"{name} in a table" for name in ("xmin", "xmax", "command", "place", "n", "at")}
    assert found["n in a table"] == {(PEOPLE[0], "kids"): 3.0}


def test_a_row_of_the_registry_speaks_for_everybodys_answers(answers):
    coined = {(None, topic): float(n) for n, topic in enumerate(TOPICS)}
    score = attack.closeness(coined)
    assert score((PEOPLE[0], "topic_1"), (PEOPLE[0], "topic_3")) == -2.0
    assert score((PEOPLE[0], "topic_1"), (PEOPLE[0], "unheard")) is None


def test_a_log_line_that_names_a_topic_is_a_signal(answers):
    found = signals.of_lines(
        "our log", ["nothing", "captured topic_3, topic_1", "said: topic_1 of " + PEOPLE[5]], answers
    )
    assert found["topics in our log"] == {(None, "topic_3"): 1, (None, "topic_1"): 2}
    assert found["answers in our log"] == {(PEOPLE[5], "topic_1"): 2}


def test_the_write_ahead_log_tells_where_an_answer_was_first_written():
    def tuple_of(who: str, topic: str, text: str) -> bytes:
        return UUID(who).bytes + bytes([(len(topic) + 1) << 1 | 1]) + topic.encode() + b"\0\0" + text.encode()

    who = PEOPLE[3]
    answers = {(who, "kids"): Given(0, DAY, "two"), (who, "pets"): Given(0, DAY, "a dog")}
    log = (
        b"x" * 50
        + tuple_of(who, "pets", "a cat")
        + tuple_of(who, "kids", "two")
        + tuple_of(who, "pets", "a dog")
    )
    first = signals.of_log(log, answers)["first written in the log"]
    assert first[who, "kids"] < first[who, "pets"]
    assert signals.of_log(b"x" * 500, answers)["first written in the log"] == {}


def test_pg_waldump_tells_the_instant_of_each_place():
    told = """
rmgr: Heap        len (rec/tot):     59/    59, tx:        812, lsn: 0/01000100, prev 0/01000028, desc: INSERT off: 1
rmgr: Heap        len (rec/tot):     59/    59, tx:        813, lsn: 0/01000200, prev 0/01000100, desc: INSERT off: 2
rmgr: Transaction len (rec/tot):     34/    34, tx:        813, lsn: 0/01000300, prev 0/01000200, desc: COMMIT 2026-01-05 10:00:07.250000 UTC
rmgr: Transaction len (rec/tot):     34/    34, tx:        812, lsn: 0/01000340, prev 0/01000300, desc: COMMIT 2026-01-05 10:00:09.000000 UTC
"""
    placed = {"first": {("p", "kids"): 0x110, ("p", "pets"): 0x220, ("p", "diet"): 0x10}}
    instants = signals.of_records(told, 0x1000000, placed)["instant, first"]
    assert instants["p", "kids"] - instants["p", "pets"] == 1.75
    assert ("p", "diet") not in instants, "nothing was written there"
    assert signals.of_records("", 0, placed) == {"instant, first": {}}
