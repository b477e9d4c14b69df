"""Histories: what people say and do over months, in which threads, and the same told in other threads.

A history is generated from a number. A day has turns: what is said in threads, then what people do themselves,
and so on. Within one turn a person says no more than one thing on a topic, so that all of it may be told in any
order and in any thread without another answer being the newest one. Whatever a thread is to the outside (the
name of the counterparty, the words around an answer, which answers share a message) changes with the thread.

A day begins with a sweep, or with a write that comes right after the last of the day before, or with one that began
before midnight and comes after the cut. In its course the ledger is swept, opened anew and its server started
anew, in each telling at another place of a turn in which people speak; and its tables are vacuumed, anywhere.

Source: DESIGN section 3 (G1, non-interference).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from enum import StrEnum

from ledger.core.model import Handling
from ledger.proof.words import LISTED, PERSONAL, UNLISTED

FIRST_DAY = date(2026, 1, 5)
THREADS = 4  # of each person
SNAPSHOT_EVERY = timedelta(days=7)

# Whole days since the first: a few, a month, past `reconfirm_after`, past `drop_after`.
_LATER = (2, 9, 31, 125, 126, 200, 300, 541, 560, 700)


@dataclass(frozen=True, slots=True)
class Said:
    """A message in a thread. `parts` are topic labels, each with the sentence that answers it."""

    who: int
    thread: int
    parts: tuple[tuple[str, str], ...]
    said_on: date
    misquoted: bool = False  # a candidate beside them that was never said, and is refused


@dataclass(frozen=True, slots=True)
class Coined:
    """The agent of a thread registers a topic."""

    who: int
    thread: int
    label: str


@dataclass(frozen=True, slots=True)
class Reconfirmed:
    """In a thread they were asked whether an old answer is still so."""

    who: int
    thread: int
    label: str
    still_true: bool


@dataclass(frozen=True, slots=True)
class Looked:
    """The agent of a thread looks before its turn."""

    who: int
    thread: int
    labels: tuple[str, ...]
    how: str  # plan, coverage or recall


@dataclass(frozen=True, slots=True)
class Did:
    """What they do themselves, or an operator to their rows: outside of any thread."""

    who: int
    act: str  # grant, revoke, object, withdraw, withhold, release, correct, delete, keep, decline, erase, hold, lift
    label: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep, at once or in pieces: what comes after it in the turn is then played between them."""

    in_pieces: bool = False


@dataclass(frozen=True, slots=True)
class Reopened:
    """The ledger is closed and opened anew; with it the server, or not."""

    server: bool = False


@dataclass(frozen=True, slots=True)
class Vacuumed:
    """The tables are vacuumed, as autovacuum does: the space of what is dead is free for what comes next."""


Spoken = Said | Coined | Reconfirmed | Looked
Event = Swept | Reopened | Vacuumed
Step = Spoken | Did | Event
Turn = tuple[Step, ...]


class Opening(StrEnum):
    """What comes first on a day. All but the first close the days before by a write."""

    SWEEP = "a sweep"  # and then everything that lasts can be compared
    WRITE = "a write"
    CROSSING = "a write that began before midnight"  # the first turn is this one capture


@dataclass(frozen=True, slots=True)
class Happening:
    """Something that comes in the course of a turn, or at its very end."""

    turn: int
    event: Event
    at_the_end: bool = False


@dataclass(frozen=True, slots=True)
class Day:
    """One day of everybody: turns in their order, and what else happens in them, where each telling puts it."""

    day: date
    turns: tuple[Turn, ...]
    opening: Opening = Opening.SWEEP
    happenings: tuple[Happening, ...] = ()


@dataclass(frozen=True, slots=True)
class World:
    """Histories of so many people in one database."""

    people: int
    days: tuple[Day, ...]

    def steps(self) -> Iterator[Step]:
        for day in self.days:
            for turn in day.turns:
                yield from turn


