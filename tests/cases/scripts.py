"""Steps that are told in prose, or that are a fault: each is a play of its own, named by case and step."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

import httpx
import psycopg
import pytest

from ledger.api.strict_json import MAX_BYTES
from ledger.db import expected
from ledger.db.operation import Surface
from ledger.errors import UnsafeRole
from ledger.service.deployment import Deployment

from . import operations, wire
from .collection import OUT_OF_REACH_WITHIN, Place, Step
from .operations import Facts, answered
from .workers import KILLED_WHEN_WRITTEN, Worker
from .world import World

OK: Facts = {"outcome": "ok"}
EVERY_SURFACE = tuple(Surface)


# ── The state before, where it is a great many rows ──────────────────────────────────────────────


def expired_rows(world: World) -> None:
    """Rows past their window, ten a principal, laid down as captures lay them."""
    world.database.installer.execute(
        """insert into ledger.topic (key) select 'bulk_' || n from generate_series(0, 9) n;
           insert into ledger.entry
           select p.principal, 'bulk_' || n, 'said long ago', '2024-01-01'
             from (select md5('bulk' || i)::uuid as principal from generate_series(1, %s) i) p,
                  generate_series(0, 9) n
            order by 1, 2"""
        % (world.case.given["bulk"]["expired_rows"] // 10)
    )


def many_entries(world: World) -> None:
    """1,500 of P1, some said twice and some past their window; and a few of P2."""
    bulk = world.case.given["bulk"]

    def entries(name: str, n: int, days: Callable[[int], str]) -> list[Step]:
        return [
            {
                "principal": name,
                "topic": f"t{i:04d}",
                "text": f"answer {i}",
                "said_at": f"{days(i)}T00:00:00Z",
            }
            for i in range(n)
        ]

    old = bulk["P1_over_540_days"]
    world.put(entries("P1", bulk["P1_entries"], lambda i: "2024-06-01" if i < old else "2026-08-01"))
    world.put(entries("P2", bulk["P2_entries"], lambda _: "2026-08-01"))
    for i in range(bulk["P1_superseded"]):
        said = {
            "op": "write",
            "principal": "P1",
            "topic": f"t{old + i:04d}",
            "said_at": "2026-08-20T00:00:00Z",
        }
        facts = operations.write(
            world, said | {"as": "agent:A1", "message": "I like tea", "span": "I like tea"}
        )
        assert facts["stored_text"] == "I like tea"


# ── Tiers ────────────────────────────────────────────────────────────────────────────────────────


def force_a_tier(world: World, step: Step) -> Facts:
    """The constraint refuses it; without the constraint it is there, and means nothing."""
    forced = "update ledger.consent set decision = 'everything'"
    with pytest.raises(psycopg.errors.CheckViolation):
        world.database.installer.execute(forced)
    world.database.installer.execute("alter table ledger.consent drop constraint consent_decision_check")
    world.database.installer.execute(forced)
    assert world.rows("select decision from ledger.consent") == [("everything",)]
    return OK


def forget_the_decision(world: World, step: Step) -> Facts:
    world.set_tier("P1", "topics")
    return OK


@contextmanager
def through(world: World, worker: Worker) -> Iterator[None]:
    world.worker = worker.client
    try:
        yield
    finally:
        world.worker = None


def kept_worker(world: World) -> Worker:
    if "worker" not in world.kept:
        world.kept["worker"] = Worker(world.deployment)
    worker: Worker = world.kept["worker"]
    return worker


def read_by_another_worker(world: World, step: Step) -> Facts:
    """It is left running, so that whatever it has kept of the first read is there at the second."""
    with through(world, kept_worker(world)):
        return operations.read(world, step)


# ── The clock ────────────────────────────────────────────────────────────────────────────────────


def time_zone(world: World, step: Step) -> Facts:
    """Of this process, of the server, and of every login, against their own setting."""
    world.environment.setenv("TZ", step["zone"])
    world.environment.setenv("PGTZ", step["zone"])
    time.tzset()
    ((name,),) = world.rows("select current_database()")
    for role in ("", *(f"role {surface.role} in " for surface in EVERY_SURFACE)):
        world.database.installer.execute(f"alter {role}database {name} set timezone = '{step['zone']}'")
    world.close()
    world.open()
    # The instants of the case lie far from midnight: these do not.
    for at in ("2026-06-29T00:30:00Z", "2026-06-29T23:30:00Z"):
        world.now(at)
        with psycopg.connect(world.database.logins[Surface.CAPTURE]) as connection:
            assert connection.execute("show timezone").fetchone() == (step["zone"],)
            assert connection.execute("select ledger.today()::text").fetchone() == ("2026-06-29",)
    return OK


# ── The sweep ────────────────────────────────────────────────────────────────────────────────────


SWEPT = "select coalesce(sum(n), 0)::int from ledger.audit where action = 'expired'"
EXPIRED = "select count(*)::int from ledger.entry where as_of <= '2025-03-10' and topic <> 'hometown'"
ALL_EXPIRED = 200_002  # the bulk, and two of P1


@contextmanager
def longest_transaction(world: World) -> Iterator[list[float]]:
    """Watches the sweeper's transactions; the seconds of the longest."""
    seconds, over = [0.0], threading.Event()

    def watch() -> None:
        with psycopg.connect(world.database.conninfo, autocommit=True) as connection:
            while not over.wait(0.02):
                (found,) = connection.execute(
                    "select coalesce(max(extract(epoch from clock_timestamp() - xact_start))::float, 0)"
                    " from pg_stat_activity where usename = 'ledger_sweeper' and state = 'active'"
                    " and datname = current_database()"
                ).fetchone() or (0.0,)
                seconds[0] = max(seconds[0], found)

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        yield seconds
    finally:
        over.set()
        watching.join()


