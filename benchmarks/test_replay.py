"""Real telephone talk, replayed: what the ledger would have spared the people who were asked again."""

from __future__ import annotations

from pathlib import Path

from benchmarks.gate import DATA
from ledger import Ledger
from ledger.service import replay


def test_real_telephone_talk(tmp_path: Path) -> None:
    lines, broken = replay.read([DATA / "switchboard.jsonl"])
    with Ledger.open(data_dir=tmp_path / "data") as ledger:
        report = replay.play(ledger, [one for one in lines if one.answers])
    assert broken == report.broken == []
    assert report.captures["accepted"] > 0.95 * sum(report.captures.values())
    assert report.asked_again > 30
    assert 0.8 * report.asked_again < report.spared["topics"] <= report.spared["full"] <= report.asked_again
