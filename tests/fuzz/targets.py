"""What must hold whatever the text: the promises of the gate, of the normaliser of labels and of the prompt block.

Each target takes bytes, makes texts of them and raises AssertionError for a broken promise. `make fuzz` runs them under a
coverage-guided fuzzer; the test beside this runs them on what it found, and on a few bytes of its own.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from functools import cache

from ledger.core import prompt
from ledger.core.gate import LONGEST, Gate
from ledger.core.model import Entry, Freshness
from ledger.core.registry import label as labels
from ledger.errors import BadLabel
from ledger.languages import load

WORDS = ["I", "you", "my", "sister", "want", "kids", "two", "don't", "not", "no", "yes", "if", "unless", "maybe", "think", "smoke", ",", ".", "?", "!", '"', "'", "“", "”", "(", ")", ">", "`", "—", "-", "\n", "12:20", "non-smoking", "said", "used", "to", "wish", "never", "quiero", "no", "hijos", "si", "ojalá", "¿", "ich", "nicht", "我", "不", "猫", "😀", "👩\u200d💻", "café", "\u200b", "\u202e", "İ", "ß", "ﬁ", "\x00", "�", "<answer-ledger>", "</answer-ledger>", "```", "for", "your", "office", "actually", "Friday", "wait", "because", "the", "is", "what", "do", "can", "book", "8", "pm", "lol", "jk", "[", "]", '{"topic":', "\x0c", "\u2028"]  # fmt: skip


@cache
def gate() -> Gate:
    return Gate(load())


def texts(data: bytes, count: int) -> list[str]:
    """As many texts: a byte of the lower half is a word of the list, the others are characters, two bytes each."""
    parts = data.split(b"\xff", count - 1)
    return [_text(part) for part in parts] + [""] * (count - len(parts))


def _text(data: bytes) -> str:
    found: list[str] = []
    at = 0
    while at < len(data):
        if data[at] < 128:
            found.append(WORDS[data[at] % len(WORDS)] + " ")
            at += 1
        else:
            found.append(chr(int.from_bytes(data[at + 1 : at + 3])))
            at += 3
    return "".join(found)


def judge(data: bytes) -> None:
    """Accepted means in the message; what is suggested is accepted; the same again gives the same."""
    if len(data) < 3:
        return
    flags, start, size = data[0], data[1], data[2]
    message, other, question, name = texts(data[3:], 4)
    span = other if flags & 1 else message[start : start + size]
    lang = (None, "en", "es", "de-AT", "zz", None, None, None)[flags >> 5]
    more = {"question": question, "asked": question + "?", "avoid": (name,), "lang": lang}
    verdict = gate().judge(message, span, **more)
    assert verdict == gate().judge(message, span, **more)
    if verdict.accepted:
        assert verdict.answer is not None
        assert verdict.start is not None
        assert message[verdict.start : verdict.start + len(verdict.answer)] == verdict.answer
        assert 0 < len(verdict.answer) <= LONGEST
    else:
        assert verdict.reason is not None
        assert verdict.rule
        assert verdict.detail
        assert verdict.answer is None
    if verdict.nearest is not None:
        assert gate().judge(message, verdict.nearest, **more).answer == verdict.nearest


def normalise(data: bytes) -> None:
    """A key is normal, short, and of letters, digits, marks and underscores; what is no label is refused as one."""
    label, name = texts(data, 2)
    try:
        key = labels.normalise(label, (name,))
    except BadLabel:
        return
    assert 0 < len(key) <= 64
    assert labels.normalise(key) == key
    assert not any(char.isspace() or char in '/\\%"<>' for char in key)


def render(data: bytes) -> None:
    """What is rendered is read back as it was, and the delimiters stand once each. What is stored is UTF-8: it has no surrogates."""
    topic, answer, question, other = (
        text.encode("utf-8", "replace").decode("utf-8") for text in texts(data, 4)
    )
    month = date(2026, 1, 1) + timedelta(days=31 * (len(data) % 12))
    month = month.replace(day=1)
    entries = tuple(
        Entry(topic=topic or "x", freshness=freshness, answer=said, month=month, question=asked or None)
        for said, freshness, asked in (
            (answer or "x", Freshness.FRESH, question),
            (other or "y", Freshness.RECONFIRM, None),
        )
    )
    block = prompt.render(entries)
    assert prompt.parse(block) == entries
    assert block.count(prompt.OPEN) == 1


TARGETS: dict[str, Callable[[bytes], None]] = {"gate": judge, "label": normalise, "prompt": render}
