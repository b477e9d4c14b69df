"""What is to hold of a whole case, check by check, in the order in which the case tells them."""

from __future__ import annotations

import re
from collections.abc import Callable
from uuid import UUID

from ledger.db import expected

from .world import World


def _columns(world: World, *tables: str) -> list[tuple[str, str, str | None]]:
    return world.rows(
        "select column_name, data_type, column_default from information_schema.columns"
        " where table_schema = 'ledger' and table_name = any (%s)",
        list(tables),
    )


def ids_are_keyed_hashes(world: World) -> None:
    """Version 8: a hash. (1, 6 and 7 hold a time.)"""
    found: set[UUID] = set()
    for table in expected.OF_PRINCIPALS:
        for name, kind, _ in _columns(world, table):
            if kind == "uuid":
                found |= {value for (value,) in world.rows(f"select {name} from ledger.{table}")}
    assert found
    assert {one.version for one in found} == {8}


def no_default_counts_or_tells_the_time(world: World) -> None:
    defaults = {default for _, _, default in _columns(world, *expected.OF_PRINCIPALS)}
    assert defaults == {None, "false", "'{}'::text[]"}


def no_time_but_days(world: World) -> None:
    assert {
        (name, kind)
        for name, kind, _ in _columns(world, "entry", "pending")
        if "date" in kind or "time" in kind
    } == {("as_of", "date")}


def one_stamp_and_key_order(world: World) -> None:
    found = world.rows("select xmin::text, topic from ledger.entry order by ctid")
    assert len(found) == 3
    assert len({stamp for stamp, _ in found}) == 1
    assert [topic for _, topic in found] == sorted(topic for _, topic in found)


def who_asks_makes_no_difference(world: World) -> None:
    assert world.results[1]["body"] == world.results[2]["body"]
    assert [*world.results[1]["headers"].multi_items()] == [*world.results[2]["headers"].multi_items()]


def the_registry_names_nobody(world: World) -> None:
    found = _columns(world, "topic", "topic_alias")
    assert found
    assert not [
        name for name, _, _ in found if re.search("agent|principal|person|time|date|_at|_on|count|by", name)
    ]
    assert {kind for _, kind, _ in found} == {"text", "integer", "boolean"}


def keys_are(*keys: str, but: str = "-") -> Callable[[World], None]:
    def check(world: World) -> None:
        assert {key for (key,) in world.rows("select key from ledger.topic") if not key.startswith(but)} == {
            *keys
        }

    return check


def nothing_broke(world: World) -> None:
    assert world.statuses
    assert max(world.statuses) < 500


def no_alias_came(world: World) -> None:
    assert world.rows("select alias from ledger.topic_alias") == []


def no_entry_under_smoking(world: World) -> None:
    assert {topic for _, topic in world.entries()} == {"no_smoking"}


def the_audit_holds_no_answer(world: World) -> None:
    values = {str(value) for row in world.rows("select * from ledger.audit") for value in row}
    assert values
    assert not {"no", "yes"} & values


def the_audit_holds_no_length(world: World) -> None:
    counts = [n for (n,) in world.rows("select n from ledger.audit")]
    assert counts == [1, 1, 1]  # each happened once; "I smoke" has 7 characters, "no" has 2


def one_current_row(world: World) -> None:
    assert world.current_rows == [1, 1, 1, 1]


CHECKS: dict[str, tuple[Callable[[World], None], ...]] = {
    "ORI-01": (
        ids_are_keyed_hashes,
        no_default_counts_or_tells_the_time,
        no_time_but_days,
        one_stamp_and_key_order,
    ),
    "ORI-02": (who_asks_makes_no_difference, the_registry_names_nobody),
    "REG-01": (keys_are("kids", "pets"), nothing_broke),
    "REG-03": (keys_are("kids"),),
    "REG-07": (no_alias_came, no_entry_under_smoking),
    "REG-09": (keys_are("diet", "kids", but="q"),),
    "DEL-05": (the_audit_holds_no_answer, the_audit_holds_no_length),
    "CORR-05": (one_current_row,),
}
