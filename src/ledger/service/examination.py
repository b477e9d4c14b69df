"""The examination of a whole deployment: its database, and its key files."""

from __future__ import annotations

import stat

from ledger.db import inspection
from ledger.db.inspection import Finding
from ledger.service.deployment import Deployment

__all__ = ["Finding", "examination"]


def examination(deployment: Deployment) -> list[Finding]:
    """Everything that was looked at: the database as its installer sees it, then the keys. An open deployment's
    pepper has been compared with the database's proof, or it would not be open."""
    assert deployment.installer is not None  # noqa: S101 - the caller has looked
    found = inspection.findings(deployment.installer)
    found.append(Finding("the pepper belongs to the database", True, "it does"))
    folder = deployment.settings.data_dir / "keys"
    for path in [folder, *sorted(folder.iterdir())]:
        mode = stat.S_IMODE(path.stat().st_mode)
        found.append(Finding(f"keys: {path.name}", not mode & 0o077, f"{mode:04o}", f"chmod go-rwx {path}"))
    return found
