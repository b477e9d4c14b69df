"""What operators do to the registry and the settings. Source: schema/08_operator.sql."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from ledger.core.model import Handling, Topic
from ledger.db.operation import Operation, Surface

Document = dict[str, Any]
"""A row as JSON: what an If-Match is made of."""


def topics() -> Operation[list[Topic]]:
    """The whole registry, by key."""
    return Operation(
        Surface.OPERATOR,
        "select * from ledger.topics_all()",
        (),
        lambda rows: [
            Topic(
                key,
                question,
                Handling(handling),
                authority,
                reconfirm,
                drop,
                listed,
                tuple(aliases),
                proposed,
            )
            for key, question, handling, authority, reconfirm, drop, listed, aliases, proposed in rows
        ],
    )


def topic_read(label: str) -> Operation[Document | None]:
    return Operation(Surface.OPERATOR, "select ledger.topic_read(%s)", (label,), lambda rows: rows[0][0])


def topic_change(key: str, expected: Document, change: Mapping[str, Any]) -> Operation[Document]:
    """Changes a topic that is still as `expected`. Raises PreconditionFailed where it is not."""
    return Operation(
        Surface.OPERATOR,
        "select ledger.topic_change(%s, %s::jsonb, %s::jsonb)",
        (key, json.dumps(expected), json.dumps(change)),
        lambda rows: rows[0][0],
        once=True,
    )


def topics_merge(key: str, expected: Document, into: str) -> Operation[Document]:
    return Operation(
        Surface.OPERATOR,
        "select ledger.topics_merge(%s, %s::jsonb, %s)",
        (key, json.dumps(expected), into),
        lambda rows: rows[0][0],
        once=True,
    )


def topic_coin(key: str) -> Operation[None]:
    """Registers a topic for a starter pack, if it is not there."""
    return _act("select ledger.coin(%s)", key)


def alias_put(alias: str, label: str) -> Operation[None]:
    return _act("select ledger.alias_put(%s, %s)", alias, label)


def alias_delete(alias: str, label: str) -> Operation[None]:
    return _act("select ledger.alias_delete(%s, %s)", alias, label)


def setting_read() -> Operation[Document]:
    return Operation(Surface.OPERATOR, "select ledger.setting_read()", (), lambda rows: rows[0][0])


def setting_change(change: Mapping[str, Any]) -> Operation[Document]:
    return Operation(
        Surface.OPERATOR,
        "select ledger.setting_change(%s::jsonb)",
        (json.dumps(change),),
        lambda rows: rows[0][0],
        once=True,
    )


def schema_version() -> Operation[str | None]:
    return Operation(Surface.OPERATOR, "select ledger.schema_version()", (), lambda rows: rows[0][0])


def snapshot_read(key: str) -> Operation[list[tuple[int, int]]]:
    """The weekly snapshot of a listed topic: age in whole weeks, principals (rounded to 5)."""
    return Operation(
        Surface.OPERATOR,
        "select * from ledger.snapshot_read(%s)",
        (key,),
        lambda rows: [(weeks, n) for _, weeks, n in rows],
    )


def hold_place(principal: UUID) -> Operation[None]:
    return _act("select ledger.hold_place(%s)", principal)


def hold_lift(principal: UUID, mark_all: UUID) -> Operation[None]:
    return _act("select ledger.hold_lift(%s, %s)", principal, mark_all)


def _act(sql: str, *parameters: object) -> Operation[None]:
    return Operation(Surface.OPERATOR, sql, parameters, lambda _: None, once=True)
