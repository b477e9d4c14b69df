"""Plays transcripts through the real gate, consent and windows, and counts what a ledger would have saved.

A thread steers the play, since each is another counterparty; it is never handed to the ledger. Before a turn
the topics that the other side asks for are planned, in each tier; after it the answers are captured.

A line is a JSON object: `principal`, `thread`, `said_on` (a day or null: today), `question` (the other side's
turn, or null), `message`, `answers` (objects with `topic` and `span`), and optionally `asked` (the topics that
were asked for).
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

from ledger.core.model import Candidate, Decision, Do, Handling, Tier, Topic
from ledger.core.registry.handling import special_category
from ledger.core.registry.label import normalise
from ledger.db.agent import Reader
from ledger.db.clock import Clock
from ledger.errors import BadLabel, InvalidRequest, SetupError
from ledger.service import agents, operators, principals
from ledger.service.ledger import Ledger
from ledger.service.person import Person

NOTICE = "v1"
MOST_CANDIDATES = 32  # of one capture


class Place(NamedTuple):
    """Where a line stands."""

    file: Path
    line: int


@dataclass(frozen=True, slots=True)
class Line:
    place: Place
    principal: str
    thread: str
    said_on: date | None
    question: str | None
    message: str
    answers: tuple[Candidate, ...]
    asked: tuple[str, ...]


@dataclass(slots=True)
class Report:
    """What was played, and what a ledger saves."""

    messages: int = 0
    principals: int = 0
    threads: int = 0
    captures: dict[str, int] = field(default_factory=dict)  # accepted, or the reason of the refusal
    asked: int = 0  # questions on a topic
    asked_again: int = 0  # of these, on a topic that another counterparty had asked about or heard of before
    spared: dict[str, int] = field(default_factory=dict)  # of these, by tier
    as_a_question: int = 0  # of these, in tier full: his old words, as a question
    broken: list[Place] = field(default_factory=list)  # lines that were skipped, in their order


def read(files: Sequence[Path]) -> tuple[list[Line], list[Place]]:
    """The lines of all files in the order of their days, and the places of those that are none.

    Lines without a day keep their place among themselves, after the others. Raises SetupError for a file that
    can't be read.
    """
    lines: list[Line] = []
    broken: list[Place] = []
    for file in files:
        try:
            with file.open("rb") as source:
                for place, raw in ((Place(file, number), raw) for number, raw in enumerate(source, 1)):
                    if raw.strip():
                        try:
                            lines.append(_line(place, json.loads(raw)))
                        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
                            broken.append(place)
        except OSError as error:
            raise SetupError(f"A transcript can't be read: {error.strerror}.") from None
    return sorted(lines, key=lambda line: line.said_on or date.max), broken


def _line(place: Place, found: dict[str, Any]) -> Line:
    day = found["said_on"]
    answers = tuple(Candidate(_text(one["topic"]), _text(one["span"])) for one in found["answers"])
    asked = found.get("asked")
    if asked is None:  # an empty list says that he spoke unasked
        asked = [one.topic for one in answers]
    if not isinstance(asked, list):
        raise TypeError
    return Line(
        place,
        _text(found["principal"]),
        _text(found["thread"]),
        None if day is None else date.fromisoformat(day),
        None if found["question"] is None else _text(found["question"]),
        _text(found["message"]),
        answers,
        tuple(dict.fromkeys(map(_text, asked))),
    )


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    value.encode()  # a lone surrogate is no text
    if "\0" in value:
        raise ValueError  # and nothing that a database holds
    return value


def play(ledger: Ledger, lines: Sequence[Line], advance: Callable[[], None] = lambda: None) -> Report:
    """Plays the lines in their order, each on its day, in a ledger that is made to be thrown away.

    Everybody grants his consent; the lower tiers are narrowed from it. An agent is taken to have asked a topic's
    approved question, which here is the first that was asked for it.
    """
    report = Report(spared=dict.fromkeys((tier.value for tier in Tier), 0))
    captures: Counter[str] = Counter()
    today = datetime.now(UTC).date()
    topics = _list_topics(ledger, lines)
    people: dict[str, Person] = {}
    heard: dict[tuple[str, str], set[str]] = defaultdict(
        set
    )  # principal, topic -> threads that asked or heard
    with Clock(_installer(ledger)) as clock:
        for line in lines:
            advance()
            if line.asked or line.answers:
                clock.set(line.said_on or today)
                try:
                    person = people.get(line.principal) or _person(ledger, people, line.principal)
                    _before(ledger, person, line, topics, heard, report)
                    _after(person, line, line.said_on or today, topics, captures)
                    for one in line.answers:
                        told = topics.get(one.topic)
                        heard[line.principal, told.key if told else one.topic].add(line.thread)
                except InvalidRequest:
                    report.broken.append(line.place)
    skipped = set(report.broken)
    played = [line for line in lines if line.place not in skipped]
    report.messages = len(played)
    report.principals = len({line.principal for line in played})
    report.threads = len({(line.principal, line.thread) for line in played})
    report.captures = dict(captures)
    return report


def _person(ledger: Ledger, people: dict[str, Person], name: str) -> Person:
    people[name] = ledger.principal(name)
    ledger.run(principals.decide_consent(ledger.context, people[name].id, Decision.GRANTED, NOTICE))
    return people[name]


def _list_topics(ledger: Ledger, lines: Sequence[Line]) -> dict[str, Topic]:
    """Lists every topic that the transcripts name, with the question that was first asked for it."""
    questions: dict[str, str | None] = {}
    for line in lines:
        for topic in (*line.asked, *(one.topic for one in line.answers)):
            if questions.get(topic) is None:
                questions[topic] = line.question
    topics: dict[str, Topic] = {}
    for label, question in questions.items():
        try:
            key = normalise(label)
        except BadLabel:
            continue
        # What was asked may be more than a question can be.
        kept = question if question and operators.problem_of("question", question) is None else None
        sensitive = special_category(ledger.context.categories, key, kept, ())
        topics[label] = Topic(key, kept, Handling.SEALED if sensitive else Handling.OPEN, listed=True)
        ledger.run(operators.adopt(ledger.context, topics[label]))
    return topics


def _installer(ledger: Ledger) -> str:
    if ledger.deployment.installer is None:
        raise SetupError("A replay sets the clock of its ledger, so it needs one of its own.")
    return ledger.deployment.installer


def _before(
    ledger: Ledger,
    person: Person,
    line: Line,
    topics: dict[str, Topic],
    heard: dict[tuple[str, str], set[str]],
    report: Report,
) -> None:
    again = []
    for label in line.asked:
        report.asked += 1
        topic = topics.get(label)
        threads = heard[line.principal, topic.key if topic else label]
        if threads - {line.thread}:
            report.asked_again += 1
            if topic:
                again.append(topic.key)
        threads.add(line.thread)
    if not again:
        return
    for tier in (Tier.TOPICS, Tier.FULL):
        reader = Reader(person.id, tier)
        items = ledger.run(agents.plan(ledger.context, reader, again)).items
        report.spared[tier] += sum(item.do in (Do.COVERED, Do.KNOWN) for item in items)
        if tier is Tier.FULL:
            report.as_a_question += sum(item.do is Do.RECONFIRM for item in items)


def _after(person: Person, line: Line, day: date, topics: dict[str, Topic], captures: Counter[str]) -> None:
    asked = [line.question or "", *(topics[t].question or "" for t in line.asked if t in topics)]
    for start in range(0, len(line.answers), MOST_CANDIDATES):
        candidates = line.answers[start : start + MOST_CANDIDATES]
        for outcome in person.capture(line.message, day, candidates, asked="\n".join(asked)):
            reason = outcome.verdict.reason
            captures["accepted" if reason is None else reason.value] += 1
