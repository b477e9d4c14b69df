"""`doctor`: well on a fresh database; whatever leaks is found, named, and told what to do about."""

from __future__ import annotations

from typing import Any

import pytest


def leaks(done: Any) -> dict[str, str]:
    return {one["about"]: one["seen"] for one in done.json if not one["well"]}


def test_a_fresh_database_is_well(command: Any) -> None:
    done = command("doctor", "--json")
    assert leaks(done) == {}
    assert done.code == 0


def test_each_finding_is_a_line_of_a_table(command: Any) -> None:
    done = command("doctor")
    assert done.code == 0
    for about in ("server version", "columns are the allow-list", "log_statement", "pepper"):
        assert about in done.out


@pytest.mark.parametrize(
    ("damage", "about", "named"),
    [
        ("alter table ledger.entry add column thread text", "columns", "entry.thread"),
        ("create table ledger.chat (principal uuid, said_at timestamptz)", "columns", "chat.said_at"),
        (
            "create view ledger.peek as select principal, answer from ledger.entry",
            "columns",
            "peek.answer",
        ),
        ("alter table ledger.consent drop column notice", "columns", "consent.notice"),
        ("alter table ledger.entry no force row level security", "row-level security", "entry"),
        ("alter table ledger.barrier disable row level security", "row-level security", "barrier"),
        (
            "create policy peek on ledger.entry for select to ledger_agent_content using (true)",
            "policies",
            "entry.peek",
        ),
        ("grant select on ledger.entry to ledger_agent", "rights on tables", "ledger_agent: SELECT on entry"),
        ("grant select (answer) on ledger.entry to public", "rights on tables", "PUBLIC: SELECT on entry"),
        (
            "grant execute on function ledger.own_erase(uuid, uuid) to ledger_agent",
            "surfaces call",
            "ledger_agent: own_erase",
        ),
        ("alter function ledger.own_erase(uuid, uuid) reset search_path", "functions have", "own_erase"),
        ("grant execute on function pg_advisory_lock(bigint) to public", "advisory", "pg_advisory_lock"),
        ("alter table ledger.entry alter column answer set statistics 100", "no statistics", "entry"),
    ],
    ids=lambda value: value if " " in value and len(value) > 30 else None,
)
def test_what_leaks_is_found(command: Any, database: Any, damage: str, about: str, named: str) -> None:
    database.installer.execute("alter event trigger ledger_columns_closed disable")  # as an owner may
    database.installer.execute(damage)
    done = command("doctor", "--json")
    assert done.code == 1
    found = leaks(done)
    (what,) = [one for one in found if one.startswith(about)]
    assert named in found[what]
    assert all(one["todo"] for one in done.json if not one["well"])


@pytest.mark.parametrize(
    ("setting", "value"),
    [
        ("log_statement", "all"),
        ("log_min_duration_statement", "0"),
        ("log_min_error_statement", "error"),
        ("log_parameter_max_length", "100"),
        ("log_parameter_max_length_on_error", "100"),
    ],
)
def test_a_setting_that_leaks_is_found(command: Any, database: Any, setting: str, value: str) -> None:
    name = database.rows("select current_database()")[0][0]
    database.installer.execute(f"alter database {name} set {setting} = '{value}'")
    done = command("doctor", "--json")
    assert done.code == 1
    assert set(leaks(done)) == {setting}


def test_a_setting_of_a_single_role_is_found(command: Any, database: Any) -> None:
    """What a login sets for itself alone logs just as much."""
    name = database.rows("select current_database()")[0][0]
    database.installer.execute(f"alter role ledger_capture in database {name} set log_statement = 'all'")
    done = command("doctor", "--json")
    assert done.code == 1
    assert [about for about in leaks(done) if "log_statement" in about]


def test_a_key_file_that_others_may_read_is_refused_before_all_else(command: Any, tmp_path: Any) -> None:
    command("doctor")
    (tmp_path / "data" / "keys" / "signing.jwk").chmod(0o644)
    done = command("doctor")
    assert done.code == 2
    assert "chmod 600" in done.err


def test_without_the_installer_it_can_not_look(
    command: Any, database: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    from urllib.parse import quote

    from psycopg.conninfo import conninfo_to_dict

    from ledger.db.operation import Surface

    monkeypatch.delenv("LEDGER_DATABASE_URL")
    for surface, login in database.logins.items():
        parts = conninfo_to_dict(login)
        url = f"postgresql://{parts['user']}:{parts['password']}@{quote(str(parts['host']), safe='')}:{parts['port']}/{parts['dbname']}"
        monkeypatch.setenv(f"LEDGER_DATABASE_URL_{Surface(surface).value.upper()}", url)
    done = command("doctor")
    assert done.code == 2
    assert "LEDGER_DATABASE_URL" in done.err