def sweep_killed_beside_a_write(world: World, step: Step) -> Facts:
    """A worker sweeps and is killed half-way; meanwhile an application captures, again and again."""
    sweep, write = step["ops"]
    taken = []
    with (
        longest_transaction(world) as longest,
        Worker(world.deployment) as worker,
        ThreadPoolExecutor(1) as pool,
    ):
        asked = world.prepared("operator", "POST", "/v1/operator/sweep", {})
        sweeping = pool.submit(worker.client.request, **asked)
        while world.rows(SWEPT) == [(0,)]:
            assert not sweeping.done()
        while world.rows(SWEPT)[0][0] < sweep["kill_after_rows"]:
            started = time.perf_counter()
            response = write_alone(world, write)
            taken.append(time.perf_counter() - started)
            assert response.json()["outcomes"][0]["accepted"]
        worker.kill()
        with pytest.raises(httpx.HTTPError):
            sweeping.result()
    assert taken
    ((gone, left),) = world.rows(f"select ({SWEPT}), ({EXPIRED})")
    assert gone and left
    assert gone + left == ALL_EXPIRED, "what was swept is counted, the rest is there"
    return {"outcome": "ok", "max_xact_seconds": longest[0], "write_seconds": max(taken)}


def sweep_to_the_end(world: World, step: Step) -> Facts:
    with longest_transaction(world) as longest:
        facts = operations.sweep(world, step)
    assert longest[0] <= 5
    assert world.rows(f"select ({SWEPT}), ({EXPIRED})") == [(ALL_EXPIRED, 0)]
    return facts


# ── Row-level security ───────────────────────────────────────────────────────────────────────────


def start_as(role: str) -> Callable[[World, Step], Facts]:
    """Opens a deployment one of whose surfaces logs in as such a role; each surface in turn."""

    def play(world: World, step: Step) -> Facts:
        assert step["dsn_role"] == role
        installer = world.database.installer
        if role == "app":
            Deployment.open(world.deployment.settings).close()
            return OK
        name = f"case_{role}"
        rights = {"owner": "", "superuser": "superuser", "bypassrls": "bypassrls"}[role]
        installer.execute(f"create role {name} login password 'secret' {rights}")
        if role == "owner":
            installer.execute(f"grant ledger_owner to {name}")
        try:
            host = httpx.URL(world.deployment.settings.database_url.get_secret_value())
            url = str(host.copy_with(username=name, password="secret"))
            for surface in EVERY_SURFACE:
                settings = world.deployment.settings.load(
                    **world.deployment.settings.model_dump(exclude_none=True)
                    | {f"database_url_{surface.value}": url}
                )
                with pytest.raises(UnsafeRole):
                    Deployment.open(settings)
        finally:
            if role == "owner":
                installer.execute(f"revoke ledger_owner from {name}")
            installer.execute(f"drop role {name}")
        return {"outcome": "rejected"}

    return play


