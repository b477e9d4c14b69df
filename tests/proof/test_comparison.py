"""A comparison names what differs, and is blind to what differs by nature alone."""

from __future__ import annotations

import pytest

from ledger.db.remains import Row
from ledger.proof.comparison import differences, of_metrics, of_rows


def row(text: str, xmin: int, xmax: int = 0, **more: str) -> Row:
    values: dict[str, str | None] = {"text": text, **more}
    return Row("ledger.entry", values, text, xmin, xmax, (0, 1), 0)


def entries(*rows: Row, transactions: tuple[str, ...] = ()):
    return of_rows({"ledger.entry": rows}, {"ledger.entry": transactions})


def named(first, second) -> list[str]:
    return [difference.section for difference in differences(first, second)]


def test_numbers_of_transactions_are_read_as_their_rank():
    assert named(entries(row("a", 7), row("b", 9)), entries(row("a", 70), row("b", 71))) == []
    assert (
        named(
            entries(row("a", 7, stamp="9"), transactions=("stamp",)),
            entries(row("a", 70, stamp="75"), transactions=("stamp",)),
        )
        == []
    )


@pytest.mark.parametrize(
    ("first", "second", "section"),
    [
        ([row("a", 7)], [row("b", 7)], "rows of ledger.entry"),
        ([row("a", 7)], [row("a", 7), row("a", 7)], "rows of ledger.entry"),
        ([row("a", 7), row("b", 7)], [row("a", 7), row("b", 8)], "xmin and xmax in ledger.entry"),
        ([row("a", 7), row("b", 8)], [row("a", 8), row("b", 7)], "xmin and xmax in ledger.entry"),
        ([row("a", 7)], [row("a", 7, xmax=9)], "xmin and xmax in ledger.entry"),
        ([row("a", 7, n="7")], [row("a", 7, n="8")], "rows of ledger.entry"),
    ],
    ids=[
        "contents",
        "once more",
        "one xmin or two",
        "their order",
        "a lock left behind",
        "a number beside it",
    ],
)
def test_what_differs_is_named(first, second, section):
    assert section in named(entries(*first), entries(*second))


def test_the_order_of_lines_counts_in_a_log_alone():
    assert named({"our log": ["a", "b"]}, {"our log": ["b", "a"]}) == ["order of the our log"]
    assert named({"metrics": ["a", "b"]}, {"metrics": ["b", "a"]}) == []


def test_an_instant_in_a_log_is_masked_and_nothing_beside_it():
    first = {"server log": ["2026-09-01 10:00:00.123 UTC [17] LOG:  ready"]}
    assert named(first, {"server log": ["2026-09-02 11:30:09.999 UTC [99] LOG:  ready"]}) == []
    assert named(first, {"server log": ["2026-09-02 11:30:09.999 UTC [99] LOG:  steady"]}) == ["server log"]
    assert named(
        {"rows of ledger.entry": ["2026-09-01 10:00:00"]}, {"rows of ledger.entry": ["2026-09-01 10:00:01"]}
    )


def test_a_section_that_only_one_has_is_a_difference():
    assert named({"rows of ledger.chat": []}, {}) == ["rows of ledger.chat"]


def test_figures_grow_and_how_long_it_took_is_masked():
    before = 'calls_total{route="/v1/plan"} 2.0\nseconds_sum{route="/v1/plan"} 0.5\n'
    after = (
        '# HELP calls_total n\ncalls_total{route="/v1/plan"} 5.0\nseconds_sum{route="/v1/plan"} 9.5\n'
        'seconds_bucket{le="0.1"} 3.0\ncalls_total{route="/v1/recall"} 1.0\n'
    )
    assert of_metrics(before, after) == [
        'calls_total{route="/v1/plan"} 3',
        'calls_total{route="/v1/recall"} 1',
    ]
