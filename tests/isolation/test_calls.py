"""Every function, as each role, in every session that somebody may have left behind.

The negative case first: what is another surface's does not run at all. Then each call that is allowed: whatever the session
was used for before, it comes to what it comes to in a new one, in the reply and in the store, and nobody else's words
or name stand in it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import UUID

import psycopg
import pytest
from matrix import LABELS, Function, Person, World

from ledger.db import expected
from ledger.db.operation import Surface

SURFACES = pytest.mark.parametrize("surface", list(Surface))


def someone_else(world: World) -> Person:
    """The same name with another tenant."""
    return world.people[2]


def test_there_is_something_to_hide(populated: World) -> None:
    """With no filter at all everybody's words lie there, in every table of principals that holds any."""
    text = repr(populated.store())
    assert all(person.word in text for person in populated.people)
    holders = {
        table: {str(p.principal) for p in populated.people if any(p.is_in(row) for t, row in populated.store() if t == table)}
        for table in expected.OF_PRINCIPALS
    }  # fmt: skip
    everybody = {str(person.principal) for person in populated.people}
    assert {table for table, of in holders.items() if of != everybody} == {"objection", "legal_hold"}


# ── What is not a role's own does not run ────────────────────────────────────────────────────────


@SURFACES
def test_a_call_of_another_surface_is_refused_before_it_runs(populated: World, surface: Surface) -> None:
    connection = populated.session(surface, "clean")
    own = {one.oid for one in populated.of(surface)}
    others = [one for one in populated.functions if one.oid not in own]
    assert len(others) > 30
    for function in others:
        outcome = populated.try_(connection, function, populated.people[0])
        assert outcome.sqlstate == psycopg.errors.InsufficientPrivilege.sqlstate, function.name
        assert populated.written_by(outcome) == frozenset(), function.name
        assert not any(person.is_in(outcome.said) for person in populated.people)


def test_a_login_of_the_same_server_that_is_none_of_ours_calls_nothing(populated: World) -> None:
    """What PUBLIC may do is what everybody may do."""
    installer = populated.database.installer
    installer.execute("create role a_stranger login password 'strange'")
    try:
        parts = psycopg.conninfo.conninfo_to_dict(populated.database.conninfo)
        with psycopg.connect(
            **parts | {"user": "a_stranger", "password": "strange"}, autocommit=True
        ) as stranger:
            for function in populated.functions:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    stranger.execute(*function.call(populated.people[0].principal))
            for table in expected.COLUMNS:
                with pytest.raises(psycopg.errors.InsufficientPrivilege):
                    stranger.execute(f"select from ledger.{table}")
    finally:
        installer.execute("drop role a_stranger")


# ── What is his own comes to the same, whatever the session was used for ─────────────────────────

Leaving = Callable[[World, Any, Function], None]


def nothing(world: World, connection: Any, function: Function) -> None:
    """A session that nobody has used: what another principal's outcome is held against too."""


def an_empty_setting(world: World, connection: Any, function: Function) -> None:
    for name in ("principal", "tier", "withheld"):
        connection.execute("select set_config(%s, '', false)", (f"ledger.{name}",))


def another_principals_setting(world: World, connection: Any, function: Function) -> None:
    for name, value in (
        ("principal", str(someone_else(world).principal)),
        ("tier", "full"),
        ("withheld", "{}"),
    ):
        connection.execute("select set_config(%s, %s, false)", (f"ledger.{name}", value))


def a_call_for_another_principal(world: World, connection: Any, function: Function) -> None:
    with connection.transaction(force_rollback=True):
        _quietly(connection, function, someone_else(world))


def a_plan_made_for_another_principal(world: World, connection: Any, function: Function) -> None:
    connection.prepare_threshold = 0
    for _ in range(7):  # past the five after which a plan may become a generic one
        with connection.transaction(force_rollback=True):
            _quietly(connection, function, someone_else(world))


HARMLESS = {
    "row_security": "off", "search_path": "pg_temp, public", "datestyle": "SQL, DMY", "timezone": "Pacific/Kiritimati",
    "intervalstyle": "sql_standard", "plan_cache_mode": "auto",
    "enable_indexscan": "off", "enable_seqscan": "on", "transform_null_equals": "on", "array_nulls": "off",
    "quote_all_identifiers": "on",
    "bytea_output": "escape", "extra_float_digits": "-15", "work_mem": "64kB",
    "standard_conforming_strings": "off", "backslash_quote": "on", "constraint_exclusion": "on", "jit": "on",
    "default_tablespace": "", "client_min_messages": "debug1", "check_function_bodies": "off",
}  # fmt: skip
"""What a raw login can set for its session without stopping its own calls."""


def settings_of_a_raw_login(world: World, connection: Any, function: Function) -> None:
    for name, value in HARMLESS.items():
        connection.execute("select set_config(%s, %s, false)", (name, value))


