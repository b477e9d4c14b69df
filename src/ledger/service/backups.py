"""A backup in a folder, and a ledger out of it.

The folder holds the rows of the database and a copy of the record, never the keys: whoever has both can tell whose answers
are whose. A restore makes a ledger in an empty place, unites the copy with the record that is there, which is never
overwritten, and reconciles before anybody is served.

Source: docs/operations/backup.md.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from uuid import UUID

from ledger import private
from ledger.core.record import NOBODY, Taken
from ledger.core.store import Head
from ledger.db import backups as db
from ledger.db.connections import Connections
from ledger.db.migrations import HEAD
from ledger.db.operation import UseCase, Work
from ledger.errors import SetupError, WrongPepper
from ledger.identity import Identity
from ledger.keys import Keys
from ledger.record.file import FileStore
from ledger.record.keeping import Record
from ledger.service import deployment as deployments
from ledger.service.deployment import Deployment
from ledger.service.reconciling import Reconciled, reconcile
from ledger.settings import Settings

ROWS, RECORD = "rows.jsonl", "record"
_FORM = "answer-ledger backup 1"


@dataclass(frozen=True, slots=True)
class Backup:
    """`rows` of the database. `recorded`: rows of the record; None: none is kept."""

    rows: int
    recorded: int | None


def backup(deployment: Deployment, folder: Path) -> Backup:
    """Writes a backup into a folder that is made for it, while the ledger runs. Raises SetupError, Unavailable."""
    if deployment.installer is None:
        raise SetupError("backup works as the installer: give --database or LEDGER_DATABASE_URL.")
    folder = folder.absolute()
    if folder.exists() and any(folder.iterdir()):
        raise SetupError(f"{folder} is not empty. Name a folder for this backup alone.")
    draft = folder.with_name(f".{folder.name}.part")
    with private.explained(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        if draft.exists():
            shutil.rmtree(draft)
        draft.mkdir(mode=0o700)
        n = _write(draft / ROWS, deployment.installer)
        recorded = _copy(draft / RECORD, deployment.context.record)
        private.sync(draft)
        if folder.exists():
            folder.rmdir()
        draft.rename(folder)
        private.sync(folder.parent)
    return Backup(n, recorded)


def restore(settings: Settings, folder: Path) -> tuple[int, Reconciled]:
    """Makes a ledger out of a backup, in an empty place, and reconciles it. Gives how many rows there were, and what was
    taken away since. Raises SetupError, Unavailable."""
    lines = _read(folder / ROWS)
    head = next(lines)
    if head.get("form") != _FORM or head.get("revision") != HEAD:
        raise SetupError(
            "This backup is of another release. Restore it with that one, then bring the database here."
        )
    first = next(lines)
    deployment = _opened(settings, first["row"]["pepper_proof"])
    try:
        assert deployment.installer is not None  # noqa: S101 - `_opened` has looked
        if not db.is_empty(deployment.installer):
            raise SetupError(
                "There is a ledger here already. Restore into an empty database or data directory."
            )
        n = db.load(deployment.installer, _all(first, lines))
        record = deployment.context.record
        if record is not None and (folder / RECORD).is_dir():
            copy = FileStore(folder / RECORD)
            rows = [*copy.rows(NOBODY, None), *copy.registry()]
            connections = Connections(deployment.logins, deployment.settings)
            try:
                connections.run(_united(record, rows))
            finally:
                connections.close()
        done = Reconciled() if record is None else reconcile(deployment)
        if record is None:
            _serve_again(deployment)
        return n, done
    finally:
        deployment.close()


def _opened(settings: Settings, proof: str | None) -> Deployment:
    pepper = settings.data_dir / "keys" / "pepper"
    if settings.pepper is None and not pepper.exists():
        raise SetupError(
            f"Put the keys back first: they are in a backup of their own, and {pepper} is not there. Without the pepper "
            "nobody's answers are found again."
        )
    keys = Keys.open(settings.data_dir, settings)
    identity = Identity(keys.pepper, settings.tenant)
    if proof not in (None, str(identity.proof())):
        raise WrongPepper(
            "This backup was made with another pepper: nobody's rows would be found. Put that one back first."
        )
    url = deployments.installer(settings)
    if url is not None:
        deployments.migrate(url, settings)
    deployment = Deployment.open(settings)
    if deployment.installer is None:
        deployment.close()
        raise SetupError("restore works as the installer: give --database or LEDGER_DATABASE_URL.")
    return deployment


def _united(record: Record, rows: list[Taken]) -> UseCase[None]:
    lock = yield from record.locked()
    try:
        yield Work(partial(record.store.unite, rows))
    finally:
        lock.release()


def _serve_again(deployment: Deployment) -> None:
    from ledger.db import record as records

    connections = Connections(deployment.logins, deployment.settings)
    try:
        connections.execute(records.set_ahead(False))
    finally:
        connections.close()


def _write(path: Path, installer: str) -> int:
    n = 0
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
        file.write(json.dumps({"form": _FORM, "revision": HEAD}) + "\n")
        for line in db.dump(installer):
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
            n += line["table"] != "setting"
        file.flush()
        os.fsync(file.fileno())
    return n


def _copy(folder: Path, record: Record | None) -> int | None:
    if record is None:
        return None
    head = record.store.head()
    if head is None:
        return None
    rows = [*record.store.rows(NOBODY, None), *record.store.registry()]
    copy = FileStore(folder)
    copy.begin(Head(head.proof, UUID(int=0)))
    copy.unite(rows)
    return len(rows)


def _read(path: Path) -> Iterator[dict[str, Any]]:
    with private.explained(path), path.open(encoding="utf-8") as file:
        for line in file:
            try:
                yield json.loads(line)
            except ValueError:
                raise SetupError(f"{path} is damaged. Take another backup.") from None


def _all(first: dict[str, Any], lines: Iterator[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    yield first
    yield from lines
