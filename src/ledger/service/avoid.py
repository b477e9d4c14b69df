"""The deployment's own names that no answer and no label may hold: those of its counterparties, as a rule."""

from __future__ import annotations

from ledger.errors import SetupError
from ledger.settings import Settings


def names_to_avoid(settings: Settings) -> tuple[str, ...]:
    """The names of LEDGER_AVOID_FILE, one a line. Raises SetupError where the file can't be read."""
    path = settings.avoid_file
    if path is None:
        return ()
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError):
        raise SetupError(f"{path} (LEDGER_AVOID_FILE) can't be read as UTF-8 text.") from None
    return tuple(line.strip() for line in text.splitlines() if line.strip())
