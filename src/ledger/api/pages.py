"""Pages of the registry, by key. A cursor is the last key of a page, so that nothing is kept between two calls."""

from __future__ import annotations

import base64
import binascii

from pydantic import BaseModel, ConfigDict, Field

from ledger.core.model import Topic
from ledger.errors import InvalidRequest, Problem


class Page(BaseModel):
    model_config = ConfigDict(extra="forbid")

    cursor: str | None = Field(None, description="The `next` of the page before.")
    limit: int = Field(100, ge=1, le=100)

    @property
    def after(self) -> str:
        """The key that the page comes after. Raises InvalidRequest for what is no `next` of a page."""
        if not self.cursor:
            return ""
        padded = self.cursor + "=" * (-len(self.cursor) % 4)
        try:
            return base64.b64decode(padded, altchars=b"-_", validate=True).decode()
        except (binascii.Error, ValueError):
            raise InvalidRequest(
                "See `problems` for what to change.", [Problem("cursor", "This is no `next` of a page.")]
            ) from None

    @property
    def asked(self) -> int:
        """How many to read: one more than is shown tells whether there is a next page."""
        return self.limit + 1

    def cut(self, found: list[Topic]) -> tuple[list[Topic], str | None]:
        """What is shown of them, and the cursor of the next page."""
        shown = found[: self.limit]
        return shown, _cursor(shown[-1].key) if len(found) > self.limit else None


def _cursor(key: str) -> str:
    return base64.urlsafe_b64encode(key.encode()).decode().rstrip("=")
