"""The page of the proof tells what is masked: no less, and no more."""

from __future__ import annotations

import re
from pathlib import Path

from ledger.db.remains import LEFT_OUT
from ledger.proof import comparison

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "operations" / "prove.md").read_text("utf-8")
MASKED = PAGE.partition("### What is masked, and why")[2].partition("\n#")[0]


def test_every_column_that_is_left_out_is_on_the_page_and_no_other():
    told = {
        (catalog, column)
        for row in MASKED.splitlines()
        for catalog, columns in re.findall(r"`(pg_\w+)`: ((?:`\w+`(?:, )?)+)", row.partition(" | ")[0])
        for column in re.findall(r"`(\w+)`", columns)
    }
    assert told == {(catalog, column) for catalog, columns in LEFT_OUT.items() for column in columns}


def test_every_mask_and_every_figure_of_latency_is_on_the_page():
    for name in (*(mask.name for mask in comparison.MASKS), *comparison.LATENCY):
        assert f"`{name}`" in MASKED