def temporary_objects_of_the_same_names(world: World, connection: Any, function: Function) -> None:
    try:
        for table in ("entry", "topic", "consent", "withheld", "setting", "topic_alias", "legal_hold"):
            connection.execute(f"create temporary table if not exists {table} (principal uuid, topic text)")
    except psycopg.errors.InsufficientPrivilege:
        return  # a login that may make none is the better for it
    connection.execute(
        "create or replace function pg_temp.me() returns uuid language sql return %s::uuid".replace(
            "%s", f"'{someone_else(world).principal}'"
        )
    )
    connection.execute("create or replace function pg_temp.tier() returns text language sql return 'full'")
    connection.execute("set search_path = pg_temp, ledger, pg_catalog")


def _quietly(connection: Any, function: Function, person: Person) -> None:
    try:
        with connection.transaction():
            connection.execute(*function.call(person.principal)).fetchall()
    except psycopg.Error:
        pass


OF_THE_RECORD = {"record_page", "record_withholding"}
"""What the record is compared with: who took something away, by their keyed hashes, and no word. For the sweeper alone."""


def test_what_the_record_is_compared_with_is_the_sweepers_alone_and_holds_no_word(populated: World) -> None:
    sweeper = populated.session(Surface.SWEEPER, "clean")
    for name in OF_THE_RECORD:
        assert [surface for surface, names in expected.FUNCTIONS.items() if name in names] == [
            "ledger_sweeper"
        ]
        (function,) = [one for one in populated.functions if one.name == name]
        given = {"after": UUID(int=0), "the_topic": "diet"}
        told = populated.try_(sweeper, function, populated.people[0], **given)
        assert told.sqlstate is None and told.rows
        assert not any(person.word in told.text for person in populated.people)


SESSIONS: tuple[Leaving, ...] = (
    an_empty_setting,
    another_principals_setting,
    a_call_for_another_principal,
    a_plan_made_for_another_principal,
    settings_of_a_raw_login,
    temporary_objects_of_the_same_names,
)


@SURFACES
@pytest.mark.parametrize("left_behind", SESSIONS, ids=lambda one: one.__name__)
def test_a_call_comes_to_the_same_in_a_session_with(
    populated: World, surface: Surface, left_behind: Leaving
) -> None:
    ann, *others = populated.people
    for function in populated.of(surface):
        clean = populated.try_(populated.session(surface, "clean"), function, ann)
        used = populated.session(surface, left_behind.__name__)
        left_behind(populated, used, function)
        found = populated.try_(used, function, ann)
        assert found == clean, function.name
        told = "" if function.name in OF_THE_RECORD else found.text
        assert not any(other.is_in(told) for other in others), function.name
        if function.of_a_principal:
            assert not any(other.is_in(repr(populated.written_by(found))) for other in others), function.name
        else:
            assert not ann.is_in(told), function.name


@SURFACES
def test_a_call_comes_to_the_same_for_a_login_that_gave_itself_defaults(
    populated: World, surface: Surface
) -> None:
    functions = populated.of(surface)
    clean = populated.session(surface, "clean")
    role, database = clean.execute("select current_user, current_database()").fetchone()
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        clean.execute(f"alter role {role} in database {database} set ledger.tier = 'full'")
    clean.execute(f"alter role {role} in database {database} set row_security = off")
    changed = populated.database.surface(surface)
    assert changed.execute("show row_security").fetchone() == ("off",)
    for function in functions:
        expected_of_it = populated.try_(clean, function, populated.people[0])
        assert populated.try_(changed, function, populated.people[0]) == expected_of_it, function.name


def test_these_calls_do_what_they_are_for(populated: World) -> None:
    """Else the sameness above would be that of calls that do nothing."""
    ann = populated.people[0]
    silent = []
    for surface in Surface:
        for function in populated.of(surface):
            outcome = populated.try_(populated.session(surface, "clean"), function, ann)
            told_something = ann.is_in(outcome.text) or any(key in outcome.text for key in LABELS)
            if not (told_something or populated.written_by(outcome)):
                silent.append(function.name)
    nothing_to_tell = {
        # nothing of one principal, or of any
        "today", "schema_version", "setting_read", "setting_change", "snapshot_read", "sweep_due", "sweep_expired",
        "cut", "swept_on", "sweep_pieces", "sweep_held_back", "sweep_keys", "sweep_restamp", "sweep_credentials",
        "sweep_rewrite", "credentials", "credential_stands",
        # refused: the topic has changed since, or there is no such alias
        "topic_change", "topics_merge", "alias_delete",
        # no label was moved in this world
        "labels_former",
        # there is no alias in this world, and only the next call in this hour is told otherwise
        "aliases_of", "sweep_ask",
        # the sweep's mark; nobody withholds that topic, and no erasure of today has a rest
        "record_state", "record_renew", "record_withholding", "erase_rest",
        # counts
        "own_consent", "own_receipts", "own_rest",
    }  # fmt: skip
    assert set(silent) <= nothing_to_tell


