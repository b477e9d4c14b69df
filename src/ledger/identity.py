"""What the database knows instead of names: keyed hashes, made here and nowhere else.

    principal   HMAC-SHA-256(pepper, tenant || 0x1f || outside id)      whose rows these are
    mark        HMAC-SHA-256(pepper, 0x00 "mark" 0x1f principal key)    what was deleted, without saying what
    entry id    HMAC-SHA-256(pepper, 0x00 "entry" 0x1f principal key)   names an entry on the wire; stored nowhere
    proof       HMAC-SHA-256(pepper, 0x00 "proof")                      tells that this pepper is the database's
    (of a record: 0x00 "record", so that the two share no value)

The first three bytes keep the kinds apart: a tenant never begins with 0x00. Hashes that are kept are cut
to a UUID of version 8 (RFC 9562, section 5.8): 122 bits of them, no time and no order.

Source: DESIGN section 4; decision 0003.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Mapping
from typing import Any
from uuid import UUID

from ledger.errors import InvalidRequest

_LONGEST_ID = 256


class Identity:
    """The pepper and the tenant of one deployment. Nothing of the pepper shows in its repr."""

    __slots__ = ("_pepper", "tenant")

    def __init__(self, pepper: bytes, tenant: str) -> None:
        self._pepper = pepper
        self.tenant = tenant

    def principal(self, outside_id: str) -> UUID:
        """The principal of an outside id: the same for the same pepper and tenant, and only then.

        Raises InvalidRequest for an id that is blank, longer than 256 code points, or not Unicode text.
        """
        if not outside_id.strip() or len(outside_id) > _LONGEST_ID:
            raise InvalidRequest(f"A principal's id is 1 to {_LONGEST_ID} characters, and not blank.")
        try:
            return self._uuid(self.tenant.encode(), outside_id.encode())
        except UnicodeEncodeError:
            raise InvalidRequest("A principal's id is Unicode text without lone surrogates.") from None

    def mark(self, principal: UUID, key: str) -> UUID:
        """Marks what a principal deleted on the topic `key`."""
        return self._uuid(b"\x00mark", principal.bytes + key.encode())

    def mark_all(self, principal: UUID) -> UUID:
        """Marks that he erased everything. No key is empty, so it is none of the others."""
        return self.mark(principal, "")

    def entry_id(self, principal: UUID, key: str) -> str:
        """32 hexadecimal digits that name his entry on `key` in a URL without naming the topic."""
        return self._digest(b"\x00entry", principal.bytes + key.encode())[:16].hex()

    def receipt_id(self, principal: UUID, *parts: str) -> str:
        """Names a receipt of his, the same each time it is asked for."""
        return str(self._uuid(b"\x00receipt", principal.bytes + "\x1f".join(parts).encode()))

    def receipt_subject(self, principal: UUID) -> str:
        """Names them in their receipts, which are shown and mailed: it leads to no row of the database."""
        return str(self._uuid(b"\x00receipts of", principal.bytes))

    def proof(self) -> UUID:
        """What the database keeps to tell this pepper from another."""
        return self._uuid(b"\x00proof", b"")

    def record_proof(self) -> UUID:
        """What the record keeps to tell whose it is."""
        return self._uuid(b"\x00record", b"")

    def preview(self, what: Mapping[str, Any]) -> str:
        """Vouches that a step was run dry on exactly this; nobody else can make it."""
        return self._digest(b"\x00preview", json.dumps(what, sort_keys=True).encode())[:16].hex()

    def _digest(self, kind: bytes, what: bytes) -> bytes:
        return hmac.digest(self._pepper, kind + b"\x1f" + what, "sha256")

    def _uuid(self, kind: bytes, what: bytes) -> UUID:
        value = int.from_bytes(self._digest(kind, what)[:16], "big")
        value = value & ~(0xF << 76) | 8 << 76  # version 8
        value = value & ~(0x3 << 62) | 0x2 << 62  # the variant of RFC 9562
        return UUID(int=value)
