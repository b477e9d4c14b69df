"""The targets of the fuzzer on bytes of ours, and on what it found."""

from __future__ import annotations

import pytest

from tests.fuzz.targets import TARGETS

SEEDS = [
    b"",
    bytes(range(64)),
    bytes(range(255)),
    b"\x00\x02\x08" + bytes(range(40, 128)) * 3,
    b"\xff" * 9,
    b"\x80\xd8\x00" * 4,
]
# (target, bytes as hex): each broke a promise once.
FOUND: list[tuple[str, str]] = []


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("target", sorted(TARGETS))
def test_a_seed_breaks_no_promise(target: str, seed: bytes) -> None:
    TARGETS[target](seed)


@pytest.mark.parametrize(("target", "found"), FOUND)
def test_what_was_found_is_mended(target: str, found: str) -> None:
    TARGETS[target](bytes.fromhex(found))
