"""The proof fails when the promise is broken: each of these breaks the database in one place, and `prove` must see it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ledger.proof.prove import Section, prove

from .breaking import failed, failures, redefined, rewritten, small

HISTORIES, WALL, STANDING = Section.HISTORIES, Section.WALL, Section.STANDING

# Each of them alone would make up for the lack of the other.
NOT_WRITTEN_ANEW = rewritten("sweep_rewrite", "begin end")
LAID_ONCE = redefined("lay_behind", "1..32", "1..1")


def test_nothing_fails_where_nothing_is_broken(stage):
    every = tuple(section for section in Section if section is not Section.DOORS)
    assert failures(prove(stage, replace(small(*every), attacked=12))) == {}


def test_a_timestamp_column(broken):
    page = prove(
        broken("alter table ledger.entry add column written_at timestamptz default clock_timestamp()"),
        small(HISTORIES, WALL),
    )
    assert "entry.written_at" in failed(page, "doctor looks at")
    assert "rows of ledger.entry" in failed(page, "leaves the same behind")


def test_a_bigserial(broken):
    page = prove(
        broken(
            "alter table ledger.entry add column n bigserial",
            "grant usage on all sequences in schema ledger to ledger_writer, ledger_custodian",
        ),
        small(HISTORIES, WALL),
    )
    assert "entry.n" in failed(page, "doctor looks at")
    assert "rows of ledger.entry" in failed(page, "leaves the same behind")


def test_a_policy_dropped(broken):
    page = prove(broken("drop policy content on ledger.entry"), small(WALL))
    assert "entry.content" in failed(page, "doctor looks at")
    assert "recall told of nothing" in failed(page, "what agents see")


def test_a_setting_that_outlives_its_transaction(broken):
    page = prove(broken(redefined("name_for_agent", "p::text, true)", "p::text, false)")), small(WALL))
    assert "ledger.principal" in failed(page, "no pooled connection")
    assert "name_for_agent" in failed(page, "doctor looks at")


@pytest.mark.parametrize(
    ("function", "old", "new"),
    [
        ("coverage", "else t.listed and t.handling = 'open'", "else t.listed"),
        ("coverage", "where c.freshness <> 'dropped'", "where true"),
        ("recall", "and (t.listed or not all_listed)", ""),
    ],
    ids=["of handling", "of age", "of listing"],
)
def test_a_function_without_its_predicate(broken, function, old, new):
    page = prove(broken(redefined(function, old, new)), small(WALL))
    assert function in failed(page, "what agents see")


def test_an_upsert_that_keeps_old_xmins(broken):
    upsert = """
    begin
      delete from ledger.entry e where e.principal = p and e.topic = any (gone);
      insert into ledger.entry (principal, topic, answer, as_of)
      select p, n.topic, n.answer, day from unnest(topics, answers) as n(topic, answer)
      on conflict (principal, topic) do update set answer = excluded.answer, as_of = excluded.as_of;
    end"""
    grant = "grant update on ledger.entry to ledger_writer;"
    page = prove(broken(grant + rewritten("lay_entries", upsert)), small(HISTORIES))
    assert "xmins" in failed(page, "one xmin")


def test_a_foreign_key_to_the_registry(broken):
    page = prove(
        broken("alter table ledger.entry add foreign key (topic) references ledger.topic"),
        small(HISTORIES, WALL),
    )
    assert "entry_topic_fkey" in failed(page, "doctor looks at")
    assert "ledger.topic carry another's xmax" in failed(page, "no lock is left")


def test_a_sweep_that_stamps_rows_in_the_order_of_writing(broken):
    """Each principal's rows lie in key order; the principals do not."""
    crowd = replace(small(HISTORIES), worlds=(3,), people=50)
    page = prove(
        broken(NOT_WRITTEN_ANEW, redefined("lay_behind", "taken order by %2$s", "taken"), LAID_ONCE), crowd
    )
    assert "principals of ledger.audit" in failed(page, "no order of writing")


def test_a_sweep_that_lays_rows_where_there_is_room(broken):
    """In key order, but into the holes that the day has left: one of them was whose who wrote last."""
    page = prove(broken(NOT_WRITTEN_ANEW, LAID_ONCE), replace(small(HISTORIES), worlds=range(6)))
    assert "order on disk of ledger." in failed(page, "leaves the same behind")


def test_a_barrier_that_goes_with_the_default_window(broken):
    """Though a topic keeps answers for longer."""
    default = (
        "begin return ledger.today() - (select s.drop_after from ledger.setting s where s.only_row); end"
    )
    page = prove(broken(rewritten("oldest_day", default)), small(STANDING))
    assert failed(page, "what was deleted comes back").startswith("541 days later car is back")


def test_an_older_capture_that_replaces_a_newer_answer_that_waits(broken):
    page = prove(broken(redefined("capture", "or old.waits_since > day", "")), small(STANDING))
    assert "income_proof: of captures said 0, 5, 9 days ago" in failed(page, "the newest answer stands")


def test_an_older_capture_that_replaces_a_newer_answer(broken):
    page = prove(broken(redefined("capture", "or old.as_of > day", "")), small(STANDING))
    assert "car: of captures said 0, 5, 9 days ago" in failed(page, "the newest answer stands")


def test_a_coining_that_coins_an_alias(broken):
    known = "not exists (select from ledger.topic_alias a where a.alias = k)"
    coining = redefined("coin_missing", known, "true")
    page = prove(broken(coining), small(STANDING))
    assert "the alias payslips is a topic of its own" in failed(page, "an alias stays")


def test_a_write_that_ignores_the_cut(broken):
    """The day is then cut by its first sweep, at whatever hour that comes."""
    noon = replace(small(HISTORIES), worlds=(3,))
    page = prove(broken(rewritten("refuse_before_the_cut", "begin end")), noon)
    assert "xmin and xmax in ledger.entry" in failed(page, "leaves the same behind")


def test_a_late_write_that_ignores_the_cut(broken):
    """It began before midnight, and looks for the cut before it waits for its lock."""
    hasty = """
    begin
      perform ledger.refuse_old_view();
      perform ledger.refuse_before_the_cut();
      perform pg_advisory_xact_lock_shared(hashtextextended('ledger.whole', 0));
    end"""
    page = prove(broken(rewritten("lock_in_common", hasty)), small(STANDING))
    assert "the day before" in failed(page, "began before midnight")


def test_a_sweep_that_stamps_rows_of_today(broken):
    """As if each sweep closed its day."""
    parting = redefined("sweep_restamp", "select m.cut_at,", "select pg_current_xact_id() as cut_at,")
    page = prove(broken(parting), replace(small(HISTORIES), worlds=(3,)))
    assert "xmin and xmax in ledger." in failed(page, "leaves the same behind")
