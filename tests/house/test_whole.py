"""The repository is whole in itself: a clone needs nothing that is beside it."""

from __future__ import annotations

import ast
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


LACKING = re.compile(r"root|/proc|file system|namespace|PgBouncer|PostgreSQL|pg_dump|the wheel's|other users")


def reasons() -> list[str]:
    """Why tests are skipped: what each `pytest.skip` and `skipif` gives as its reason, a constant by its text."""
    texts = [path.read_text("utf-8") for path in (ROOT / "tests").rglob("*.py")]
    constants = dict(re.findall(r'^([A-Z_]+) = (".*")$', "\n".join(texts), re.M))
    trees = [ast.parse(text) for text in texts if "pytest.skip(" in text or "pytest.mark.skip" in text]
    given = []
    for call in (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)):
        name = ast.unparse(call.func)
        if name == "pytest.skip":
            given += [ast.unparse(call.args[0])]
        elif name in ("pytest.mark.skipif", "pytest.mark.skip"):
            given += [ast.unparse(word.value) for word in call.keywords if word.arg == "reason"] or [name]
    return [constants.get(reason, reason) for reason in given]


def test_a_test_is_skipped_only_for_what_the_machine_lacks():
    given = reasons()
    assert len(given) > 10
    assert [reason for reason in given if not LACKING.search(reason)] == []
