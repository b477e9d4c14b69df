"""How long a verdict takes: a part of `python -m benchmarks.gate`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import quantiles

from ledger.core.gate import Gate


def last_words(message: str) -> str:
    """The last words of a message, as they stand in it."""
    start = len(message)
    for word in reversed(message.split()[-5:]):
        start = message.rindex(word, 0, start)
    return message[start:].strip()


def timings(gate: Gate, said: list[str]) -> Iterator[str]:
    """For messages as people type them, and for longer ones made of them: processor time of a verdict, reading included, and of looking for `nearest`; then what input built to be slow costs."""

    def took(message: str, spans: list[str], *, suggest: bool = True) -> float:
        start = time.process_time()
        reading = gate.read(message)
        for span in spans:
            reading.judge(span, suggest=suggest)
        return (time.process_time() - start) * 1000

    def row(what: str, times: list[float]) -> str:
        cuts = quantiles(times, n=100)
        return f"{what:<44}  p50 {cuts[49]:.3f} ms  p99 {cuts[98]:.3f} ms  n {len(times)}"

    long = [" ".join(said[at : at + 60])[:2000] for at in range(0, 3000, 10)]
    long = [message for message in long if len(message) == 2000]
    for what, messages in (("chat messages", said), ("messages of 2,000 characters", long)):
        pairs = [(message, last_words(message)) for message in messages]
        refused = [pair for pair in pairs if not gate.judge(*pair).accepted]
        yield row(f"{what}: verdict", [took(m, [s], suggest=False) for m, s in pairs])
        yield row(f"{what}: nearest", [took(m, [s]) - took(m, [s], suggest=False) for m, s in refused])
    absent = [(message, message[5:60] + " zebra") for message in long]
    yield row(
        "2,000 characters, not verbatim: nearest",
        [took(m, [s]) - took(m, [s], suggest=False) for m, s in absent],
    )
    yield f"{'built to be slow, nearest included':<44}  2,000 characters: one span; 64 KiB: one span, then the slowest kind of 32 spans"
    for name, unit in BUILT.items():
        small, large = (unit * (size // len(unit) + 1) for size in (2000, 65536))
        small, large = small[:1998] + " z", large[:65534] + " z"
        short, huge = (min(took(message, ["z"]) for _ in range(3)) for message in (small, large))
        kinds = (
            [large[at : at + 60] for at in range(0, 64000, 2000)],
            [large[at : at + 480] + " q" for at in range(0, 64000, 2000)],
            [large[at : at + 60] + " zebra" for at in range(0, 64000, 2000)],
        )
        many = max(min(took(large, spans) for _ in range(2)) for spans in kinds)
        yield f"{name:<44}  {short:.2f} ms  {huge:.1f} ms  {many:.0f} ms"


BUILT = {
    "not, again and again": "not ",
    "one letter words": "a ",
    "double quotes": '" ',
    "brackets": "(",
    "brackets and words": "(a ",
    "if": "if i ",
    "commas": "no, ",
    "combining marks": "e\u0301\u0301",
    "zero width": "a\u200b ",
    "quoted lines": "> a\n",
    "code marks": "` ``` ",
    "digits": "4 ",
    "long word": "a",
    "hyphens": "a-",
    "angle": "<answer-ledger ",
    "hidden line breaks": "\u200b\n",
    "small sentences": "non ! ",
    "reported speech": "咱们医生坚持说, ",
}
