"""From SQLSTATE to the error tree. A database error is never printed: its text may hold values.

Source: PostgreSQL, appendix A (error codes); class LG is ours (schema/).
"""

from __future__ import annotations

from collections.abc import Callable

import psycopg
from psycopg_pool import PoolTimeout

from ledger.errors import (
    Conflict,
    InvalidRequest,
    LedgerError,
    LegalHold,
    NotFound,
    PreconditionFailed,
    Problem,
    Unavailable,
)

_OURS: dict[str, Callable[[], LedgerError]] = {
    "LG002": lambda: LegalHold(
        "Nothing of this principal may be changed or deleted until the hold is lifted."
    ),
    "LG003": lambda: NotFound("There is no such thing here, or no longer."),
    "LG004": lambda: PreconditionFailed("This has changed since it was read. Read it again, then decide."),
    "LG005": lambda: Conflict(
        "An alias must be no topic of its own, nor one that is handled more strictly, and what was merged stays a label of where it "
        "went. List the topic and merge it instead."
    ),
    "LG006": lambda: InvalidRequest(
        "A message can't have been typed on a day that has yet to come.",
        [Problem("said_on", "must not be later than tomorrow (UTC)")],
    ),
    # midnight has passed twice between a write and its repetition, or clocks differ
    "LG009": lambda: Unavailable("A new day is beginning. Nothing was written; try again."),
    "LG010": lambda: Conflict(
        "This label is taken: it is a listed topic, or leads to one. List the topics to see."
    ),
    "LG012": lambda: Unavailable(
        "The ledger came back from a backup, and is to learn what was taken away since. Nothing was kept; try again later.",
        retry_after=60,
    ),
}

# 08 connection, 53 resources, 55 object not in the right state (lock not available), 57 operator
# intervention, 40 rolled back (deadlock), 58 the server's system, 28 not let in, XX its own fault
_PASSING = ("08", "53", "55", "57", "40", "58", "28", "XX")

_DOWN = "The database can't be reached right now. Nothing was half written; try again."


def translate(error: Exception) -> LedgerError:
    """The error of ours that a caller is to see for one of the driver's."""
    if isinstance(error, PoolTimeout):
        return Unavailable(_DOWN)
    state = error.sqlstate if isinstance(error, psycopg.Error) else None
    if state is not None and state in _OURS:
        return _OURS[state]()
    if isinstance(error, psycopg.DataError | UnicodeError) and (state is None or state.startswith("22")):
        return InvalidRequest("The database can't hold a value of this request, such as a NUL character.")
    if state is None or state[:2] in _PASSING:
        return Unavailable(_DOWN)
    return LedgerError(f"The database refused a statement (SQLSTATE {state}).")
