"""The wheel and the sdist hold everything that the program needs, and work in an empty environment."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was made of it."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT],
        check=True,
        capture_output=True,
    )
    return folder


def test_the_wheel_holds_schema_languages_packs_and_licences(built):
    (wheel,) = built.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    wanted = {
        f"ledger/schema/{path.relative_to(ROOT / 'schema')}"
        for path in (ROOT / "schema").rglob("*")
        if path.suffix in (".sql", ".py", ".sha256")
    }
    wanted |= {
        f"ledger/{path.relative_to(ROOT / 'src' / 'ledger')}"
        for folder in ("languages", "packs", "notices")
        for path in (ROOT / "src" / "ledger" / folder).iterdir()
        if path.is_file()
    }
    assert wanted <= names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert any(name.endswith("licenses/NOTICE") for name in names)
    assert "ledger/py.typed" in names


def test_the_sdist_holds_the_tests_and_the_docs(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "Makefile",
        "README.md",
        "schema/02_tables.sql",
        "tests/conftest.py",
        "docs/threat-model.md",
    } <= names


def test_the_wheel_works_in_an_environment_with_nothing_else(built, tmp_path):
    venv.create(tmp_path / "venv", with_pip=False, symlinks=True)
    python = tmp_path / "venv" / "bin" / "python"
    (wheel,) = built.glob("*.whl")
    # What it depends on is lent from the environment of the tests, so that nothing is downloaded; the ledger
    # itself comes from the wheel alone, unpacked, outside of the checkout.
    site = next((tmp_path / "venv" / "lib").glob("python*")) / "site-packages"
    shutil.unpack_archive(wheel, site, "zip")
    lent = next(Path(path) for path in sys.path if path.endswith("site-packages"))
    (site / "lent.pth").write_text(str(lent), "utf-8")
    program = (
        "import ledger, sys; from ledger import Ledger, Candidate; from datetime import date\n"
        f"assert ledger.__file__.startswith({str(site)!r}), ledger.__file__\n"
        "with Ledger.open() as opened:\n"
        "    person = opened.principal('ann')\n"
        "    (outcome,) = person.capture('I want two kids', date.today(), [Candidate('kids', 'I want two kids')])\n"
        "    print(outcome.verdict.answer)\n"
    )
    done = subprocess.run(
        [python, "-c", program],
        cwd=tmp_path,
        env={"LEDGER_DATA_DIR": str(tmp_path / "data"), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "I want two kids\n", done.stderr
