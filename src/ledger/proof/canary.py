"""Marked values that must be found nowhere, and the search for them in bytes of any kind."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

KINDS = (
    "thread", "counterparty", "message", "asked", "misquote", "field", "header", "agent", "forwarded", "cookie", "trace",
    "claim", "principal", "path", "query", "application", "environment",
)  # fmt: skip
"""What is marked: whatever goes in beside the answers that are kept."""

KEPT = "kept"
"""The mark of an answer that is kept on purpose: a search that does not find it finds nothing."""

_AROUND = 24  # bytes that tell which mark it was


@dataclass(frozen=True, slots=True)
class Marks:
    """The marks of one run. `stem` is lower case letters and digits that stand nowhere else by chance."""

    stem: str

    def of(self, kind: str) -> str:
        """The marked value of a kind."""
        if kind not in (*KINDS, KEPT):
            raise ValueError(kind)
        return f"{self.stem}{kind}"


@dataclass(frozen=True, slots=True)
class Hit:
    """Where a mark was found: of which kind, in which spelling, how often."""

    kind: str
    spelled: str
    where: str


def search(stem: str, where: str, content: bytes) -> Iterator[Hit]:
    """Every mark of a run in some bytes, in whichever of the usual spellings; each kind and spelling once."""
    seen = set()
    for spelled, patterns in _spellings(stem).items():
        for pattern in patterns:
            at = content.find(pattern)
            while at >= 0:
                kind = _kind(spelled, content[at : at + len(pattern) + _AROUND * 2], stem)
                if (kind, spelled) not in seen:
                    seen.add((kind, spelled))
                    yield Hit(kind, spelled, where)
                at = content.find(pattern, at + 1)


def _spellings(stem: str) -> Mapping[str, tuple[bytes, ...]]:
    raw = stem.encode()
    return {
        "as it was": (raw, raw.upper()),
        "as UTF-16": (stem.encode("utf-16-le"),),
        "in hexadecimal": (raw.hex().encode(), raw.hex().upper().encode()),
        # Wherever it begins in a group of three bytes; the signs at both ends depend on what is beside it.
        "in base64": tuple(
            base64.b64encode(b"\0" * shift + raw)[4 if shift else 0 : -4] for shift in range(3)
        ),
    }


def _kind(spelled: str, found: bytes, stem: str) -> str:
    if spelled == "as UTF-16":
        found = found.replace(b"\0", b"")
    if spelled == "in hexadecimal":
        found = bytes.fromhex(found.decode("ascii", "ignore")[: len(stem) * 2 + _AROUND])
    text = found.decode("ascii", "replace").lower()
    return next((kind for kind in (*KINDS, KEPT) if text.startswith(stem + kind)), "one of them")
