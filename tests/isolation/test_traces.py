"""How rows lie tells nothing: one xmin and key order a principal and table, and one xmin after the sweep."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta
from itertools import groupby, permutations

import pytest

from ledger.db import expected
from ledger.db.operation import Surface
from ledger.identity import Identity
from ledger.service import sweeps
from ledger.service.ledger import Ledger

IDENTITY = Identity(b"tests" * 8, "default")
PEOPLE = [IDENTITY.principal(f"person {n}") for n in range(12)]
TODAY = date(2026, 9, 1)
TOMORROW = date(2026, 9, 2)
TOPICS = [f"topic_{n:02d}" for n in range(16)]


def key_of(database, table: str) -> str:
    return ", ".join(
        name
        for (name,) in database.rows(
            """select a.attname from pg_index i cross join unnest(i.indkey) with ordinality k(attnum, ord)
                 join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
                where i.indrelid = %s::regclass and i.indisprimary order by k.ord""",
            f"ledger.{table}",
        )
    )


def disorder(database, table: str) -> list[tuple[object, ...]]:
    """Principals whose rows carry more than one xmin, or lie out of key order."""
    key = key_of(database, table)
    return database.rows(
        f"""select principal, count(distinct stamp::text), bool_or(here < before)
              from (select principal, xmin as stamp, ctid as here,
                           lag(ctid) over (partition by principal order by {key}) as before
                      from ledger.{table}) r
             group by principal
            having count(distinct stamp::text) > 1 or bool_or(here < before)"""
    )


def a_history(database, seed: int) -> None:
    """Writes of every kind, in the order of chance, with a vacuum in the middle."""
    chance = random.Random(seed)  # noqa: S311
    own = database.surface(Surface.PRINCIPAL)
    for step in range(150):
        principal = chance.choice(PEOPLE)
        topic = chance.choice(TOPICS)
        match chance.randrange(8):
            case 0:
                own.execute(
                    "select ledger.own_decide_consent(%s, %s, %s, '{}')",
                    (principal, chance.choice(["granted", "revoked"]), f"v{step}"),
                )
            case 1 if database.rows(
                "select 1 from ledger.entry where principal = %s and topic = %s", principal, topic
            ):
                own.execute("select ledger.own_withhold(%s, %s, true)", (principal, topic))
            case 2:
                if database.rows(
                    "select 1 from ledger.entry where principal = %s and topic = %s", principal, topic
                ):
                    own.execute(
                        "select ledger.own_delete(%s, %s, %s)",
                        (principal, topic, IDENTITY.mark(principal, topic)),
                    )
            case _:
                topics = sorted(chance.sample(TOPICS, chance.randrange(1, 4)))
                day = TODAY - timedelta(days=chance.randrange(100))
                database.keep(principal, day, {t: f"about {t} {chance.random()}" for t in topics})
        if step == 75:
            database.installer.execute("vacuum")


@pytest.mark.parametrize("seed", [1, 2])
def test_after_any_writes_a_principals_rows_carry_one_xmin_and_lie_in_key_order(any_database, seed):
    any_database.day(TODAY)
    a_history(any_database, seed)
    assert any_database.rows("select count(*) > 20 from ledger.entry") == [(True,)]
    assert [table for table in expected.OF_PRINCIPALS if disorder(any_database, table)] == []


def test_a_plain_upsert_would_be_noticed(any_database):
    any_database.day(TODAY)
    any_database.keep(PEOPLE[0], TODAY, dict.fromkeys(TOPICS[:3], "something"))
    any_database.installer.execute("update ledger.entry set answer = 'x' where topic = %s", (TOPICS[0],))
    assert disorder(any_database, "entry") != []


STAMPED = [
    table for table in expected.COLUMNS if table not in ("sweep_mark", "piece_mark", "version", "bare_form")
]


def stamps(database, table: str) -> set[str]:
    return {stamp for (stamp,) in database.rows(f"select distinct xmin::text from ledger.{table}")}


def test_the_sweep_of_the_next_day_gives_all_rows_of_a_table_one_xmin(any_database):
    any_database.day(TODAY)
    a_history(any_database, 3)
    assert len(stamps(any_database, "entry")) > 1
    any_database.day(TOMORROW)
    any_database.restamp()
    assert {table: len(stamps(any_database, table)) for table in STAMPED if stamps(any_database, table)} == {
        table: 1 for table in STAMPED if stamps(any_database, table)
    }
    assert [table for table in expected.OF_PRINCIPALS if disorder(any_database, table)] == []
    assert any_database.restamp() == 0, "what was stamped by a sweep is left alone by the next"


def test_what_a_sweep_of_today_stamped_is_left_alone_tomorrow(any_database):
    any_database.day(TODAY - timedelta(days=1))
    a_history(any_database, 3)
    any_database.day(TODAY)  # the first day was also that of the first cut in this cluster
    any_database.restamp()
    any_database.keep(PEOPLE[0], TODAY, {"kids": "two"})
    any_database.day(TOMORROW)
    any_database.restamp()
    before = stamps(any_database, "entry")
    any_database.keep(PEOPLE[1], TOMORROW, {"kids": "none"})
    any_database.day(TOMORROW + timedelta(days=1))
    assert any_database.restamp() < 20
    assert before < stamps(any_database, "entry")


@pytest.mark.parametrize("seed", [5, 6])
def test_no_sweep_inside_a_day_parts_it(any_database, seed):
    """Sweeps at any hour, several of them: after that of the next day one stamp holds for the whole of the day."""
    any_database.day(TODAY)
    a_history(any_database, seed)
    for hour in range(3):
        any_database.restamp()
        any_database.keep(PEOPLE[hour], TODAY, {"kids": f"said at {hour}"})
    early = stamps(any_database, "entry")
    any_database.day(TOMORROW)
    any_database.restamp()
    assert len(early) > 3
    assert len(stamps(any_database, "entry")) == 1


def test_no_sweep_inside_a_day_parts_the_keys_that_are_named_in_it(any_database):
    """Each was coined on a day that is over: the first naming of a day is what counts, on both sides of a sweep."""
    any_database.day(TODAY - timedelta(days=1))
    any_database.day(TODAY)
    any_database.keep(PEOPLE[0], TODAY, {"chess": "by mail", "choir": "I sing bass"})
    any_database.day(TOMORROW)
    any_database.keep(PEOPLE[1], TOMORROW, {"chess": "on Fridays"})
    any_database.restamp()
    any_database.keep(PEOPLE[2], TOMORROW, {"choir": "for years"})
    any_database.day(TOMORROW + timedelta(days=1))
    any_database.restamp()
    assert len(stamps(any_database, "topic")) == 1


def test_a_sweep_that_parts_a_day_would_be_noticed(any_database):
    """A re-stamp of everything, as if each sweep closed its day."""
    any_database.day(TODAY)
    any_database.day(TOMORROW)  # the first day in a cluster is stamped anew by the next in any case
    any_database.keep(PEOPLE[0], TOMORROW, {"kids": "two"})
    any_database.installer.execute("update ledger.sweep_mark set cut_at = pg_current_xact_id()")
    any_database.restamp()
    any_database.keep(PEOPLE[1], TOMORROW, {"kids": "none"})
    any_database.day(TOMORROW + timedelta(days=1))
    any_database.restamp()
    assert len(stamps(any_database, "entry")) == 2


@pytest.mark.parametrize(
    "elsewhere",
    ["cluster = cluster + 1", "cluster = cluster + 1, cut_at = '999999999999'"],
    ids=["of another cluster", "of one that has counted further"],
)
def test_after_a_restore_everything_is_stamped_anew_and_once_more_the_next_day(any_database, elsewhere):
    any_database.day(TODAY)
    any_database.day(TOMORROW)
    a_history(any_database, 4)
    any_database.restamp()
    any_database.installer.execute(f"update ledger.sweep_mark set {elsewhere}")
    any_database.installer.execute("select ledger.cut()")
    any_database.restamp()
    (restored,) = stamps(any_database, "entry")
    any_database.keep(PEOPLE[0], TOMORROW, {"kids": "two"})
    any_database.day(TOMORROW + timedelta(days=1))
    any_database.restamp()
    (new,) = stamps(any_database, "entry")
    assert new != restored
    assert any_database.restamp() == 0


def test_what_was_taken_back_leaves_no_mark_after_the_sweep(any_database):
    """A transaction that failed leaves its number (xmax) on the rows that it would have replaced."""
    any_database.day(TODAY)
    any_database.keep(PEOPLE[0], TODAY, {"kids": "two", "pets": "a cat"})
    any_database.keep(PEOPLE[1], TODAY, {"kids": "none"})
    any_database.day(TOMORROW)
    any_database.restamp()
    own = any_database.surface(Surface.PRINCIPAL)
    with own.transaction(force_rollback=True):
        own.execute("select ledger.own_delete(%s, 'kids', %s)", (PEOPLE[0], IDENTITY.mark(PEOPLE[0], "kids")))
    marked = "select count(*) from ledger.entry where xmax::text not in ('0', xmin::text)"
    assert any_database.rows(marked) == [(2,)]
    any_database.day(TOMORROW + timedelta(days=1))
    any_database.restamp()
    assert any_database.rows(marked) == [(0,)]


def test_a_setting_that_stays_as_it_is_gets_no_mark(any_database):
    """A lock would leave an xmax, and the sweep looks at what was written alone."""
    any_database.day(TODAY)
    operator = any_database.surface(Surface.OPERATOR)
    marks = "select xmin::text, xmax::text from ledger.setting"
    operator.execute("""select ledger.setting_change('{}', '{"drop_after": 400}')""")
    any_database.day(TOMORROW)
    any_database.restamp()
    stamped = any_database.rows(marks)
    assert stamped[0][1] == "0"
    operator.execute("""select ledger.setting_change('{}', '{"drop_after": 400}')""")
    assert any_database.rows(marks) == stamped


def test_two_who_change_settings_at_once_undo_nothing(any_database):
    def change(document: str) -> None:
        any_database.another().surface(Surface.OPERATOR).execute(
            "select ledger.setting_change('{}', %s::jsonb)", (document,)
        )

    for n in range(10):
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(change, [f'{{"reconfirm_after": {100 + n}}}', f'{{"drop_after": {400 + n}}}']))
        now = any_database.rows("select reconfirm_after, drop_after from ledger.setting")
        assert now == [(100 + n, 400 + n)]


# ── The order between principals ─────────────────────────────────────────────────────────────────

WRITERS = [PEOPLE[n] for n in (1, 5, 9)]


def acts_of(database, own, principal, day: date, n: int) -> None:
    """Something in each table that principals write in; and a topic of their own."""
    database.keep(
        principal,
        day,
        {TOPICS[0]: f"said {n}", TOPICS[1]: f"said {n}", f"of_{principal.hex[:8]}_{n}": "this"},
    )
    own.execute("select ledger.own_decide_consent(%s, 'granted', %s, '{}')", (principal, f"v{n}"))
    own.execute("select ledger.own_withhold(%s, %s, true)", (principal, TOPICS[n]))
    own.execute(
        "select ledger.own_delete(%s, %s, %s)", (principal, TOPICS[1], IDENTITY.mark(principal, TOPICS[n]))
    )


def a_day_with_vacuums(database, order) -> None:
    """Some of many write anew, in this order; a vacuum comes after each, as autovacuum may."""
    own = database.surface(Surface.PRINCIPAL)
    database.day(TODAY - timedelta(days=1))
    for principal in PEOPLE:
        for topic in TOPICS:
            database.keep(principal, TODAY - timedelta(days=1), {topic: f"about {topic}"})
        acts_of(database, own, principal, TODAY - timedelta(days=1), 2)
    database.day(TODAY)
    database.restamp()
    database.installer.execute("vacuum")
    for n in order:
        acts_of(database, own, WRITERS[n], TODAY, 3)
        database.installer.execute("vacuum")


def in_order_of_place(database, table: str) -> list[tuple[int, tuple[object, ...]]]:
    rows = database.rows(
        f"select xmin::text::bigint, {key_of(database, table)} from ledger.{table} order by ctid"
    )
    return [(stamp, tuple(key)) for stamp, *key in rows]


def out_of_place(database, table: str) -> bool:
    """Whether rows of one stamp lie apart, out of key order, or before those of an older one."""
    lying = in_order_of_place(database, table)
    parts = [(stamp, list(rows)) for stamp, rows in groupby(lying, key=lambda row: row[0])]
    stamps = [stamp for stamp, _ in parts]
    return stamps != sorted(set(stamps)) or any(rows != sorted(rows) for _, rows in parts)


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_what_was_stamped_anew_lies_behind_in_key_order_though_a_day_was_vacuumed_in_its_course(
    any_database, order
):
    """Else whoever wrote last would be told by the place that was free: theirs."""
    a_day_with_vacuums(any_database, order)
    any_database.day(TOMORROW)
    any_database.restamp()
    assert len(stamps(any_database, "entry")) == 2
    assert [table for table in STAMPED if out_of_place(any_database, table)] == []


@pytest.mark.parametrize("order", list(permutations(range(3))), ids=str)
def test_after_the_whole_sweep_small_tables_lie_in_key_order(any_database, settings_for, order):
    a_day_with_vacuums(any_database, order)
    any_database.day(TOMORROW)
    with Ledger.open(settings_for(any_database)) as ledger:
        assert ledger.run(sweeps.sweep())["held_back"] == 0
    for table in STAMPED:
        keys = [key for _, key in in_order_of_place(any_database, table)]
        assert keys == sorted(keys), table


def test_who_would_lie_where_there_is_room_would_be_noticed(any_database):
    """As if rows were laid down once."""
    once = "replace(pg_get_functiondef('ledger.lay_behind'::regproc), '1..32', '1..1')"
    any_database.installer.execute(f"do $$ begin execute {once}; end $$")
    a_day_with_vacuums(any_database, (0, 1, 2))
    any_database.day(TOMORROW)
    any_database.restamp()
    assert out_of_place(any_database, "entry")


def test_writers_at_once_lose_nothing_and_leave_order(any_database):
    any_database.day(TODAY)
    topics = [f"at_once_{n:03d}" for n in range(160)]

    def write(worker: int) -> None:
        own = any_database.another()
        for topic in topics[worker::8]:
            own.keep(PEOPLE[0], TODAY, {topic: "something"})

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(write, range(8)))
    assert any_database.rows("select count(*) from ledger.entry") == [(160,)]
    assert disorder(any_database, "entry") == []
