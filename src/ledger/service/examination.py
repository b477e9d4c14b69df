"""The examination of a whole deployment: its database, the way to it, and its key files."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path

import psycopg

from ledger.db import inspection, logins
from ledger.db.inspection import Finding, notices, pooling
from ledger.service.deployment import Deployment
from ledger.settings import ENV_FILE, PREFIX

__all__ = ["Finding", "examination"]

_SECRET = ("PEPPER", "DATABASE_URL")


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
    found += _keys(deployment)
    return found


def _keys(deployment: Deployment) -> Iterator[Finding]:
    yield Finding("pepper", True, "that of this database")
    folder = deployment.settings.data_dir / "keys"
    for path in [folder, *sorted(folder.iterdir())] if folder.exists() else []:
        yield _closed(str(path.relative_to(folder.parent)), path)
    beside = Path(ENV_FILE)
    if beside.is_file() and any(PREFIX + name in beside.read_text("utf-8", "replace") for name in _SECRET):
        yield _closed(ENV_FILE, beside.resolve())
    yield _apart(deployment, folder)


def _closed(name: str, path: Path) -> Finding:
    mode = stat.S_IMODE(path.stat().st_mode)
    closed = not mode & 0o077
    seen = f"{'its owner alone' if closed else 'others too'} ({mode:04o})"
    return Finding(f"who may use {name}", closed, seen, f"chmod go-rwx {path}")


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