def rights_of_the_logins(world: World, step: Step) -> Facts:
    """The statements, as every login of the service."""
    assert len(step["statements"]) == 4
    statements = (
        "select relname from pg_class where relnamespace = 'ledger'::regnamespace and relname = any (%s)"
        " and not (relrowsecurity and relforcerowsecurity)",
        "select rolsuper or rolbypassrls from pg_roles where rolname = current_user",
        "select pg_has_role(current_user, 'ledger_owner', 'MEMBER')",
        "select has_schema_privilege(current_user, 'ledger', 'CREATE')",
    )
    found = []
    for surface in EVERY_SURFACE:
        connection = world.database.surface(surface)
        found.append(
            [
                [value for (value,) in connection.execute(sql, parameters)]
                for sql, parameters in zip(
                    statements, ([[*expected.OF_PRINCIPALS]], None, None, None), strict=True
                )
            ]
        )
    assert all(one == found[0] for one in found)
    return {"outcome": "ok", "rows": found[0]}


VIEWS = "select oid::regclass::text from pg_class where relkind in ('v', 'm') and relnamespace = 'ledger'::regnamespace"


def rows_of_views(world: World, step: Step) -> Facts:
    """There is no view; one that somebody adds is asked, with the context and without."""
    rows_of, total = set(), 0
    for surface in EVERY_SURFACE:
        connection = world.database.surface(surface)
        if step["ctx"]:
            connection.execute(
                "select set_config('ledger.principal', %s, false), set_config('ledger.tier', 'full', false),"
                " set_config('ledger.withheld', '{}', false)",
                (str(world.principal(step["ctx"])),),
            )
        for (view,) in world.rows(VIEWS):
            with suppress(psycopg.errors.InsufficientPrivilege):
                found = [row for (row,) in connection.execute(f"select v::text from {view} v")]
                total += len(found)
                rows_of |= {
                    name for name in ("P1", "P2") if any(str(world.principal(name)) in row for row in found)
                }
    return {"outcome": "ok", "rows_of": rows_of, "rows_total": total}


def views_without_the_invoker(world: World, step: Step) -> Facts:
    named = "and not coalesce('security_invoker=true' = any(reloptions), false)"
    return {"outcome": "ok", "rows": world.rows(f"{VIEWS} {named}")}


def one_connection_of_a_pool(world: World, step: Step) -> Facts:
    """As the roles that the functions run as, for a login has no right on a table at all."""
    p1 = str(world.principal("P1"))
    insert = (
        "insert into ledger.entry values ('00000000-0000-8000-8000-000000000000', 'kids', 'x', '2026-09-01')"
    )
    named = "select set_config('ledger.principal', %s, true)"
    for surface in EVERY_SURFACE:
        connection = world.database.surface(surface)
        with connection.transaction():
            assert connection.execute(named, (p1,)).fetchall() == [(p1,)]
            for sql in ("select count(*) from ledger.entry", insert):
                with pytest.raises(psycopg.errors.InsufficientPrivilege), connection.transaction():
                    connection.execute(sql)
    came = []
    for role in ("ledger_own_reader", "ledger_writer"):
        with psycopg.connect(world.database.conninfo, autocommit=True) as connection:
            connection.execute(f"set role {role}")
            with connection.transaction():
                ((whose,),) = connection.execute(named, (p1,)).fetchall()
                inside = connection.execute("select count(*) from ledger.entry").fetchone()
            outside = connection.execute("select count(*) from ledger.entry").fetchone()
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                connection.execute(insert)
            came.append([None, ["P1" if whose == p1 else whose], list(inside), None, list(outside), "error"])
    assert came[0] == came[1]
    return {"outcome": "ok", "rows": came[0]}


def read_that_breaks(world: World, step: Step) -> Facts:
    """The connection is cut while the function of the read runs, after its first query; each time anew."""
    ((function,),) = world.rows("select pg_get_functiondef('ledger.name_for_agent'::regproc)")
    cut = function.replace("return tier;", "perform pg_terminate_backend(pg_backend_pid()); return tier;")
    assert cut != function
    world.database.installer.execute(cut)
    world.database.installer.execute("alter function ledger.name_for_agent owner to current_user")
    facts = answered(world.send(step["as"], "POST", "/v1/recall", {}))
    world.database.installer.execute(function)
    world.database.installer.execute("alter function ledger.name_for_agent owner to ledger_agent_keys")
    return facts


