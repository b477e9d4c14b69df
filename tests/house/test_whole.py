"""The repository is whole in itself: a clone needs nothing that is beside it."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BESIDE = re.compile(r"\.\./shared|[\"']shared[\"']")


def files(*folders: str) -> list[Path]:
    return [
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*")
        if path.is_file()
        and path.suffix in (".py", ".sql", ".toml", ".yaml", ".md")
        and path != Path(__file__)
    ]


def test_only_benchmarks_read_what_is_beside_the_repository():
    assert len(files("src", "schema", "tests")) > 250
    beside = [path for path in files("src", "schema", "tests") if BESIDE.search(path.read_text("utf-8"))]
    assert beside == []
    assert any(BESIDE.search(path.read_text("utf-8")) for path in files("benchmarks"))
