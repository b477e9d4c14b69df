"""`doctor`: well on a fresh database; whatever leaks is found, named, and told what to do about."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ledger.db import inspection, logins, migrations
from ledger.embedded import EmbeddedServer
from ledger.identity import Identity


def leaks(done: Any) -> dict[str, str]:
    return {one["about"]: one["seen"] for one in done.json if not one["well"]}


def test_a_fresh_database_is_well(command: Any) -> None:
    done = command("doctor", "--json")
    assert leaks(done) == {}
    assert done.code == 0


def test_the_default_ledger_is_well_and_its_keys_want_a_backup_of_their_own(bare: Any) -> None:
    done = bare("doctor", "--json")
    assert (done.code, leaks(done)) == (0, {})
    known = {one["about"]: one["seen"] for one in done.json if one["residue"]}
    assert known.keys() == {
        "who reads every row, past row-level security",
        "pepper and keys lie apart from the database",
    }
    assert known["pepper and keys lie apart from the database"].endswith("keys, beside postgres/")


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
            "policies are",
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
        ("create statistics ledger.s on topic, as_of from ledger.entry", "no statistics", "entry"),
        (
            "alter table ledger.pending alter column answer set storage extended",
            "answers are stored",
            "pending",
        ),
        ("grant create on schema ledger to ledger_agent", "nobody makes anything", "ledger_agent: CREATE"),
        ("grant usage on schema ledger to public", "nobody makes anything", "PUBLIC: USAGE"),
        (
            "alter function ledger.recall owner to postgres",
            "functions run as roles",
            "recall of postgres",
        ),
        (
            "create or replace function ledger.name_principal(p uuid) returns void language plpgsql as "
            "$$ begin perform set_config('ledger.principal', p::text, false); end $$",
            "no function sets",
            "name_principal",
        ),
        (
            "alter policy content on ledger.entry using (principal = ledger.me() and ledger.tier() = 'full')",
            "policies say",
            "entry.content",
        ),
        ("alter policy writer on ledger.barrier with check (true)", "policies say", "barrier.writer"),
        ("alter function ledger.recall reset ledger.tier", "functions are those", "recall"),
        ("alter function ledger.capture called on null input", "functions are those", "capture"),
        (
            "create or replace function ledger.tier() returns text language sql stable parallel safe return 'full'",
            "functions are those",
            "tier",
        ),
        (
            "create or replace function ledger.lock_whole() returns void language plpgsql as $$ begin end $$",
            "functions are those",
            "lock_whole",
        ),
        (
            "create function ledger.me(who text) returns uuid language sql return who::uuid",
            "functions are those",
            "me",
        ),
        (
            "create function ledger.more() returns int language sql return 1",
            "functions are those",
            "more",
        ),
        ("create view public.peek as select answer from ledger.entry", "nothing hangs", "view peek"),
        ("create sequence ledger.serial", "nothing hangs", "sequence serial"),
        ("create table public.child () inherits (ledger.entry)", "nothing hangs", "child child"),
        (
            "create table public.seen (topic text references ledger.topic)",
            "nothing hangs",
            "foreign key seen_topic_fkey",
        ),
        (
            "create function public.f() returns trigger language plpgsql as 'begin return new; end'; "
            "create trigger watch after insert on ledger.entry execute function public.f()",
            "nothing hangs",
            "trigger watch",
        ),
        ("create extension pageinspect", "no extension", "pageinspect"),
        ("create publication mine for all tables", "no publication", "mine"),
        (
            "grant create on schema public to ledger_capture",
            "no login of ours makes",
            "ledger_capture: public",
        ),
    ],
    ids=lambda value: value if " " in value and len(value) > 30 else None,
)
def test_what_leaks_is_found(database: Any, damage: str, about: str, named: str) -> None:
    database.installer.execute("alter event trigger ledger_columns_closed disable")  # as an owner may
    database.installer.execute(damage)
    found = [one for one in inspection.findings(database.conninfo) if not one.well]
    (seen,) = [one.seen for one in found if one.about.startswith(about)]
    assert named in seen
    assert all(one.todo for one in found)


def test_what_leaks_makes_the_exit_code_1(command: Any, database: Any) -> None:
    database.installer.execute("grant select on ledger.entry to ledger_agent")
    assert command("doctor").code == 1
    done = command("doctor", "--json")
    assert done.code == 1
    assert leaks(done).keys() == {"rights on tables are the reviewed ones"}


@pytest.mark.parametrize(
    ("damage", "mending", "about"),
    [
        ("alter role ledger_writer bypassrls", "alter role ledger_writer nobypassrls", "roles are bound"),
        (
            "alter role ledger_custodian replication",
            "alter role ledger_custodian noreplication",
            "roles are bound",
        ),
        ("alter role ledger_owner login", "alter role ledger_owner nologin", "owner and definers"),
        (
            "grant ledger_writer to ledger_registrar",
            "revoke ledger_writer from ledger_registrar",
            "no role of ours belongs",
        ),
        ("grant ledger_writer to a_guest", "revoke ledger_writer from a_guest", "nobody else may become"),
    ],
    ids=lambda value: value if " " in value else None,
)
def test_a_role_that_has_become_too_strong_is_found(
    database: Any, damage: str, mending: str, about: str
) -> None:
    """Roles are of the whole server, so each is put back to what it was."""
    database.installer.execute("create role a_guest")
    try:
        database.installer.execute(damage)
        found = [one.about for one in inspection.findings(database.conninfo) if not one.well]
    finally:
        database.installer.execute(mending)
        database.installer.execute("drop role a_guest")
    assert [one for one in found if one.startswith(about)]


@pytest.mark.parametrize(
    ("change", "about", "seen"),
    [
        ("select lo_from_bytea(0, 'left behind')", "large objects that are there", "postgres: 1"),
        (
            "create role a_reader in role pg_read_all_data",
            "who reads every row",
            "a_reader (pg_read_all_data)",
        ),
        (
            "grant temporary on database {} to ledger_agent",
            "logins that may make temporary tables",
            "ledger_agent",
        ),
        ("grant execute on function lo_create(oid) to public", "large objects may be", "lo_create"),
        ("alter event trigger ledger_columns_closed disable", "an event trigger", "there is none"),
        (
            "create or replace function ledger.today() returns date language sql stable return date '2026-09-01'",
            "the clock is another",
            "ledger.today()",
        ),
        ("grant select on pg_stat_all_tables to public", "views of statistics", "pg_stat_all_tables"),
    ],
    ids=lambda value: value if " " in value else None,
)
def test_what_the_threat_model_leaves_open_is_known_and_no_leak(
    database: Any, change: str, about: str, seen: str
) -> None:
    try:
        database.installer.execute(change.format(database.rows("select current_database()")[0][0]))
        found = inspection.findings(database.conninfo)
    finally:
        database.installer.execute("drop role if exists a_reader")
    (one,) = [one for one in found if one.about.startswith(about)]
    assert (one.well, one.residue) == (True, True)
    assert seen in one.seen and one.todo
    assert all(other.well for other in found)


def test_what_is_known_is_shown_so_and_leaves_the_exit_code_0(command: Any) -> None:
    done = command("doctor")
    assert done.code == 0
    assert "known" in done.out and "superuser" in done.out


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


@pytest.mark.parametrize(
    "setting", ["row_security = off", "search_path = pg_temp", "application_name = 'me'"]
)
def test_a_login_that_gave_itself_defaults_is_found(command: Any, database: Any, setting: str) -> None:
    name = database.rows("select current_database()")[0][0]
    database.installer.execute(f"alter role ledger_agent in database {name} set {setting}")
    done = command("doctor", "--json")
    assert done.code == 1
    assert leaks(done)["no login of ours gave itself defaults"] == f"ledger_agent: {setting.split()[0]}"


def test_a_library_that_explains_statements_is_found_where_it_is_on(command: Any, database: Any) -> None:
    name = database.rows("select current_database()")[0][0]
    database.installer.execute(f"alter database {name} set session_preload_libraries = 'auto_explain'")
    assert leaks(command("doctor", "--json")) == {}, "loaded, and off"
    database.installer.execute(f"alter database {name} set auto_explain.log_min_duration = 0")
    assert set(leaks(command("doctor", "--json"))) == {"the library auto_explain"}


# ── A server whose owner has set it up to remember ───────────────────────────────────────────────

REMEMBERING = {
    "log_line_prefix": "%m %a ", "log_connections": "on", "log_disconnections": "on", "log_duration": "on",
    "log_min_messages": "warning", "log_min_error_statement": "error", "log_statement": "mod", "log_lock_waits": "on",
    "log_min_duration_sample": "100", "log_transaction_sample_rate": "0.5", "debug_print_plan": "on",
    "debug_print_parse": "on", "debug_print_rewritten": "on", "track_commit_timestamp": "on", "archive_mode": "on",
    "wal_level": "logical",
}  # fmt: skip
KEEPING = {
    "shared_preload_libraries": "pg_stat_statements, auto_explain", "auto_explain.log_min_duration": "0",
    "archive_command": "false", "max_wal_senders": "2", "wal_recycle": "on", "wal_keep_size": "16",
    "logging_collector": "on",
}  # fmt: skip


@pytest.fixture(scope="module")
def remembering(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The installer's connection string of a ledger on a server that logs, archives and counts."""
    folder = tmp_path_factory.mktemp("remembering")
    with (
        EmbeddedServer.open(folder) as server,
        psycopg.connect(server.admin_conninfo(), autocommit=True) as admin,
    ):
        for name, value in (REMEMBERING | KEEPING).items():
            quoted = value if name == "shared_preload_libraries" else f"'{value}'"
            if name.startswith("auto_explain"):
                admin.execute("load 'auto_explain'")
            admin.execute(f"alter system set {name} = {quoted}")
    with EmbeddedServer.open(folder) as server:
        conninfo = server.admin_conninfo()
        migrations.migrate(conninfo, Identity(b"tests" * 8, "default"), logins.secret_of(conninfo), ())
        with psycopg.connect(conninfo, autocommit=True) as admin:
            admin.execute("select pg_create_physical_replication_slot('held', true)")
            admin.execute("select pg_create_logical_replication_slot('read', 'pgoutput')")
        yield conninfo


