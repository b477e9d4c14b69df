"""The page of every right of every role is what a live database says, and what a reviewer would want it to say."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger.db import expected, rights
from ledger.db.operation import Surface

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "rights.md"


def test_the_page_is_that_of_a_live_database(any_server: Any) -> None:
    """Of the one that was migrated: a clone of it has the rights on a database that every database is made with."""
    with psycopg.connect(any_server.embedded.admin_conninfo("template_ledger")) as migrated:
        page = PAGE.read_text("utf-8")
        if migrated.info.server_version < expected.MAINTAIN_SINCE:
            page = "".join(line for line in page.splitlines(keepends=True) if " MAINTAIN " not in line)
        assert rights.page(migrated) == page, "write it anew with: make rights"


@pytest.mark.parametrize(
    ("grant", "line"),
    [
        ("grant select (answer) on ledger.entry to ledger_agent", "| `column entry.answer` | SELECT |"),
        ("grant execute on function ledger.today() to public", "| `function today()` | EXECUTE |"),
        ("grant create on schema ledger to ledger_sweeper", "| `schema ledger` | CREATE, USAGE |"),
        ("grant insert on ledger.topic to ledger_agent with grant option", "INSERT with grant option"),
        ("create view ledger.peek as select 1", "`view peek`"),
        ("create sequence ledger.serial", "`sequence serial`"),
    ],
    ids=lambda value: value if value.startswith(("grant", "create")) else None,
)
def test_a_right_more_is_a_line_more(database: Any, grant: str, line: str) -> None:
    database.installer.execute("alter event trigger ledger_columns_closed disable")  # as an owner may
    before = rights.page(database.installer)
    database.installer.execute(grant)
    after = rights.page(database.installer)
    assert after.count(line) == before.count(line) + 1


def test_a_surface_holds_the_use_of_the_schema_and_calls_and_nothing_else_but_the_sweepers_vacuum(
    any_database: Any,
) -> None:
    found = rights.rights(any_database.installer)
    for surface in Surface:
        held = {(what, right) for role, what, right in found if role == surface.role}
        vacuums = (
            surface is Surface.SWEEPER
            and any_database.installer.info.server_version >= expected.MAINTAIN_SINCE
        )
        maintained = {f"table {table}" for table in expected.MAINTAINED} if vacuums else set()
        assert {what for what, right in held if right not in ("EXECUTE", "MAINTAIN")} == {"schema ledger"}
        assert {what for what, right in held if right == "MAINTAIN"} == maintained
        assert len([what for what, _ in held if what.startswith("function ")]) == len(
            expected.FUNCTIONS[surface.role]
        )


def test_public_holds_nothing_in_the_schema(any_database: Any) -> None:
    found = rights.rights(any_database.installer)
    assert {what for role, what, _ in found if role == "PUBLIC"} <= {"database"}
