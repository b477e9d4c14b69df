"""A day is closed by a cut: a transaction of its own between the last write of one day and the first of the next."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import psycopg
import pytest

from ledger.core.model import Candidate
from ledger.db import expected
from ledger.db.operation import Surface
from ledger.errors import Unavailable
from ledger.identity import Identity
from ledger.service import sweeps

IDENTITY = Identity(b"tests" * 8, "default")
ANN, BEN = IDENTITY.principal("ann"), IDENTITY.principal("ben")
TODAY = date(2026, 9, 1)
TOMORROW = TODAY + timedelta(days=1)
NO_CUT = "LG009"


@pytest.fixture
def begun(any_database):
    """A ledger in which somebody spoke today, for the second day."""
    any_database.day(TODAY - timedelta(days=1))
    any_database.day(TODAY)
    any_database.keep(ANN, TODAY, {"kids": "two"})
    return any_database


def cut(database) -> tuple[date, int]:
    ((day, number),) = database.rows("select cut_on, cut_at::text::bigint from ledger.sweep_mark")
    return day, number


def written(database, principal) -> int:
    ((number,),) = database.rows(
        "select distinct xmin::text::bigint from ledger.entry where principal = %s", principal
    )
    return number


def test_a_write_of_a_day_that_was_not_cut_is_refused(begun):
    begun.day(TOMORROW, cut=False)
    with pytest.raises(psycopg.Error) as refused:
        begun.keep(BEN, TOMORROW, {"kids": "none"})
    assert refused.value.sqlstate == NO_CUT
    assert begun.rows("select 1 from ledger.entry where principal = %s", BEN) == []


def test_every_function_that_may_write_asks_for_the_cut(begun):
    """Each of the schema, so that one that is added is covered too: of those whose owner may write, all but the cut."""
    unguarded = begun.rows(
        r"""select p.proname from pg_proc p
             where p.pronamespace = 'ledger'::regnamespace and p.prosecdef and p.provolatile = 'v'
               and p.proowner::regrole::text in ('ledger_writer', 'ledger_registrar', 'ledger_custodian')
               and p.prosrc !~ 'ledger\.(lock_(principal|in_common|whole)|coin_missing)\('"""
    )
    assert {name for (name,) in unguarded} == {"cut", "sweep_due"}


def test_the_first_write_of_a_day_makes_the_cut_and_is_repeated(database, settings_for):
    from ledger.service.ledger import Ledger

    database.day(TODAY)
    with Ledger.open(settings_for(database)) as ledger:
        ann, ben = ledger.principal("ann"), ledger.principal("ben")
        said = [Candidate("kids", "I want two kids")]
        ann.capture("I want two kids", TODAY, said)
        database.day(TOMORROW, cut=False)
        ben.capture("I want two kids", TOMORROW, said)
        day, number = cut(database)
        assert day == TOMORROW
        assert written(database, ann.id) < number < written(database, ben.id)


def test_a_sweep_that_comes_first_makes_the_cut(database, settings_for):
    from ledger.service.ledger import Ledger

    database.day(TODAY)
    with Ledger.open(settings_for(database)) as ledger:
        database.day(TOMORROW, cut=False)
        ledger.run(sweeps.sweep())
        assert cut(database)[0] == TOMORROW
        assert ledger.run(sweeps.is_done_today())


def test_a_day_has_one_cut_whoever_asks_and_how_many_at_once(begun):
    begun.day(TOMORROW, cut=False)
    surfaces = [begun.another().surface(surface) for surface in Surface for _ in range(3)]
    with ThreadPoolExecutor(len(surfaces)) as pool:
        days = list(pool.map(lambda one: one.execute("select ledger.cut()").fetchone(), surfaces))
    first = cut(begun)
    assert set(days) == {(TOMORROW,)}
    for surface in surfaces:
        surface.execute("select ledger.cut()")
    assert cut(begun) == first


def test_a_write_that_waits_over_midnight_comes_after_the_cut_or_not_at_all(begun):
    """It took its day before it had the lock: the day that it would write is over by then."""
    waiting = begun.surface(Surface.CAPTURE)
    with begun.another().installer as other, other.transaction():
        other.execute("set local role ledger_custodian")
        other.execute("select ledger.lock_whole()")
        with ThreadPoolExecutor(1) as pool:
            late = pool.submit(
                waiting.execute, "select * from ledger.topics_for('{late}', true, %s)", (TODAY,)
            )
            while begun.rows("select count(*) from pg_locks where locktype = 'advisory' and not granted") == [
                (0,)
            ]:
                assert not late.done()
            other.execute("reset role")
            other.execute(
                "update ledger.sweep_mark set cut_on = %s, cut_at = pg_current_xact_id()", (TOMORROW,)
            )
            other.execute("commit")
            with pytest.raises(psycopg.Error) as refused:
                late.result()
    assert refused.value.sqlstate == NO_CUT


def test_a_transaction_that_had_its_number_before_the_cut_writes_nothing_after_it(begun):
    """Its rows would carry the number of the day before."""
    begun.installer.execute("grant execute on function pg_current_xact_id() to ledger_capture")
    capture = begun.surface(Surface.CAPTURE)
    capture.execute("begin")
    capture.execute("select pg_current_xact_id()")
    begun.day(TOMORROW)
    with pytest.raises(psycopg.Error) as refused:
        capture.execute("select * from ledger.topics_for('{late}', true, %s)", (TOMORROW,))
    assert refused.value.sqlstate == NO_CUT


def test_a_transaction_that_began_on_the_day_before_cuts_nothing(begun):
    """Its day is yesterday: it would take the cut back there, and the next write would cut the day a second time."""
    old = begun.surface(Surface.AGENT)
    old.execute("begin")
    old.execute("select pg_sleep(1.1)")
    begun.day(TOMORROW)
    begun.keep(BEN, TOMORROW, {"kids": "none"})
    stood = cut(begun)
    with pytest.raises(psycopg.Error) as refused:
        old.execute("select ledger.cut()")
    assert refused.value.sqlstate == NO_CUT
    assert cut(begun) == stood


def test_a_cut_that_waited_over_midnight_leaves_that_of_the_new_day(begun):
    begun.day(TODAY + timedelta(days=1), cut=False)
    waiting = begun.another().surface(Surface.SWEEPER)
    with begun.another().installer as other, other.transaction():
        other.execute("select pg_advisory_xact_lock(hashtextextended('ledger.whole', 0))")
        with ThreadPoolExecutor(1) as pool:
            late = pool.submit(waiting.execute, "select ledger.cut()")
            while begun.rows("select count(*) from pg_locks where locktype = 'advisory' and not granted") == [
                (0,)
            ]:
                assert not late.done()
            later = TODAY + timedelta(days=2)
            other.execute("update ledger.sweep_mark set cut_on = %s, cut_at = pg_current_xact_id()", (later,))
            other.execute("commit")
            assert late.result().fetchone() == (later,)
    assert cut(begun)[0] == later


def test_a_clock_that_is_put_back_is_followed(begun):
    begun.day(TODAY + timedelta(days=4000))
    begun.keep(ANN, TODAY, {"pets": "a cat"})
    begun.day(TODAY)
    begun.keep(BEN, TODAY, {"kids": "none"})
    assert cut(begun)[0] == TODAY


def test_a_cut_that_never_comes_is_told_as_a_thing_that_passes(database, settings_for):
    from ledger.service.ledger import Ledger

    database.day(TODAY)
    with Ledger.open(settings_for(database)) as ledger:
        database.installer.execute(
            "create or replace function ledger.refuse_before_the_cut() returns void language plpgsql as "
            "$$ begin raise exception 'no' using errcode = 'LG009'; end $$"
        )
        with pytest.raises(Unavailable):
            ledger.principal("ann").capture("I want two kids", TODAY, [Candidate("kids", "I want two kids")])


def test_the_cut_writes_no_row_of_anybody(begun):
    tables = [table for table in expected.COLUMNS if table != "sweep_mark"]
    before = {
        table: begun.rows(f"select xmin::text, t::text from ledger.{table} t order by 2") for table in tables
    }
    begun.day(TOMORROW)
    assert before == {
        table: begun.rows(f"select xmin::text, t::text from ledger.{table} t order by 2") for table in tables
    }
