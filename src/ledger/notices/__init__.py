"""The notices that consent refers to: texts that a person is shown, each under a version, one file a language.

`v1.en.md` comes with the ledger; a deployment puts its own into a folder (LEDGER_NOTICES_DIR). A decision is stored
with the version of its notice. That is the one text in a row of consent that comes from outside, so nothing is taken
for a version that is not the name of a file here: a caller can't write down when or where a person decided.

Source: DESIGN section 4; schema/02_tables.sql (consent).
"""

from __future__ import annotations

import re
from pathlib import Path

from ledger.errors import SetupError

SHIPPED = Path(__file__).parent

# Small letters and digits, parted by single signs; at most 16 characters, no five digits in a row, eight digits in all: a day
# fits (2026-06-01), and no instant beside it, no telephone or serial number and no id. SQL holds the same.
VERSION = r"(?=.{1,16}$)(?!.*[0-9]{5})(?!(.*[0-9]){9})[a-z0-9]+([._-][a-z0-9]+)*"
_IS_VERSION = re.compile(VERSION)
_NAME = re.compile(r"(?P<version>.+)\.(?P<language>[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*)\.md")


def versions(folder: Path | None = None) -> frozenset[str]:
    """The versions there are files of: those that ship, and those of the folder. Raises SetupError where it is not in order."""
    found = _of(SHIPPED)
    if folder is None:
        return found
    try:
        return found | _of(folder)
    except OSError:
        raise SetupError(f"{folder} (LEDGER_NOTICES_DIR) can't be read.") from None


def _of(folder: Path) -> frozenset[str]:
    """Files that are no notices, such as pictures, are left alone; a notice that nobody could refer to is told of."""
    return frozenset(_version(path) for path in folder.iterdir() if path.suffix == ".md" and path.is_file())


def _version(path: Path) -> str:
    name = _NAME.fullmatch(path.name)
    if name is None or not _IS_VERSION.fullmatch(name["version"]):
        raise SetupError(
            f"{path} (LEDGER_NOTICES_DIR) must be named <version>.<language>.md, such as v2.en.md; a version has at most 16 small "
            "letters, digits and single . _ - between them, and at most 8 digits, 4 in a row."
        )
    if not path.read_bytes().strip():
        raise SetupError(
            f"{path} (LEDGER_NOTICES_DIR) is empty: there is nothing that a person could be shown."
        )
    return name["version"]