def generate(seed: int, people: int, days: int = 4) -> World:
    """The world of a number: `people` histories over `days` days."""
    chance = random.Random(seed)  # noqa: S311 - to be had again, not to be secret
    of_vacuums = random.Random(~seed)  # noqa: S311
    told: list[Day] = []
    drawn: date | None = None  # the day of the last snapshot
    for offset in _offsets(chance, days):
        today = FIRST_DAY + timedelta(days=offset)
        opening = _opening(chance, told[-1].day if told else None, today)
        turns: list[Turn] = []
        if opening is Opening.CROSSING:
            turns.append((_crossing(chance, people, told[-1].day),))
        first = len(turns)
        for place in range(4):
            steps: list[list[Step]] = []
            for who in range(people):
                if place % 2:
                    steps.append(list(_acts(chance, who)))
                else:
                    steps.append(list(_conversations(chance, who, today, stale=offset > 120)))
            turns.append(tuple(_interleaved(chance, steps)))
        due = drawn is None or today - drawn >= SNAPSHOT_EVERY
        happenings = tuple(_happenings(chance, first, draws=due and opening is not Opening.SWEEP))
        if due and (opening is Opening.SWEEP or any(isinstance(one.event, Swept) for one in happenings)):
            drawn = today
        happenings += tuple(_vacuums(of_vacuums, first, len(turns)))
        told.append(Day(today, tuple(turns), opening, happenings))
    return World(people, tuple(told))


def _offsets(chance: random.Random, days: int) -> Iterator[int]:
    """Whole days since the first: the next day, or some later one."""
    offset = 0
    for _ in range(days):
        yield offset
        later = [day for day in _LATER if day > offset + 1]
        offset = chance.choice(later[:5]) if later and chance.random() < 0.5 else offset + 1


def _opening(chance: random.Random, before: date | None, today: date) -> Opening:
    if before is None:
        return Opening.WRITE
    if (today - before).days == 1:
        return chance.choice((Opening.SWEEP, Opening.WRITE, Opening.CROSSING))
    return chance.choice((Opening.SWEEP, Opening.SWEEP, Opening.WRITE))  # else days were missed


def _crossing(chance: random.Random, people: int, evening: date) -> Said:
    label = chance.choice([key for key, topic in LISTED.items() if topic.handling is not Handling.FORBIDDEN])
    return Said(
        chance.randrange(people),
        chance.randrange(THREADS),
        ((label, chance.choice(_sentences(label))),),
        evening,
    )


def _happenings(chance: random.Random, first: int, *, draws: bool) -> Iterator[Happening]:
    """Sweeps in the course of a day, in turns in which people speak. What a sweep draws depends on what stands when
    it comes: one that may stands at the end of a turn, in every telling."""
    turns = (first, first + 2)
    for number in range(chance.choice((0, 1, 1, 2, 3))):
        swept = Swept(in_pieces=chance.random() < 0.5)
        if draws and number == 0:
            yield Happening(first, swept, at_the_end=True)
        else:
            yield Happening(first + 2 if draws else chance.choice(turns), swept)
    if chance.random() < 0.2:
        yield Happening(chance.choice(turns), Reopened(server=chance.random() < 0.3))


def _vacuums(chance: random.Random, first: int, turns: int) -> Iterator[Happening]:
    for _ in range(chance.choice((0, 2, 4, 8))):
        yield Happening(chance.randrange(first, turns), Vacuumed())


def as_it_happens(world: World, seed: int) -> World:
    """The same world with all that happens put into its turns: at places of chance."""
    chance = random.Random(seed)  # noqa: S311
    days = []
    for day in world.days:
        turns = [list(turn) for turn in day.turns]
        ended: list[tuple[int, Event]] = []
        for one in day.happenings:
            if one.at_the_end:
                ended.append((one.turn, one.event))
            else:
                turns[one.turn].insert(chance.randint(0, len(turns[one.turn])), one.event)
        for turn, event in ended:
            turns[turn].append(event)
        days.append(replace(day, turns=tuple(map(tuple, turns)), happenings=()))
    return replace(world, days=tuple(days))


def swept_daily(world: World) -> World:
    """The same world, each day opened by a sweep, and nothing else but what people say and do."""
    return replace(
        world, days=tuple(replace(day, opening=Opening.SWEEP, happenings=()) for day in world.days)
    )


def in_other_threads(world: World, seed: int) -> World:
    """The same world, each thing said in a thread of chance, and beside others of that turn."""
    chance = random.Random(seed)  # noqa: S311
    return _each_turn(world, lambda turn: _dealt_anew(chance, turn))


def in_another_order(world: World, seed: int) -> World:
    """The same world, the things of each turn in an order of chance."""
    chance = random.Random(seed)  # noqa: S311
    return _each_turn(world, lambda turn: tuple(chance.sample(turn, len(turn))) if _spoken(turn) else turn)


