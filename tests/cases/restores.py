"""A backup, and a start upon what it brings back, as docs/operations tells both."""

from __future__ import annotations

import subprocess
from tempfile import NamedTemporaryFile

from ledger.embedded import binaries

from .collection import Step
from .facts import OK, Facts
from .world import World


def backup(world: World, step: Step) -> Facts:
    """A dump of the database, made while the ledger runs. The keys stay where they are."""
    world.kept["dump"] = dump = NamedTemporaryFile(suffix=".dump")  # noqa: SIM115 - closed with the case
    program("pg_dump", "--format=custom", f"--dbname={world.database.conninfo}", f"--file={dump.name}")
    return OK


def restore_and_start(world: World, step: Step) -> Facts:
    world.close()
    dump = world.kept["dump"].name
    program("pg_restore", "--clean", "--if-exists", f"--dbname={world.database.conninfo}", dump)
    world.start_again()
    return OK


def program(name: str, *words: str) -> None:
    subprocess.run([binaries.find().folder / name, *words], check=True, capture_output=True)
