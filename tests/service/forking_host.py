"""A host that uses a ledger before it forks, and after: run as a program, by settings in its environment.

    python forking_host.py threads|asyncio|pool EXIT CHILDREN CALLS

Two principals, each with words of their own. While the parent goes on asking, from threads or on an event loop,
children are forked, ask CALLS times each, and end by EXIT (`exit`, `close` and exit, `os._exit`). Prints what the parent and the
children saw, as JSON.
"""

from __future__ import annotations

import asyncio
import gc
import json
import multiprocessing
import os
import sys
import threading
import time
from collections import Counter
from datetime import UTC, datetime
from typing import Any

import psycopg

from ledger import AsyncLedger, Candidate, Decision, Ledger
from ledger.db.agent import Reader
from ledger.service import agents

WORDS = {"ann": "I have two cats", "bob": "I have three dogs"}


class Threads:
    """Asks through `Ledger`; the parent from four threads."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self.resting = self.done = False

    def ask(self, calls: int) -> Counter[str]:
        seen: Counter[str] = Counter()
        for n in range(calls):
            who = ("ann", "bob")[n % 2]
            seen[judged(who, self._ledger.principal(who).recall(["pets"]).entries)] += 1
        return seen

    def go_on(self, seen: Counter[str]) -> list[threading.Thread]:
        def play() -> None:
            while not self.done:
                seen.update(self.ask(0 if self.resting else 10))
                time.sleep(0.001)

        asking = [threading.Thread(target=play) for _ in range(4)]
        for thread in asking:
            thread.start()
        return asking

    def close(self) -> None:
        self._ledger.close()


class Tasks(Threads):
    """Asks through `AsyncLedger`; the parent in four tasks of one event loop, the children each on one of their own."""

    def __init__(self, ledger: Ledger) -> None:
        super().__init__(ledger)
        self._asking = AsyncLedger(ledger.deployment)

    def ask(self, calls: int) -> Counter[str]:
        return asyncio.run(self._ask(calls))

    async def _ask(self, calls: int) -> Counter[str]:
        seen: Counter[str] = Counter()
        for n in range(calls):
            who = ("ann", "bob")[n % 2]
            reader = Reader(self._asking.context.identity.principal(who))
            read = await self._asking.run(agents.recall(self._asking.context, reader, ["pets"]))
            seen[judged(who, read.entries)] += 1
        return seen

    def go_on(self, seen: Counter[str]) -> list[threading.Thread]:
        async def play() -> None:
            while not self.done:
                seen.update(await self._ask(0 if self.resting else 10))
                await asyncio.sleep(0.001)

        async def together() -> None:
            await asyncio.gather(*(play() for _ in range(4)))
            await self._asking.close()

        thread = threading.Thread(target=lambda: asyncio.run(together()))
        thread.start()
        return [thread]


def judged(who: str, entries: Any) -> str:
    """Whose words these are."""
    words = [entry.answer for entry in entries]
    return "right" if words == [WORDS[who]] else "crossed"


def sessions(ledger: Ledger) -> set[int]:
    """What the server has open for agents."""
    assert ledger.deployment.installer is not None
    with psycopg.connect(ledger.deployment.installer) as installer:
        return {
            pid
            for (pid,) in installer.execute(
                "select pid from pg_stat_activity where usename = 'ledger_agent' and datname = current_database()"
            )
        }


def child(calls: int, how: str) -> Counter[str]:
    seen = asking.ask(calls)
    gc.collect()
    if how == "close":
        asking.close()
    return seen


def forked(calls: int, how: str) -> tuple[int, int]:
    """A child, and where it tells what it saw. It ends by `os._exit`, or through the interpreter's own end."""
    reader, writer = os.pipe()
    process = os.fork()
    if process == 0:
        os.close(reader)
        try:
            seen = child(calls, how)
        except BaseException as error:
            seen = Counter([f"failed with {error!r}"])
        os.write(writer, json.dumps(seen).encode())
        if how == "os._exit":
            os._exit(0)
        sys.exit(0)
    os.close(writer)
    return process, reader


def told(process: int, reader: int) -> Counter[str]:
    with os.fdopen(reader) as pipe:
        seen = pipe.read()
    ended = os.waitpid(process, 0)[1]
    return Counter(json.loads(seen or "{}") if ended == 0 else [f"ended with {ended}"])


def pooled(calls: int, how: str, children: int) -> Counter[str]:
    with multiprocessing.get_context("fork").Pool(children) as pool:
        asked = [pool.apply_async(child, (calls, how)) for _ in range(children)]
        return sum((it.get(timeout=120) for it in asked), Counter())


kind, how, children, calls = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
ledger = Ledger.open()
for name, words in WORDS.items():
    person = ledger.principal(name)
    person.capture(words, datetime.now(UTC).date(), [Candidate("pets", words)])
    person.decide(Decision.GRANTED, notice="v1")
asking = Tasks(ledger) if kind == "asyncio" else Threads(ledger)
parent: Counter[str] = Counter()
threads = asking.go_on(parent)
while parent["right"] < 400:
    time.sleep(0.01)
asking.resting = True  # so that some are forked while connections lie idle, and some while all are in use
time.sleep(0.2)
before = sessions(ledger)
started = [] if kind == "pool" else [forked(calls, how) for _ in range(children)]
asking.resting = False
if kind == "pool":
    seen = pooled(calls, how, children)
else:
    started += [forked(calls, how) for _ in range(children)]
    seen = sum((told(*it) for it in started), Counter())
kept = before <= sessions(ledger)
asking.done = True
for thread in threads:
    thread.join()
parent += asking.ask(20)
ledger.close()
json.dump({"children": seen, "parent": parent, "kept": kept, "sessions": len(before)}, sys.stdout)
