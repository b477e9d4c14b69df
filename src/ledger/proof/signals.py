"""What an attacker has in hand, as numbers: a signal gives an answer a number, and answers whose numbers lie
close together may have been given close together.

Nothing here knows what a table of ours is called: any column of any table that has a row for an answer, or for its
topic, is a signal, so that one that was added is one too.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import combinations
from uuid import UUID

from ledger.db.remains import Row

Item = tuple[str, str]
"""An answer: its principal, as text, and the key of its topic."""

Signal = Mapping[tuple[str | None, str], float]
"""A number for an answer, or (under None) for everybody's answers on a topic."""

CONTENT = frozenset({"principal", "topic", "answer", "as_of"})
"""The columns of an entry: what is kept on purpose, and given to the attacker whose advantage is the baseline."""


@dataclass(frozen=True, slots=True)
class Given:
    """The truth of an answer that is kept: the thread it was given in, and what is on purpose kept of it."""

    thread: object
    as_of: date
    text: str


def of_rows(tables: Mapping[str, Iterable[Row]]) -> dict[str, Signal]:
    """Of each table: the system columns of its rows, and every further column that can be read as a number."""
    found: dict[str, dict[tuple[str | None, str], float]] = defaultdict(dict)
    for table, rows in tables.items():
        for row in rows:
            topic = row.values.get("topic") or row.values.get("key")
            if topic is None:
                continue
            item = (row.values.get("principal"), topic)
            found[f"xmin in {table}"][item] = row.xmin
            found[f"xmax in {table}"][item] = row.xmax
            found[f"command in {table}"][item] = row.command
            found[f"place in {table}"][item] = row.place[0] * 4096.0 + row.place[1]
            for name, value in row.values.items():
                if name not in CONTENT and name != "key" and (number := _number(value)) is not None:
                    found[f"{name} in {table}"][item] = number
    return dict(found)


def _number(value: str | None) -> float | None:
    if value is None:
        return None
    try:
        return float(value)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(value).timestamp()
    except ValueError:
        return None


def of_lines(name: str, lines: Sequence[str], answers: Mapping[Item, Given]) -> dict[str, Signal]:
    """The line of a text that last tells of a topic, and the one that last tells of an answer."""
    topics: dict[tuple[str | None, str], float] = {}
    told: dict[tuple[str | None, str], float] = {}
    patterns = {
        topic: re.compile(rf"\b{re.escape(topic).replace('_', '[ _]')}\b", re.I) for _, topic in answers
    }
    for number, line in enumerate(lines):
        for topic, pattern in patterns.items():
            if pattern.search(line):
                topics[None, topic] = number
        for item, given in answers.items():
            if given.text in line:
                told[item] = number
    return {f"topics in {name}": topics, f"answers in {name}": told}


def of_log(log: bytes, answers: Mapping[Item, Given]) -> dict[str, Signal]:
    """The place in a write-ahead log where an answer was first written, and where its topic was.

    A tuple holds its values one behind the other, the sixteen bytes of a principal first.
    Source: PostgreSQL, section 66.6.1 (table row layout).
    """
    first: dict[tuple[str | None, str], float] = {}
    coined: dict[tuple[str | None, str], float] = {}
    for principal, topic in answers:
        words = answers[principal, topic].text.encode()
        head = UUID(principal).bytes + _short(topic)
        at = log.find(head)
        while at >= 0 and words not in log[at + len(head) : at + len(head) + len(words) + 16]:
            at = log.find(head, at + 1)
        if at >= 0:
            first[principal, topic] = at
        if (None, topic) not in coined and (at := log.find(_short(topic))) >= 0:
            coined[None, topic] = at
    return {"first written in the log": first, "topic first written in the log": coined}


_RECORD = re.compile(r"tx: +(\d+), lsn: ([0-9A-F]+)/([0-9A-F]+),")
_COMMIT = re.compile(r"desc: COMMIT (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)")


def of_records(told: str, start: int, placed: Mapping[str, Signal]) -> dict[str, Signal]:
    """The instant at which the transaction was committed that wrote at a place, for signals that are places in a log.

    `told` is what pg_waldump prints, `start` the place (LSN) of the log's first byte.
    """
    records: list[tuple[int, int]] = []  # where each begins, and its transaction
    committed: dict[int, float] = {}
    for line in told.splitlines():
        if (found := _RECORD.search(line)) is None:
            continue
        transaction = int(found[1])
        records.append((int(found[2], 16) << 32 | int(found[3], 16), transaction))
        if (commit := _COMMIT.search(line)) is not None:
            committed[transaction] = datetime.fromisoformat(commit[1]).timestamp()
    begins = [place for place, _ in records]
    dated: dict[str, Signal] = {}
    for name, signal in placed.items():
        instants: dict[tuple[str | None, str], float] = {}
        for item, offset in signal.items():
            at = bisect_right(begins, start + int(offset)) - 1
            if at >= 0 and records[at][1] in committed:
                instants[item] = committed[records[at][1]]
        dated[f"instant, {name}"] = instants
    return dated


def _short(text: str) -> bytes:
    """A text of less than 127 bytes as it stands in a tuple: a byte that counts both, then the text."""
    raw = text.encode()
    return bytes([(len(raw) + 1) << 1 | 1]) + raw


def together(answers: Mapping[Item, Given]) -> dict[str, dict[frozenset[str], float]]:
    """Of each principal: how often two topics of theirs bear one date with others. Content alone tells that."""
    both: dict[str, Counter[frozenset[str]]] = defaultdict(Counter)
    dated: dict[str, dict[str, date]] = defaultdict(dict)
    for (principal, topic), given in answers.items():
        dated[principal][topic] = given.as_of
    everybody: Counter[frozenset[str]] = Counter()
    for principal, theirs in dated.items():
        for a, b in combinations(theirs, 2):
            if theirs[a] == theirs[b]:
                both[principal][frozenset((a, b))] += 1
                everybody[frozenset((a, b))] += 1
    return {
        principal: {
            frozenset(pair): everybody[frozenset(pair)] - both[principal][frozenset(pair)]
            for pair in combinations(theirs, 2)
        }
        for principal, theirs in dated.items()
    }
