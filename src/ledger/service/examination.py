"""The examination of a whole deployment: its database, the way to it, and what lies on the disk beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psycopg

from ledger.db import inspection, logins
from ledger.db.inspection import Finding, notices, pooling
from ledger.errors import LedgerError
from ledger.service import folders
from ledger.service.deployment import Deployment, installer
from ledger.settings import Settings

__all__ = ["Finding", "closed", "examination"]


def examination(deployment: Deployment) -> list[Finding]:
    """Everything that was looked at: the database as its installer sees it, the way there, then the keys. An open
    deployment's pepper has been compared with the database's proof, or it would not be open."""
    assert deployment.installer is not None  # noqa: S101 - the caller has looked
    try:
        found = inspection.findings(deployment.installer)
    except psycopg.OperationalError as error:  # the surfaces get in without the installer's password
        raise logins.explained(error) from None
    found += pooling.findings(deployment.logins, prepared_statements=deployment.settings.prepared_statements)
    found += notices.findings(deployment.installer, deployment.context.notices)
    found.append(Finding("pepper", True, "that of this database"))
    found += folders.findings(deployment.settings.data_dir, Path())
    found.append(_apart(deployment, deployment.settings.data_dir / "keys"))
    found += _record(deployment)
    return found


def closed(settings: Settings, error: LedgerError) -> list[Finding]:
    """The same of a deployment that does not open, as far as its database is to be reached: what keeps it from opening may be
    among it. Raises `error` where it is not."""
    conninfo = installer(settings)
    if conninfo is None:
        raise error
    try:
        found = inspection.findings(conninfo)
    except psycopg.Error:
        raise error from None
    return [
        *found,
        Finding(
            "whether the ledger opens", False, "it does not", "mend what stands beside this, then look again"
        ),
    ]


def _record(deployment: Deployment) -> Iterator[Finding]:
    """What tells that the database came back from a backup, and whether it would come back with it."""
    about = "record of what was taken away"
    if deployment.compared is None or deployment.context.record is None:
        yield Finding(
            about,
            False,
            "none: a restored backup would show what was revoked or erased since",
            "name a place in LEDGER_TAKEN_URL or LEDGER_TAKEN_DIR (docs/operations/restore.md)",
        )
        return
    place = deployment.context.record.store.place
    if deployment.compared.missing:
        todo = "put it back there, or run: answer-ledger reconcile --without-record"
        yield Finding(about, False, f"gone from {place}", todo)
        return
    lost = len(deployment.compared.lost)
    seen = f"ahead of the database by {lost}: agents get nothing" if lost else place
    yield Finding(about, not lost, seen, "answer-ledger reconcile")
    assert deployment.installer is not None  # noqa: S101 - as above
    settings = deployment.settings
    if settings.taken_url is not None:
        same = _server(settings.taken_url.get_secret_value()) == _server(deployment.installer)
        yield Finding("where the record lies", not same, "in the ledger's own cluster" if same else "in another cluster",
                      "move it to another cluster: it would be restored with the database")  # fmt: skip
    else:
        yield Finding("where the record lies", True, "on this machine",
                      "do not put it back with the database, as a whole disk would (docs/operations/restore.md)", residue=True)  # fmt: skip


def _server(conninfo: str) -> object:
    with psycopg.connect(conninfo, autocommit=True) as connection:
        try:
            return connection.execute("select system_identifier from pg_control_system()").fetchone()
        except psycopg.errors.InsufficientPrivilege:
            return connection.info.host, connection.info.port


def _apart(deployment: Deployment, folder: Path) -> Finding:
    """Whoever holds the keys and the database can tell whose answers are whose."""
    about = "where pepper and keys lie"
    data = _data_directory(deployment)
    if data is not None and folder.resolve().is_relative_to(data):
        return Finding(
            about, False, f"{folder}, in the database's own folder", "move LEDGER_DATA_DIR out of it"
        )
    if deployment.server is not None:
        return Finding(
            about,
            True,
            f"{folder}, beside the database",
            "make two backups, and keep them in two places (docs/operations/embedded.md)",
            residue=True,
        )
    return Finding(about, True, str(folder), "")


def _data_directory(deployment: Deployment) -> Path | None:
    """Where the server keeps its files, if it says so and they lie on this machine."""
    assert deployment.installer is not None  # noqa: S101 - as above
    with psycopg.connect(deployment.installer, autocommit=True) as connection:
        row = connection.execute("select setting from pg_settings where name = 'data_directory'").fetchone()
    if row is None or not row[0] or not Path(row[0]).exists():
        return None
    return Path(row[0]).resolve()
