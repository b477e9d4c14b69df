"""A process that hides marked texts where programs keep them, and looks for each: whether the search finds it, and whether it
finds nothing once it was let go. Prints both for each place."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import json
import re
import sys
import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import regex

from tests.memory.search import holders


class Slotted:
    __slots__ = ("held",)

    def __init__(self, held: object) -> None:
        self.held = held


class Plain:
    memory: Any = None  # of the class


@functools.lru_cache
def remembered(text: str, after: str = "") -> int:
    return len(text)


def letting_go(remember: Callable[[str], object], forget: Callable[[], object]) -> Callable[[str], object]:
    """A place that is no object of its own: what it keeps goes when the object is gone."""

    class Guard:
        def __del__(self) -> None:
            forget()

    def plant(text: str) -> object:
        remember(text)
        return Guard()

    return plant


def generator(text: str) -> object:
    def steps(held: str) -> Iterator[int]:
        yield 1
        yield len(held)

    made = steps(text)
    next(made)
    return made


def coroutine(text: str) -> Coroutine[Any, Any, None]:
    async def wait(held: str) -> None:
        await asyncio.Future(loop=LOOP)
        assert held

    made = wait(text)
    made.send(None)
    return made


def task(text: str) -> object:
    async def wait() -> None:
        await asyncio.Future()

    context = contextvars.Context()
    context.run(VARIABLE.set, text)
    made = LOOP.create_task(wait(), context=context)
    LOOP.run_until_complete(asyncio.sleep(0))

    class Guard:
        def __del__(self) -> None:
            made.cancel()
            LOOP.run_until_complete(asyncio.sleep(0))

    return Guard()


def error(text: str) -> object:
    def fails(held: str) -> None:
        raise ValueError(len(held))

    try:
        fails(text)
    except ValueError as caught:
        return caught


def thread(text: str) -> object:
    go, started = threading.Event(), threading.Event()

    def wait(held: str) -> None:
        started.set()
        go.wait()
        assert held

    made = threading.Thread(target=wait, args=(text,))
    made.start()
    started.wait()

    class Guard:
        def __del__(self) -> None:
            go.set()
            made.join()

    return Guard()


def default(text: str) -> object:
    def held(given: str = text) -> str:
        return given

    return held


LOOP = asyncio.new_event_loop()
VARIABLE: contextvars.ContextVar[str] = contextvars.ContextVar("VARIABLE")
PLANTS: dict[str, Callable[[str], object]] = {
    "a list": lambda text: [text],
    "a key": lambda text: {text: 1},
    "a tuple in a set": lambda text: {(text, 1)},
    "bytes": lambda text: text.encode(),
    "a buffer": lambda text: bytearray(text.encode()),
    "large letters": lambda text: [text.upper()],
    "a slot": Slotted,
    "a closure": lambda text: lambda: text,
    "a default": default,
    "part of a call": lambda text: functools.partial(len, text),
    "an error's frames": error,
    "a generator": generator,
    "a coroutine": coroutine,
    "a task's context": task,
    "a thread": thread,
    "a pattern": lambda text: re.compile(f"(?x:{text})"),
    "another pattern": lambda text: regex.compile(text),
    "a queue": lambda text: deque([text]),
    "an order": lambda text: OrderedDict([(1, text)]),
    "a call's memory": letting_go(remembered, remembered.cache_clear),
    "a longer call's memory": letting_go(lambda text: remembered(text, after=text), remembered.cache_clear),
    "a class": letting_go(
        lambda text: setattr(Plain, "memory", text), lambda: setattr(Plain, "memory", None)
    ),
}


def planted(plant: Callable[[str], object], stem: str) -> bool:
    """Whether the search finds what is held while this call lasts."""
    held = plant(f"{stem}x")
    return held is not None and bool(holders(stem))


def main() -> None:
    told = {}
    for at, (place, plant) in enumerate(PLANTS.items()):
        stem = f"qmark{chr(97 + at)}"
        found = planted(plant, stem)
        # both modules keep the patterns that they compiled
        re.purge()
        regex.purge()
        told[place] = [found, bool(holders(stem))]
    LOOP.close()
    json.dump(told, sys.stdout)


if __name__ == "__main__":
    main()
