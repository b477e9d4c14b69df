"""What a database of this release consists of: the lists that tests and `doctor` hold a live one against.

The columns (db/models.py) are the promise: what is not there can't be kept. Whoever changes a list here
changes what a reviewer has to read in `schema/`, which is the same, said twice on purpose.

Source: DESIGN sections 3 (G1) and 4; schema/02_tables.sql, 03_policies.sql, 10_grants.sql.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from sqlalchemy.dialects import postgresql

from ledger.db import models


def _kind(kind: Any) -> str:
    spelled: str = kind.compile(dialect=_TYPES).lower()
    return {"varchar": "character varying"}.get(name := spelled.partition("(")[0], name)


_TYPES = postgresql.dialect()  # type: ignore[no-untyped-call]

COLUMNS: dict[str, dict[str, str]] = {
    table.name: {column.name: _kind(column.type) for column in table.columns}
    for table in models.Table.metadata.sorted_tables
}
"""The allow-list: table -> column -> type, as PostgreSQL spells it without a length."""

OF_PRINCIPALS = tuple(name for name, columns in COLUMNS.items() if "principal" in columns)

INDEXES = ("retired_key_merged_into", "topic_alias_key", "topic_listed")
"""Besides those of the primary keys. None is on a table of principals."""

SURFACES = ("ledger_agent", "ledger_capture", "ledger_principal", "ledger_operator", "ledger_sweeper")
DEFINERS = (
    "ledger_agent_keys", "ledger_agent_content", "ledger_own_reader", "ledger_writer", "ledger_registrar",
    "ledger_custodian",
)  # fmt: skip

_PLANS = {
    "jit": "off", "plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "enable_bitmapscan": "off",
    "enable_hashjoin": "off", "enable_mergejoin": "off", "TimeZone": "UTC", "idle_in_transaction_session_timeout": "1min",
}  # fmt: skip
ROLE_SETTINGS: dict[str, dict[str, str]] = {
    **dict.fromkeys(SURFACES, _PLANS),
    "ledger_sweeper": _PLANS
    | {"enable_seqscan": "on", "enable_hashjoin": "on", "plan_cache_mode": "auto", "lock_timeout": "200ms"},
}
"""What each login has by default, as the server keeps it (schema/01_roles.sql); `migrate` puts it back."""

FUNCTIONS: dict[str, tuple[str, ...]] = {
    "ledger_agent": ("coverage", "recall", "plan", "topics_listed", "labels_listed", "labels_former", "coin", "cut"),
    "ledger_capture": ("labels_listed", "labels_former", "topics_for", "capture", "reconfirm", "outcome_add", "cut", "today"),
    "ledger_principal": (
        "own_entries", "own_withheld", "own_consent", "own_receipts", "own_rest", "own_state", "own_correct",
        "own_delete", "own_decide", "own_withhold", "own_decide_consent", "own_object", "own_erase", "erase_rest", "cut",
        "today",
    ),
    "ledger_operator": (
        "topics_seen", "topic_read", "labels_taken", "aliases_of", "topic_create", "topic_change", "topics_merge",
        "alias_put", "alias_delete", "setting_read", "setting_change", "schema_version", "snapshot_read",
        "credential_put", "credential_stands", "credentials", "credential_revoke", "hold_place", "hold_lift", "erase_rest",
        "sweep_ask", "cut", "today",
    ),
    "ledger_sweeper": (
        "cut", "sweep_pieces", "sweep_due", "sweep_expired", "sweep_keys", "sweep_credentials", "sweep_snapshot",
        "sweep_restamp", "sweep_rewrite", "sweep_held_back", "sweep_done", "swept_on", "record_standing", "record_page",
        "record_withholding", "record_names", "record_registry", "record_state", "record_renew", "record_is_ahead", "today",
    ),
}  # fmt: skip

_RUN_AS: dict[str, tuple[str, ...]] = {
    "ledger_agent_keys": ("coverage", "plan"),
    "ledger_agent_content": ("recall",),
    "ledger_own_reader": (
        "own_entries", "own_withheld", "own_consent", "own_receipts", "own_rest", "own_state",
        "record_standing",
    ),
    "ledger_writer": (
        "capture", "reconfirm", "own_correct", "own_delete", "own_decide", "own_withhold", "own_decide_consent",
        "own_object", "own_erase", "erase_rest", "hold_place", "hold_lift", "outcome_add",
    ),
    "ledger_custodian": (
        "topic_create", "topic_change", "topics_merge", "alias_put", "sweep_ask", "cut", "sweep_pieces", "sweep_due",
        "sweep_expired", "sweep_keys", "sweep_credentials", "sweep_snapshot", "sweep_restamp", "sweep_held_back", "sweep_done",
        "swept_on", "record_page", "record_withholding", "record_names", "record_registry", "record_state", "record_renew",
    ),
    "ledger_owner": ("today", "sweep_rewrite"),
}  # fmt: skip

OWNERS = ("sweep_rewrite",)
"""What runs as the owner of the tables: it reads no row for anybody, and writes none."""

MAINTAIN_SINCE = 170_000  # server_version_num
MAINTAINED = tuple(table for table in COLUMNS if table not in ("bare_form", "version"))
"""What the sweeper may vacuum, and do nothing else to."""

_GATED = ("consent", "objection", "legal_hold", "withheld")
_ALL = ("SELECT", "INSERT", "UPDATE", "DELETE")


def policies() -> Iterator[tuple[str, str, str, str, str]]:
    """Every policy: table, name, kind, roles (sorted), command."""
    for table in OF_PRINCIPALS:
        yield table, "writer", "PERMISSIVE", "ledger_writer", "ALL"
        yield table, "own", "PERMISSIVE", "ledger_own_reader", "SELECT"
        yield table, "custodian", "PERMISSIVE", "ledger_custodian", "ALL"
    for table in _GATED:
        yield table, "gate", "PERMISSIVE", "ledger_agent_keys", "SELECT"
    yield "entry", "keys", "PERMISSIVE", "ledger_agent_keys", "SELECT"
    yield "entry", "content", "PERMISSIVE", "ledger_agent_content", "SELECT"


def table_grants(version: int) -> Iterator[tuple[str, str, str, str | None]]:
    """Every right on a table but its owner's: table, role, right, column (None: the whole table).

    `version` is the server's (server_version_num): before PostgreSQL 17 there is no MAINTAIN.
    """
    if version >= MAINTAIN_SINCE:
        for table in MAINTAINED:
            yield table, "ledger_sweeper", "MAINTAIN", None
    for column in ("principal", "topic", "as_of"):
        yield "entry", "ledger_agent_keys", "SELECT", column
    yield "topic", "ledger_registrar", "UPDATE", "key"
    yield "credential", "ledger_registrar", "UPDATE", "revoked"
    rights: dict[str, dict[tuple[str, ...], tuple[str, ...]]] = {
        "ledger_agent_keys": {(*_GATED, "topic", "topic_alias", "retired_key", "setting"): ("SELECT",)},
        "ledger_agent_content": {("entry", "topic", "topic_alias", "retired_key", "setting"): ("SELECT",)},
        "ledger_own_reader": {(*OF_PRINCIPALS, "topic", "topic_alias", "retired_key", "bare_form", "setting"): ("SELECT",)},
        "ledger_writer": {
            OF_PRINCIPALS: ("SELECT", "INSERT", "DELETE"),
            ("barrier", "audit"): ("UPDATE",),
            ("topic", "topic_alias", "retired_key", "bare_form", "setting", "sweep_mark", "piece_mark"): ("SELECT",),
            ("outcome",): ("SELECT", "INSERT", "UPDATE"),
        },
        "ledger_registrar": {
            ("topic", "credential"): ("SELECT", "INSERT"),
            ("topic_alias",): _ALL,
            ("former_key",): ("SELECT", "INSERT"),
            ("setting",): ("SELECT", "UPDATE"),
            ("retired_key", "snapshot", "proposal", "sweep_mark", "piece_mark", "version"): ("SELECT",),
        },
        "ledger_custodian": {
            ("entry", "pending", "topic", "topic_alias", "retired_key", "former_key"): _ALL,
            (
                "consent", "consent_history", "withheld", "objection", "legal_hold", "barrier", "audit", "outcome", "snapshot",
                "proposal", "setting", "credential",
            ): ("SELECT", "INSERT", "DELETE"),
            ("sweep_mark",): ("SELECT", "UPDATE"),
            ("piece_mark",): _ALL,
            ("bare_form",): ("SELECT",),
        },
    }  # fmt: skip
    for role, groups in rights.items():
        for tables, kinds in groups.items():
            for table in tables:
                for kind in kinds:
                    yield table, role, kind, None


def function_grants() -> Iterator[tuple[str, str, str]]:
    """What the surfaces may call: function, whom it runs as (owner), surface."""
    owner = {name: role for role, names in _RUN_AS.items() for name in names}
    for surface, names in FUNCTIONS.items():
        for name in names:
            yield name, owner.get(name, "ledger_registrar"), surface
