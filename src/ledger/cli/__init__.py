"""The command line: parse, call one use case, render."""


def main() -> None:
    raise SystemExit("not yet")