def in_sessions(world: World, seed: int) -> World:
    """The same world as chats come, which is the easiest to attack: each thread of a turn is told from its beginning
    to its end, and is over with it."""
    chance = random.Random(seed)  # noqa: S311
    turns = 0

    def told(turn: Turn) -> Turn:
        nonlocal turns
        turns += 1
        sessions: dict[tuple[int, int], list[Step]] = {}
        for step in turn:
            if isinstance(step, Spoken):
                step = replace(step, thread=step.thread + THREADS * turns)
            sessions.setdefault((getattr(step, "who", 0), getattr(step, "thread", 0)), []).append(step)
        return tuple(
            step for session in chance.sample(list(sessions.values()), len(sessions)) for step in session
        )

    return _each_turn(world, told)


def _each_turn(world: World, change: Callable[[Turn], Turn]) -> World:
    days = (replace(day, turns=tuple(change(turn) for turn in day.turns)) for day in world.days)
    return replace(world, days=tuple(days))


def _spoken(turn: Turn) -> bool:
    return not any(isinstance(step, Did) for step in turn)


def _conversations(chance: random.Random, who: int, today: date, *, stale: bool) -> Iterator[Spoken]:
    labels = [*LISTED, *UNLISTED, *(f"{word} {who}" for word in PERSONAL)]
    chance.shuffle(labels)
    for _ in range(chance.choice((0, 1, 1, 2, 3))):
        parts = []
        for _ in range(chance.choice((1, 1, 1, 2, 3))):
            label = labels.pop()
            parts.append((label, chance.choice(_sentences(label))))
        late = chance.choice((0, 0, 0, 1, 40))
        yield Said(
            who, chance.randrange(THREADS), tuple(parts), today - timedelta(days=late), chance.random() < 0.1
        )
    if chance.random() < 0.2:
        yield Coined(who, chance.randrange(THREADS), chance.choice([*UNLISTED, f"habit {who}"]))
    if stale:
        for _ in range(chance.choice((0, 1, 2))):
            yield Reconfirmed(who, chance.randrange(THREADS), labels.pop(), chance.random() < 0.7)
    if chance.random() < 0.3:
        yield Looked(
            who, chance.randrange(THREADS), tuple(chance.sample(list(LISTED), 3)),
            chance.choice(("plan", "coverage", "recall")),
        )  # fmt: skip


_ACTS = (
    "grant", "grant", "grant", "revoke", "object", "withdraw", "withhold", "release", "correct", "correct", "delete",
    "delete", "keep", "decline", "erase", "hold", "lift",
)  # fmt: skip


def _acts(chance: random.Random, who: int) -> Iterator[Did]:
    for _ in range(chance.choice((0, 0, 1, 2))):
        act = chance.choice(_ACTS)
        confirmed = [key for key, topic in LISTED.items() if topic.handling == "confirm"]
        label = chance.choice(confirmed if act in ("keep", "decline") else list(LISTED))
        yield Did(who, act, label, chance.choice(LISTED[label].sentences) + ", by now")


def _sentences(label: str) -> Sequence[str]:
    if label in LISTED:
        return LISTED[label].sentences
    return UNLISTED.get(label) or PERSONAL[label.partition(" ")[0]]


def _interleaved(chance: random.Random, each: list[list[Step]]) -> Iterator[Step]:
    """Everybody's steps, each person's in their order."""
    turns = [who for who, steps in enumerate(each) for _ in steps]
    chance.shuffle(turns)
    places = [iter(steps) for steps in each]
    for who in turns:
        yield next(places[who])


def _dealt_anew(chance: random.Random, turn: Turn) -> Turn:
    if not _spoken(turn):
        return turn
    # By the day it was said on too, which is no matter of threads.
    parts: dict[tuple[int, date], list[tuple[str, str]]] = {}
    for step in turn:
        if isinstance(step, Said):
            parts.setdefault((step.who, step.said_on), []).extend(step.parts)
    for dealt in parts.values():
        chance.shuffle(dealt)
    told: list[Step] = []
    for step in turn:
        if isinstance(step, Said):
            hand = parts[step.who, step.said_on]
            step = replace(step, parts=tuple(hand.pop() for _ in step.parts))
        assert isinstance(step, Spoken)  # noqa: S101 - nobody does anything in it, and nothing has happened yet
        told.append(replace(step, thread=chance.randrange(THREADS)))
    return tuple(told)