# ── Within one transaction, after a higher tier ──────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["recall", "coverage", "plan"])
@pytest.mark.parametrize("lower", ["topics", "none", "nonsense"])
def test_a_lower_tier_after_a_higher_one_in_one_transaction_is_the_lower_one(
    populated: World, name: str, lower: str
) -> None:
    ann, _, other = populated.people
    (function,) = [one for one in populated.of(Surface.AGENT) if one.name == name]
    alone = populated.try_(populated.session(Surface.AGENT, "clean"), function, ann, max_tier=lower)
    agent = populated.session(Surface.AGENT, "clean")
    with agent.transaction():
        higher = agent.execute(*function.call(ann.principal)).fetchall()
        agent.execute(*function.call(other.principal)).fetchall()
        after = agent.execute(*function.call(ann.principal, max_tier=lower)).fetchall()
        narrowed = agent.execute(*function.call(ann.principal, narrowed=True)).fetchall()
        unknown = agent.execute(*function.call(populated.people[0].principal.__class__(int=7))).fetchall()
    assert tuple(after) == alone.rows
    assert ann.word not in repr(after) + repr(narrowed) + repr(unknown)
    assert after != higher
    withheld = [row for row in higher if row[0] == "diet" and row[-1] is not None]
    assert withheld == []


@pytest.mark.parametrize(
    "name", ["own_entries", "own_withheld", "own_consent", "own_receipts", "own_rest", "own_state"]
)
def test_a_principal_after_another_in_one_transaction_sees_his_own(populated: World, name: str) -> None:
    (function,) = [one for one in populated.of(Surface.PRINCIPAL) if one.name == name]
    own = populated.session(Surface.PRINCIPAL, "clean")
    alone = [populated.try_(own, function, person).rows for person in populated.people]
    with own.transaction():
        together = [
            tuple(own.execute(*function.call(person.principal)).fetchall()) for person in populated.people
        ]
    assert together == alone
    for person, rows in zip(populated.people, together, strict=True):
        assert not any(other.is_in(repr(rows)) for other in populated.people if other is not person)


# ── Settings that stop a call leave nothing half done ────────────────────────────────────────────


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("statement_timeout", "1ms"), ("lock_timeout", "1ms"), ("default_transaction_read_only", "on"),
        ("default_transaction_isolation", "serializable"), ("default_transaction_isolation", "repeatable read"),
        ("idle_session_timeout", "1ms"), ("idle_in_transaction_session_timeout", "1ms"),
    ],
)  # fmt: skip
def test_a_setting_that_stops_a_call_shows_nothing_and_keeps_nothing_half_done(
    populated: World, name: str, value: str
) -> None:
    ann, *others = populated.people
    for surface in (Surface.AGENT, Surface.CAPTURE, Surface.PRINCIPAL):
        used = None
        for function in populated.of(surface):
            clean = populated.try_(populated.session(surface, "clean"), function, ann)
            if used is None or used.closed:
                used = populated.database.surface(surface)
                used.execute("select set_config(%s, %s, false)", (name, value))
            found = populated.try_(used, function, ann)
            assert found == clean or not populated.written_by(found), function.name
            assert found.rows in ((), clean.rows), function.name
            assert not any(person.is_in(found.said) for person in others), function.name
        used.close()


@SURFACES
def test_no_raw_login_holds_a_lock_that_others_wait_for(populated: World, surface: Surface) -> None:
    connection = populated.session(surface, "clean")
    # who may vacuum a table may lock it too, and stop others: named in the threat model
    locks = () if surface is Surface.SWEEPER else (
        "lock table ledger.entry in access share mode",
        "lock table ledger.topic in access exclusive mode",
    )  # fmt: skip
    for statement in (
        *locks,
        "select pg_advisory_lock(1)",
        "select pg_try_advisory_lock_shared(1)",
        "select pg_advisory_xact_lock(1, 2)",
        "select pg_advisory_unlock_all()",
        f"select pg_terminate_backend({populated.database.installer.info.backend_pid})",
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
            connection.execute(statement)


def test_the_day_is_one_of_utc_whatever_the_session_says(any_database: Any) -> None:
    agent = any_database.surface(Surface.PRINCIPAL)
    days = set()
    for zone in ("Pacific/Kiritimati", "Pacific/Pago_Pago", "UTC"):
        agent.execute("select set_config('timezone', %s, false)", (zone,))
        days.add(agent.execute("select ledger.today()").fetchone())
    assert len(days) == 1