def test_everything_that_such_a_server_remembers_is_found(remembering: str) -> None:
    found = {one.about: one for one in inspection.findings(remembering) if not one.well}
    assert set(found) == {
        *REMEMBERING, "the library auto_explain", "the library pg_stat_statements", "no slot holds the write-ahead log back",
    }  # fmt: skip
    assert found["no slot holds the write-ahead log back"].seen == (
        "held (physical, not in use), read (logical, not in use)"
    )
    assert all(one.todo for one in found.values())


def test_what_keeps_the_log_longer_is_known(remembering: str) -> None:
    (one,) = [one for one in inspection.findings(remembering) if one.about.startswith("what keeps")]
    assert (one.well, one.residue, one.seen) == (True, True, "wal_keep_size = 16MB, wal_recycle = on")


def test_a_fresh_database_is_well_on_every_server(any_database: Any) -> None:
    found = inspection.findings(any_database.conninfo)
    assert [(one.about, one.seen) for one in found if not one.well] == []
    assert len(found) > 40


def test_a_login_that_is_no_superuser_can_look_too(database: Any) -> None:
    """Managed servers have no superuser to give away."""
    database.installer.execute("create role a_looker login password 'looks'")
    try:
        there = psycopg.conninfo.conninfo_to_dict(database.conninfo) | {
            "user": "a_looker",
            "password": "looks",
        }
        found = inspection.findings(psycopg.conninfo.make_conninfo(**there))
    finally:
        database.installer.execute("drop role a_looker")
    assert [one.about for one in found if not one.well] == []


# ── The keys ─────────────────────────────────────────────────────────────────────────────────────


def test_keys_in_the_database_s_own_folder_are_found(
    command: Any, database: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ((data,),) = database.rows("show data_directory")
    inside = tmp_path / "inside"
    inside.symlink_to(data)
    folder = Path(data) / "ledger_keys"
    monkeypatch.setenv("LEDGER_DATA_DIR", str(folder))
    done = command("doctor", "--json")
    assert set(leaks(done)) == {"pepper and keys lie apart from the database"}
    assert done.code == 1


def test_a_file_of_settings_with_a_secret_that_others_may_read_is_found(
    command: Any, database: Any, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("LEDGER_TENANT=default\n")
    (tmp_path / ".env").chmod(0o644)
    assert leaks(command("doctor", "--json")) == {}
    (tmp_path / ".env").write_text(f"LEDGER_DATABASE_URL={database.url}\n")
    assert leaks(command("doctor", "--json")).keys() == {"keys: .env"}


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