def read_by_nobody(world: World, step: Step) -> Facts:
    return answered(world.send("anon", "POST", "/v1/recall", {}))


# ── Deleting ─────────────────────────────────────────────────────────────────────────────────────


def erase_that_fails(world: World, step: Step) -> Facts:
    """The audit is written last: once it refuses the row, once the connection is cut there."""
    before = world.tables()
    installer = world.database.installer
    installer.execute(
        "create function ledger.cut() returns trigger language plpgsql security definer as"
        " $$ begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;"
        "create trigger cut before insert on ledger.audit for each row when (new.action = 'erased')"
        " execute function ledger.cut()"
    )
    cut = operations.erase(world, step)
    installer.execute("drop trigger cut on ledger.audit; drop function ledger.cut()")
    assert cut["outcome"] == "error"
    installer.execute("alter table ledger.audit add constraint full_up check (action <> 'erased') not valid")
    facts = operations.erase(world, step)
    installer.execute("alter table ledger.audit drop constraint full_up")
    return {**facts, "state_unchanged": world.tables() == before}


def delete_what_is_on_disk(world: World, step: Step) -> Facts:
    world.database.installer.execute("checkpoint")
    assert all(any(word.encode() in file for file in world.files()) for word in world.case.never_in_dump)
    return operations.delete(world, step)


def statements(world: World, step: Step) -> Facts:
    """As they stand."""
    for statement in step["statements"]:
        world.database.installer.execute(statement)
    return OK


# ── Kills ────────────────────────────────────────────────────────────────────────────────────────


def killed_in_the_database(when: str) -> Callable[[World, Step], Facts]:
    """Stops a capture inside its transaction, and ends that process of the server as kill -9 does."""

    def play(world: World, step: Step) -> Facts:
        installer = world.database.installer
        installer.execute(
            "create function ledger.wait() returns trigger language plpgsql as"
            " $$ begin perform pg_catalog.pg_sleep(60); return new; end $$;"
            "grant execute on function ledger.wait() to public;"
            f"create trigger wait {when} update or insert on ledger.entry for each row execute function ledger.wait()"
        )
        with ThreadPoolExecutor(1) as pool:
            capturing = pool.submit(write_alone, world, step["with"])
            waiting = (
                "select pid from pg_stat_activity where usename = 'ledger_capture' and state = 'active'"
                " and wait_event = 'PgSleep' and datname = current_database()"
            )
            while not (found := world.rows(waiting)):
                assert not capturing.done()
                time.sleep(0.01)
            os.kill(found[0][0], signal.SIGKILL)
            assert capturing.result().status_code == 503
        world.database.installer = reconnected(world)
        world.database.installer.execute("drop trigger wait on ledger.entry; drop function ledger.wait()")
        return {"outcome": "killed"}

    return play


def write_alone(world: World, step: Step) -> httpx.Response:
    return world.send(step["as"], "POST", "/v1/captures", wire.capture(step, None), of=step["principal"])


def reconnected(world: World) -> psycopg.Connection[Any]:
    """The server ends all its connections when a process of it is killed, and recovers."""
    for _ in range(500):
        with suppress(psycopg.OperationalError):
            return world.database._keep(psycopg.connect(world.database.conninfo, autocommit=True))
        time.sleep(0.02)
    raise AssertionError("the server did not come back")


def killed_when_committed(world: World, step: Step) -> Facts:
    """The worker is gone between the commit and its answer."""
    gone = pytest.raises(httpx.RemoteProtocolError)
    with Worker(world.deployment, KILLED_WHEN_WRITTEN) as worker, through(world, worker), gone:
        write_alone(world, step["with"])
    return {"outcome": "killed"}


# ── Every way to read ────────────────────────────────────────────────────────────────────────────


