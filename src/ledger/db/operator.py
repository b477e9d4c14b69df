"""What operators do to the registry and the settings. Source: schema/08_operator.sql."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any
from uuid import UUID

from ledger.core.figures import Figures, Week
from ledger.core.model import Handling, Topic, Window
from ledger.db.operation import Operation, Surface

Document = dict[str, Any]
"""A row as JSON: what an If-Match is made of."""


def topics_seen(after: str, most: int, part: str = "", which: str = "all") -> Operation[list[Topic]]:
    """What operators see, by key: `which` is all, listed or proposed; `part` stands in a key, an alias or the question."""
    return Operation(
        Surface.OPERATOR,
        "select ledger.topics_seen(%s, %s, %s, %s)",
        (after, most, part, which),
        lambda rows: [_topic(state) for (state,) in rows],
    )


def topic_read(label: str) -> Operation[Topic | None]:
    """The topic that a label names; None where operators see none."""
    return Operation(
        Surface.OPERATOR, "select ledger.topic_read(%s)", (label,), lambda rows: _maybe(rows[0][0])
    )


def labels_taken(labels: Sequence[str]) -> Operation[list[str]]:
    """Which of them are keys that operators see, or aliases."""
    return Operation(
        Surface.OPERATOR, "select ledger.labels_taken(%s)", (list(labels),), lambda rows: list(rows[0][0])
    )


def aliases_of(key: str) -> Operation[list[str]]:
    """The aliases that lead to a key, whether or not operators see it."""
    return Operation(Surface.OPERATOR, "select ledger.aliases_of(%s)", (key,), lambda rows: list(rows[0][0]))


def topic_create(key: str, fields: Mapping[str, Any]) -> Operation[Topic]:
    """Creates a listed topic, as if the key had never been coined. Raises Conflict where it is taken."""
    return Operation(
        Surface.OPERATOR,
        "select ledger.topic_create(%s, %s::jsonb)",
        (key, json.dumps(fields)),
        lambda rows: _topic(rows[0][0]),
        once=True,
    )


def topic_change(key: str, expected: Document, change: Mapping[str, Any]) -> Operation[Topic]:
    """Changes a topic that is still as `expected`. Raises PreconditionFailed where it is not."""
    return Operation(
        Surface.OPERATOR,
        "select ledger.topic_change(%s, %s::jsonb, %s::jsonb)",
        (key, json.dumps(expected), json.dumps(change)),
        lambda rows: _topic(rows[0][0]),
        once=True,
    )


def topics_merge(key: str, expected: Document, into: str) -> Operation[Topic]:
    """Merges a topic that is still as `expected`; gives the one that stays."""
    return Operation(
        Surface.OPERATOR,
        "select ledger.topics_merge(%s, %s::jsonb, %s)",
        (key, json.dumps(expected), into),
        lambda rows: _topic(rows[0][0]),
        once=True,
    )


def alias_put(alias: str, label: str) -> Operation[None]:
    return _act("select ledger.alias_put(%s, %s)", alias, label)


def alias_delete(alias: str, label: str) -> Operation[None]:
    return _act("select ledger.alias_delete(%s, %s)", alias, label)


def setting_read() -> Operation[Document]:
    return Operation(Surface.OPERATOR, "select ledger.setting_read()", (), lambda rows: rows[0][0])


def setting_change(expected: Mapping[str, Any], change: Mapping[str, Any]) -> Operation[Document]:
    """Changes settings that are still as `expected`. Raises PreconditionFailed where they are not."""
    return Operation(
        Surface.OPERATOR,
        "select ledger.setting_change(%s::jsonb, %s::jsonb)",
        (json.dumps(expected), json.dumps(change)),
        lambda rows: rows[0][0],
        once=True,
    )


def schema_version() -> Operation[str | None]:
    return Operation(Surface.OPERATOR, "select ledger.schema_version()", (), lambda rows: rows[0][0])


def snapshot_read(key: str | None) -> Operation[Figures]:
    """What the weekly snapshot says of a topic, or (None) of all."""
    return Operation(
        Surface.OPERATOR,
        "select ledger.snapshot_read(%s)",
        (key or "",),
        lambda rows: _figures(**rows[0][0]),
    )


def sweep_ask() -> Operation[date | None]:
    """The day of a sweep that an operator asks for; None where there was one in this hour."""
    return Operation(Surface.OPERATOR, "select ledger.sweep_ask()", (), lambda rows: rows[0][0], once=True)


def hold_place(principal: UUID) -> Operation[None]:
    return _act("select ledger.hold_place(%s)", principal)


def hold_lift(principal: UUID, mark_all: UUID) -> Operation[None]:
    return _act("select ledger.hold_lift(%s, %s)", principal, mark_all)


def erase_rest(principal: UUID) -> Operation[None]:
    return _act("select ledger.erase_rest(%s)", principal)


def _act(sql: str, *parameters: object) -> Operation[None]:
    return Operation(Surface.OPERATOR, sql, parameters, lambda _: None, once=True)


def _topic(state: Document) -> Topic:
    return Topic(**state | {"handling": Handling(state["handling"]), "aliases": tuple(state["aliases"])})


def _maybe(state: Document | None) -> Topic | None:
    return None if state is None else _topic(state)


def _figures(drawn_on: str | None, weeks: list[tuple[int | None, int | None, int, int]]) -> Figures:
    return Figures(
        None if drawn_on is None else date.fromisoformat(drawn_on),
        tuple(
            Week(None if reconfirm is None or drop is None else Window(reconfirm, drop), age, n)
            for reconfirm, drop, age, n in weeks
        ),
    )
