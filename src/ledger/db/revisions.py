"""The revisions of schema/migrations as Alembic orders and records them (`ledger.version`).

Apart from `migrations`, since Alembic and SQLAlchemy take half a second to load and a database that is of this release
needs neither.

Source: schema/migrations; decision 0004.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import psycopg
from alembic.config import Config
from alembic.runtime.environment import EnvironmentContext
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import create_engine
from sqlalchemy.pool import NullPool

from ledger.errors import SchemaTooNew


def newest(folder: Path) -> str | None:
    """The revision that no other follows; None for an empty folder."""
    return _scripts(folder).get_current_head()


def refuse_stranger(folder: Path, found: str) -> None:
    """Raises SchemaTooNew for a revision that is none of the folder's."""
    try:
        _scripts(folder).get_revision(found)
    except CommandError:
        raise SchemaTooNew(
            "This database was set up by a newer release of the ledger. Start that release, or a newer one."
        ) from None


def upgrade(folder: Path, conninfo: str) -> list[str]:
    """Runs what has not run yet, in one transaction, and gives the revisions. Raises SchemaTooNew, psycopg.Error."""
    ran: list[str] = []
    engine = create_engine(
        "postgresql+psycopg://", creator=lambda: psycopg.connect(conninfo), poolclass=NullPool
    )
    scripts = _scripts(folder)

    def steps(revision: Any, context: Any) -> Any:
        if revision:
            refuse_stranger(folder, revision)
        found = scripts._upgrade_revs("head", revision)
        ran.extend(step.revision.revision for step in found)
        return found

    with EnvironmentContext(Config(), scripts, fn=steps) as environment, engine.connect() as alchemy:
        environment.configure(connection=alchemy, version_table="version", version_table_schema="ledger")
        with environment.begin_transaction():
            alchemy.exec_driver_sql("set local lock_timeout = '5s'")
            environment.run_migrations()
    return ran


def _scripts(folder: Path) -> ScriptDirectory:
    return ScriptDirectory(str(folder), version_locations=[str(folder)])
