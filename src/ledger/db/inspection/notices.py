"""Which notices the decisions in a database refer to: how many, and nothing of who decided.

A version for each counterparty would say in whose conversation a person decided, whatever its form.
"""

from __future__ import annotations

from collections.abc import Collection

import psycopg

from ledger.db.inspection.finding import Finding

HANDFUL = 5  # versions that a notice for everybody has had while the decisions under it stand

_ABOUT = "versions of the notice in use"
_IN_USE = "select notice from ledger.consent union select notice from ledger.consent_history"


def findings(conninfo: str, versions: Collection[str]) -> list[Finding]:
    """What the database refers to, beside the versions that the deployment has as files."""
    try:
        with psycopg.connect(conninfo, autocommit=True) as connection:
            in_use = {notice for (notice,) in connection.execute(_IN_USE)}
    except psycopg.errors.InsufficientPrivilege:
        return [Finding(_ABOUT, True, "not counted", "look as the login that ran migrate", residue=True)]
    lost = len(in_use - set(versions))
    return [
        Finding(
            _ABOUT,
            True,
            str(len(in_use)),
            "show everybody the same notice, and give it another version only when its text changes: "
            "a version for each counterparty tells in whose conversation a person decided",
            residue=len(in_use) > HANDFUL,
        ),
        Finding(
            "versions of the notice that are no file here",
            True,
            str(lost or "none"),
            "put the files back into LEDGER_NOTICES_DIR: receipts refer to them; where there never were such files, "
            "find out who writes decisions past the application",
            residue=bool(lost),
        ),
    ]
