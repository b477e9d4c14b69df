"""The attack on a play of the real application."""

from __future__ import annotations

import json

from ledger.proof import siege
from ledger.service import replay

from .breaking import rewritten

JUDGED = ("tables and system columns after the sweep", "logs, figures and what was printed")


def test_nothing_is_won_from_what_lasts_and_the_attackers_are_awake(stage):
    lines = list(siege.of_histories(stage, seed=7, people=40))
    assert [one.about for one in lines if one.well is False] == []
    assert {
        one.about.removeprefix("an attacker's advantage from ")
        for one in lines
        if one.of == "G1" and one.well
    } == set(JUDGED)
    assert [one.of for one in lines if one.well is None].count("residue") == 3
    # the threshold stands on the page, and beside each advantage what it comes to
    assert "once in 1,000 times" in lines[0].seen and "The dates alone give +" in lines[1].seen
    assert all("chance gives up to +" in one.seen for one in lines[2:])


def test_transcripts_are_attacked_too(stage, tmp_path):
    """One principal who told two counterparties of one domain each, in turn."""
    told = tmp_path / "told.jsonl"
    said = {
        "lake": "I swim in cold lakes",
        "choir": "I sing in a small choir",
        "chess": "I play chess by mail",
        "roof": "I mend my roof",
    }
    with told.open("w", encoding="utf-8") as out:
        for who in range(30):
            for n, (topic, sentence) in enumerate(said.items()):
                out.write(
                    json.dumps({
                        "principal": f"p{who}", "thread": f"t{n // 2}", "said_on": None, "question": None,
                        "message": sentence, "answers": [{"topic": topic, "span": sentence}],
                    }) + "\n"
                )  # fmt: skip
    lines, broken = replay.read([told])
    assert broken == []
    page = list(siege.of_transcripts(stage, lines))
    assert [one.about for one in page if one.well is False] == []
    assert "120 answers of 30 principals" in page[0].seen


def test_a_number_that_counts_is_found_by_an_attacker(broken):
    """The sweep stamps a row anew and leaves its number."""
    upsert = """
    begin
      delete from ledger.entry e where e.principal = p and e.topic = any (gone);
      insert into ledger.entry (principal, topic, answer, as_of)
      select p, n.topic, n.answer, day from unnest(topics, answers) as n(topic, answer)
      on conflict (principal, topic) do update set answer = excluded.answer, as_of = excluded.as_of;
    end"""
    counted = broken(
        "alter table ledger.entry add column n bigserial",
        "grant update on ledger.entry to ledger_writer",
        "grant usage on all sequences in schema ledger to ledger_writer, ledger_custodian",
        rewritten("lay_entries", upsert),
    )
    lines = list(siege.of_histories(counted, seed=7, people=60))
    (line,) = [one for one in lines if one.well is False]
    assert JUDGED[0] in line.about
    assert "n in ledger.entry" in line.seen
