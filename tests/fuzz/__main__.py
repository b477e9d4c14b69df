"""Run a target under a coverage-guided fuzzer for a bounded time: python -m tests.fuzz gate -max_total_time=60

What follows the name goes to libFuzzer. A finding is printed with its bytes as hex: it belongs into tests/fuzz/test_found.py.
"""

from __future__ import annotations

import sys

import atheris  # type: ignore[import-not-found]

with atheris.instrument_imports(include=["ledger.core"]):
    from tests.fuzz.targets import TARGETS


def main() -> None:
    name, rest = sys.argv[1], sys.argv[2:]
    target = TARGETS[name]
    target(b"\x00\x00\x10" + bytes(range(60)))  # what is made at the first call is made before the clock runs

    def once(data: bytes) -> None:
        try:
            target(data)
        except Exception:
            sys.stderr.write(f"found by {name}: {data.hex()}\n")
            raise

    atheris.Setup([sys.argv[0], *rest], once)
    atheris.Fuzz()


main()
