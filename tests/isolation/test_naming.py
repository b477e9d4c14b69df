"""Whom a function named is forgotten when it returns: before the next statement of the same transaction, and after an error.

No function and no role carries such a setting: that takes a superuser, and the documented installer is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import psycopg
import pytest
from matrix import Person, World

from ledger.db import expected
from ledger.db.operation import Surface

SURFACES = pytest.mark.parametrize("surface", list(Surface))
FREE = "perform ledger.name_nobody();"
NAMED = "select " + " || ".join(
    f"coalesce(current_setting('ledger.{name}', true), '')" for name in ("principal", "tier", "withheld")
)


def named(connection: Any) -> str:
    (found,) = connection.execute(NAMED).fetchone()
    return str(found)


def test_no_function_and_no_role_carries_a_setting_that_takes_a_superuser(any_database: Any) -> None:
    assert any_database.rows(
        """select p.oid::regprocedure::text, c from pg_proc p, unnest(p.proconfig) c where split_part(c, '=', 1) like '%.%'
            union all
           select s.setrole::regrole::text, c from pg_db_role_setting s, unnest(s.setconfig) c
            where split_part(c, '=', 1) like '%.%'"""
    ) == []  # fmt: skip


def forgetful(source: str) -> list[str]:
    """The ways out of a function that do not come right after it named nobody, once it named somebody."""
    code = [bare for line in source.splitlines() if (bare := line.split("--")[0].strip())]
    named_at = next(
        n for n, line in enumerate(code) if re.search(r"ledger\.name_(principal|for_agent)\(", line)
    )
    found = []
    is_free = False  # nobody is named on any way to this line
    depth = 0
    for before, line in pairwise(code[named_at:]):
        depth += bool(re.match(r"(if|for)\b.*|loop$", line)) and not line.startswith("for update")
        depth -= bool(re.match(r"end (if|loop);", line))
        is_free |= line == FREE and depth == 0
        leaves = re.match(r"return( (?!query)|;)", line) or line.startswith("end $") or line == "end"
        if leaves and not is_free and before != FREE and not before.startswith("return "):
            found.append(line)
    return found


def test_whoever_names_somebody_names_nobody_before_each_return(any_database: Any) -> None:
    sources = dict(
        any_database.rows(
            r"""select proname, prosrc from pg_proc where pronamespace = 'ledger'::regnamespace
                 and prosrc ~ 'ledger\.name_(principal|for_agent)\('"""
        )
    )
    assert len(sources) >= 20
    assert {name: found for name, source in sources.items() if (found := forgetful(source))} == {}


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("begin\nperform ledger.name_principal(p);\nend", ["end"]),
        ("begin\nperform ledger.name_principal(p);\nperform ledger.name_nobody();\nend", []),
        ("begin\nperform ledger.name_principal(p);\nif x then\nreturn;\nend if;\nperform ledger.name_nobody();\nend", ["return;"]),
        ("begin\nperform ledger.name_principal(p);\nif x then\nperform ledger.name_nobody();\nend if;\nend", ["end"]),
        ("begin\nperform ledger.name_principal(p);\nperform ledger.name_nobody();\nreturn true;\nend", []),
    ],
)  # fmt: skip
def test_this_reading_would_notice_one_that_forgets(body: str, found: list[str]) -> None:
    assert forgetful(body) == found


@SURFACES
def test_after_each_call_nobody_is_named_in_the_same_transaction(populated: World, surface: Surface) -> None:
    ann = populated.people[0]
    connection = populated.session(surface, "clean")
    for function in populated.of(surface):
        populated.prepare(function, ann)
        with connection.transaction(force_rollback=True):
            try:
                with connection.transaction():
                    connection.execute(*function.call(ann.principal)).fetchall()
            except psycopg.Error:
                pass  # refused, as it would be to anybody
            assert named(connection) == "", function.name
        populated.restore()


@pytest.fixture
def failing(populated: World) -> Iterator[World]:
    """Whoever is named, the first look at a row of theirs, and the first row laid down, is an error."""
    for table in expected.OF_PRINCIPALS:
        populated.database.installer.execute(
            f"create policy failing on ledger.{table} as restrictive using (1 / (ledger.me() is null)::integer = 1)"
        )
    yield populated
    for table in expected.OF_PRINCIPALS:
        populated.database.installer.execute(f"drop policy failing on ledger.{table}")


def test_after_a_call_that_failed_half_way_nobody_is_named_either(failing: World) -> None:
    ann = failing.people[0]
    broken = set()
    for surface in Surface:
        connection = failing.session(surface, "clean")
        for function in failing.of(surface):
            failing.prepare(function, ann)
            with connection.transaction(force_rollback=True):
                try:
                    with connection.transaction():
                        connection.execute(*function.call(ann.principal)).fetchall()
                except psycopg.errors.DivisionByZero:
                    broken.add(function.name)
                except psycopg.Error:
                    pass
                assert named(connection) == "", function.name
            failing.restore()
    of_a_principal = {one.name for one in failing.functions if one.of_a_principal and one.name in _called()}
    assert of_a_principal - broken == set()


def _called() -> set[str]:
    return {name for names in expected.FUNCTIONS.values() for name in names}


def test_a_call_that_failed_inside_a_block_that_goes_on_leaves_nobody_named(failing: World) -> None:
    """As in an application that catches the error on the server: the block's own savepoint."""
    ann = failing.people[0]
    agent = failing.session(Surface.AGENT, "clean")
    with agent.transaction():
        agent.execute(
            f"""do $$ begin
                  perform * from ledger.recall('{ann.principal}', '{{kids}}', false, 'full', false, '{{}}', 12);
                  raise 'it should have failed';
                exception when division_by_zero then null; end $$"""
        )
        assert named(agent) == ""


def test_the_next_statement_reads_what_it_may_and_nothing_of_the_one_before(populated: World) -> None:
    ann, _, other = populated.people
    agent = populated.session(Surface.AGENT, "clean")

    def recall(person: Person) -> str:
        (function,) = [one for one in populated.of(Surface.AGENT) if one.name == "recall"]
        return repr(agent.execute(*function.call(person.principal)).fetchall())

    with agent.transaction():
        assert ann.word in recall(ann)
        assert named(agent) == ""
        with pytest.raises(psycopg.errors.InsufficientPrivilege), agent.transaction():
            agent.execute("select * from ledger.entry")
        assert ann.word not in recall(other) and other.word in recall(other)
