"""Every error of the ledger, in one tree. It knows neither HTTP nor SQL.

    LedgerError
    ├── InvalidRequest          what was sent does not have the right form
    │   └── BadLabel            a topic label that can't name a topic
    ├── Unauthenticated         no token, or one that does not verify
    ├── WrongScope              a good token that may not make this call
    ├── NotFound
    ├── Conflict
    │   ├── SimilarTopics       listed topics are near the label; `similar` holds their keys
    │   ├── LegalHold           nothing of this principal may be changed now
    │   ├── PreconditionFailed  the thing has changed since it was read
    │   └── PreviewNeeded       a step that destroys; run it dry first
    ├── TooManyRequests         `retry_after` seconds
    ├── Unavailable             the database can't be reached; `retry_after` seconds
    └── SetupError              the deployment is not fit to start; for the person who starts it
        ├── WrongPepper
        ├── SchemaTooNew
        ├── NoLedger            there is none where it was looked for; nothing was made
        ├── NotMigrated
        └── UnsafeRole

`slug` is stable: HTTP's problem `type` ends in it. A message is written by us and never repeats
what a caller sent.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Problem:
    """Where in a request something is wrong, and what would be right; never the value itself."""

    at: str
    message: str


class LedgerError(Exception):
    """Anything the ledger refuses or can't do. `detail` is a sentence with the next step in it."""

    slug: ClassVar[str] = "internal-error"
    title: ClassVar[str] = "Something went wrong on our side"

    def __init__(self, detail: str) -> None:
        super().__init__(detail)
        self.detail = detail


class InvalidRequest(LedgerError):
    slug = "invalid-request"
    title = "The request does not have the right form"

    def __init__(self, detail: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(detail)
        self.problems = tuple(problems)


class BadLabel(InvalidRequest):
    slug = "bad-label"
    title = "This label can't name a topic"


class Unauthenticated(LedgerError):
    slug = "unauthenticated"
    title = "A valid bearer token is needed"


class WrongScope(LedgerError):
    slug = "wrong-scope"
    title = "This token may not make this call"


class NotFound(LedgerError):
    slug = "not-found"
    title = "There is no such thing here"


class Conflict(LedgerError):
    slug = "conflict"
    title = "The state of things does not allow this"


class SimilarTopics(Conflict):
    slug = "similar-topics"
    title = "Listed topics are near this label"

    def __init__(self, detail: str, similar: Sequence[str]) -> None:
        super().__init__(detail)
        self.similar = tuple(similar)


class LegalHold(Conflict):
    slug = "legal-hold"
    title = "A legal hold stands on this principal"


class PreconditionFailed(Conflict):
    slug = "precondition-failed"
    title = "This has changed since it was read"


class PreviewNeeded(Conflict):
    slug = "preview-needed"
    title = "This step destroys; run it dry first"


class TooManyRequests(LedgerError):
    slug = "too-many-requests"
    title = "Too many requests"

    def __init__(self, detail: str, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class Unavailable(LedgerError):
    slug = "unavailable"
    title = "The ledger can't be reached right now"

    def __init__(self, detail: str, retry_after: int = 2) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class SetupError(LedgerError):
    slug = "setup"
    title = "This deployment is not fit to start"


class WrongPepper(SetupError):
    slug = "wrong-pepper"


class SchemaTooNew(SetupError):
    slug = "schema-too-new"


class NoLedger(SetupError):
    slug = "no-ledger"


class NotMigrated(SetupError):
    slug = "not-migrated"


class UnsafeRole(SetupError):
    slug = "unsafe-role"