def every_way_to_read(world: World, step: Step) -> Facts:
    actor, quote = step["as"], "I want two kids"
    ways: dict[str, Callable[[], httpx.Response]] = {
        "list": lambda: world.send(actor, "POST", "/v1/coverage", {}),
        "by topic": lambda: world.send(actor, "POST", "/v1/recall", {"topics": ["kids"]}),
        "by id": lambda: world.send(actor, "PUT", f"/v1/me/entries/{entry_id(world)}/withheld"),
        "near-miss/search": lambda: world.send(actor, "POST", "/v1/topics", {"label": "kid"}),
        "prompt block": lambda: world.send(actor, "POST", "/v1/recall", {}),
        "export as agent": lambda: world.send(actor, "GET", "/v1/me/export"),
    }
    assert {*ways, *OUT_OF_REACH_WITHIN["SURF-05", 0]} == set(step["paths"])
    facts: Facts = {"outcome": "ok"}
    for tier in step["tiers"]:
        world.set_tier("P1", tier)
        replies = {way: call() for way, call in ways.items()}
        facts["export as agent"] = replies["export as agent"].status_code
        assert replies["by id"].status_code == 403
        shown = {way: reply.text for way, reply in replies.items()}
        quotes = [one["quote"] for one in replies["by topic"].json()["entries"]]
        seen = {
            "text": any(quote in text for text in shown.values()),
            # what an agent says itself, or reads in the registry, is no sign of an entry
            "topics": any("kids" in text for way, text in shown.items() if way != "near-miss/search"),
        }
        facts[tier] = {"quotes": quotes} if tier == "full" else seen
        assert seen["text"] is (tier == "full")
        assert not any("three please" in text for text in shown.values())
    # Nobody can be named: not in a body, and an agent is given no token for another.
    facts["replies"] = {}
    for name in step["principals"][1:]:
        named = world.send(actor, "POST", "/v1/recall", {"principal": name})
        asked = world.issue(name, "agent", actor=actor)
        assert named.status_code == 422
        facts[name] = asked.status_code
        facts["replies"][name] = (named.text, asked.text)
    return facts


def entry_id(world: World) -> str:
    (entry,) = world.send("owner:P1", "GET", "/v1/me/entries").json()["items"]
    found: str = entry["id"]
    return found


# ── Bodies ───────────────────────────────────────────────────────────────────────────────────────


def a_body(world: World, step: Step) -> Facts:
    """Through a worker of its own, whose memory is watched."""
    worker = kept_worker(world)
    before = world.entries()
    with through(world, worker):
        if "message_bytes" in step["gen"]:
            world.send("anon", "GET", "/healthz")  # it has started
            worker.peak_memory()
            at_rest = worker.peak_memory()
            response = sent_whole(world, worker, step)
            return {**answered(response), "rss_growth_mb": worker.peak_memory() - at_rest}
        response = world.send(step["as"], "POST", "/v1/captures", raw=generated(step["gen"]))
    return operations.captured(world, "P1", response, before)


def sent_whole(world: World, worker: Worker, step: Step) -> httpx.Response:
    prepared = world.prepared(step["as"], "POST", "/v1/captures", raw=b"")
    opening, filling = b'{"message":"', b"x" * 65_536

    def blocks() -> Iterator[bytes]:
        yield opening
        for _ in range(step["gen"]["message_bytes"] // len(filling)):
            yield filling
        yield b'"}'

    if not step["gen"].get("chunked"):
        length = len(opening) + step["gen"]["message_bytes"] + 2
        prepared["headers"].append(("Content-Length", str(length)))
    return world.noted(worker.client.request(**prepared | {"content": blocks()}))


def generated(gen: dict[str, Any]) -> bytes:
    if "nested_arrays" in gen:
        deep = "[" * gen["nested_arrays"] + "]" * gen["nested_arrays"]
        return f'{{"message":{deep},"said_on":"2026-08-20","candidates":[]}}'.encode()
    words = "I want two kids. "

    def body(message: str) -> bytes:
        span = message[: gen["span_chars"]] if "span_chars" in gen else words.strip()
        told = {"message": message, "said_on": "2026-08-20", "candidates": [{"topic": "kids", "span": span}]}
        return json.dumps(told).encode()

    # L is the longest message that a body has room for.
    room = MAX_BYTES - len(body("")) - gen.get("span_chars", 0)
    more = {"L": 0, "L+1": 1}[gen["message_chars"]]
    filled = (words + "I row. " * room)[: room + more]
    made = body(filled)
    assert len(made) == MAX_BYTES + more
    return made


# ── The document of the API ──────────────────────────────────────────────────────────────────────


def openapi(world: World, step: Step) -> Facts:
    texts = set()
    for _ in range(step["times"]):
        texts.add(world.send("anon", "GET", "/openapi.json").text)
        world.close()
        world.open()
    document = json.loads(texts.pop())
    operations_ = [one for methods in document["paths"].values() for one in methods.values()]
    bodies = [inner for one in operations_ for inner in objects(document, one.get("requestBody", {}))]
    errors = [
        inner
        for one in operations_
        for status, response in one["responses"].items()
        if status >= "400"
        for inner in objects(document, response)
    ]
    names = sorted(document["components"]["schemas"])
    return {
        "outcome": "ok",
        "identical": not texts,
        "operationId": [one["operationId"] for one in operations_],
        "schema name": names,
        "request_bodies": [
            {"additionalProperties": value} for value in {one.get("additionalProperties") for one in bodies}
        ],
        "error fields": {field for one in errors for field in one.get("properties", ())},
    }


def objects(document: Any, schema: Any) -> Iterator[dict[str, Any]]:
    """Every object of a schema, through its references."""
    if isinstance(schema, list):
        for inner in schema:
            yield from objects(document, inner)
    elif isinstance(schema, dict):
        if schema.get("type") == "object":
            yield schema
        if "$ref" in schema:
            yield from objects(document, document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]])
        for name, inner in schema.items():
            if name != "examples":
                yield from objects(document, inner)


