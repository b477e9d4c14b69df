"""Every file, folder and heading that a page names is there."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
PATH = re.compile(r"`((?:src|schema|tests|docs|benchmarks|requirements)/[\w./-]*)(?:::\w+)?`")
HEADING_LINK = re.compile(r"\]\((?!https?://)([^)#\s]*)#([^)\s]+)\)")


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub makes them."""
    text = re.sub(r"```.*?```", "", page.read_text("utf-8"), flags=re.S)
    plain = [re.sub(r"[`*]|\]\([^)]*\)|\[", "", heading) for heading in re.findall(r"^#+ (.+)$", text, re.M)]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


def is_there(path: str) -> bool:
    """A file, a folder, or a module without its suffix."""
    return (ROOT / path).exists() or (ROOT / f"{path}.py").exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_heading_that_is_linked_to_is_there(page):
    lost = [
        f"{file}#{anchor}"
        for file, anchor in HEADING_LINK.findall(page.read_text("utf-8"))
        if anchor not in anchors((page.parent / file).resolve() if file else page)
    ]
    assert lost == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_path_that_is_named_is_there(page):
    assert [path for path in PATH.findall(page.read_text("utf-8")) if not is_there(path)] == []


def test_the_map_names_files_of_every_layer():
    named = set(PATH.findall((ROOT / "docs" / "architecture.md").read_text("utf-8")))
    packages = {path.parent.name for path in (ROOT / "src" / "ledger").glob("*/__init__.py")}
    assert len(packages) > 8
    assert [one for one in packages if not any(path.startswith(f"src/ledger/{one}") for path in named)] == []


def test_the_map_shows_the_layers_that_are_checked():
    checks = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    (layers,) = (contract["layers"] for contract in checks["contracts"] if contract["type"] == "layers")
    shown = " -> ".join(layer.replace("ledger.", "").replace(" | ", ", ") for layer in layers)
    assert f"\n{shown}\n" in (ROOT / "docs" / "architecture.md").read_text("utf-8")