def every_response_was_held_against_it(world: World, step: Step) -> Facts:
    """`World` holds each against the document as it comes; here one of each kind, well and badly."""
    world.list_topic("kids", "Do you want kids?")
    said = {
        "op": "write",
        "principal": "P1",
        "topic": "kids",
        "said_at": "2026-08-20T00:00:00Z",
        "as": "agent:A1",
    }
    said |= {"message": "I want two kids", "span": "I want two kids"}
    before = len(world.statuses)
    asked = {"principal": "P1", "topics": ["kids"], "as": "agent:A1"}
    operations.write(world, said)
    operations.read(world, asked)
    operations.set_tier(world, {"tier": "full", "as": "owner:P1"})
    operations.read(world, asked)
    operations.export(world, said | {"as": "owner:P1"})
    operations.propose(world, said | {"label": "a/b"})
    operations.get_window(world, {"as": "operator", "topic": "kids"})
    operations.sweep(world, {})
    operations.http(world, {"as": "agent:A1", "method": "POST", "path": "<write>", "body_text": "{"})
    operations.delete(world, {"as": "owner:P1", "topic": "kids"})
    operations.erase(world, {"as": "owner:P1"})
    world.send("anon", "POST", "/v1/recall", {})
    world.send("agent:A1", "GET", "/v1/me/entries")
    assert {200, 204, 400, 401, 403, 422} <= set(world.statuses[before:])
    return OK


PREPARED: dict[str, tuple[Callable[[World], None], ...]] = {
    "STALE-08": (expired_rows,),
    "DEL-08": (many_entries,),
}

SCRIPTS: dict[Place, Callable[[World, Step], Facts]] = {
    ("TIER-01", 10): force_a_tier,
    ("TIER-01", 12): forget_the_decision,
    ("TIER-03", 1): read_by_another_worker,
    ("TIER-03", 4): read_by_another_worker,
    **{("STALE-02", step): time_zone for step in (0, 3, 6, 9, 12)},
    ("STALE-08", 0): lambda world, step: OK,  # no process of this case sweeps by itself
    ("STALE-08", 2): sweep_killed_beside_a_write,
    ("STALE-08", 3): sweep_to_the_end,
    ("RLS-01", 0): start_as("owner"),
    ("RLS-01", 1): start_as("superuser"),
    ("RLS-01", 2): start_as("bypassrls"),
    ("RLS-01", 3): start_as("app"),
    ("RLS-01", 4): rights_of_the_logins,
    ("RLS-02", 0): rows_of_views,
    ("RLS-02", 1): rows_of_views,
    ("RLS-02", 2): views_without_the_invoker,
    ("RLS-04", 0): one_connection_of_a_pool,
    ("RLS-05", 1): read_that_breaks,
    ("RLS-05", 3): read_by_nobody,
    ("DEL-01", 5): erase_that_fails,
    ("DEL-02", 6): delete_what_is_on_disk,
    ("DEL-02", 7): statements,
    ("CORR-05", 0): killed_in_the_database("before"),
    ("CORR-05", 2): killed_in_the_database("after"),
    ("CORR-05", 4): killed_when_committed,
    ("SURF-05", 0): every_way_to_read,
    **{("SURF-07", step): a_body for step in range(6)},
    ("SURF-13", 0): openapi,
    ("SURF-13", 1): every_response_was_held_against_it,
}
