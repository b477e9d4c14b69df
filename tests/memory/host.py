"""A process that serves by HTTP, uses the library beside it, and then looks through its own memory.

It takes a line of JSON and gives one, in turn. Marks come to it spelt backwards, so that what it is told holds none.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any

from ledger import Candidate, Ledger
from ledger.api.app import create_app
from ledger.api.serving import Server, listen
from ledger.errors import LedgerError
from ledger.service.deployment import Deployment
from ledger.settings import Settings
from tests.memory.search import holders

KEPT: list[str] = []  # what is planted here is to be found


def main() -> None:
    with Ledger.open() as library:
        deployment = Deployment.open(Settings.load())
        line = listen("127.0.0.1", 0)
        server = Server(create_app(deployment), deployment.settings)
        serving = threading.Thread(target=server.run, kwargs={"sockets": [line]})
        serving.start()
        while not server.started:
            time.sleep(0.01)
        tell(line.getsockname()[1])
        for asked in sys.stdin:
            told = json.loads(asked)
            if "plant" in told:
                KEPT.append(told["plant"][::-1])
                tell(None)
            elif "library" in told:
                tell(sum(live(library, told["library"], n) for n in range(told["calls"])))
            else:
                while server.server_state.tasks:  # an answer is sent before its task has ended
                    time.sleep(0.01)
                tell(holders(*(mark[::-1] for mark in told["search"])))
        server.should_exit = True
        serving.join()
        deployment.close()


def tell(what: Any) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def live(library: Ledger, backwards: str, n: int) -> int:
    """Some calls of the library with marks in them, some of which fail. Gives their number."""
    mark = f"{backwards[::-1]}{n}"
    person = library.principal(f"{mark} person")
    today = datetime.now(UTC).date()
    message = f"Hi {mark}name! I collect {mark} stamps. It's never {mark} caf\u0065\u0301 time."
    candidates = [
        Candidate(f"about {mark}", f"I collect {mark} stamps"),
        Candidate("b", f"{mark} cafe\u0301"),
        Candidate("c", f"not in it {mark}"),
        Candidate(f"{mark}@{mark}", mark),
    ]
    calls = [
        lambda: person.capture(message, today, candidates, avoid=[f"{mark}name"], asked=f"What of {mark}?"),
        lambda: person.capture(message, today, candidates, lang=f"xx-{mark}"),
        lambda: person.reconfirm(f"about {mark}", message, mark, today, True, avoid=[f"{mark} name"]),
        lambda: person.plan([f"about {mark}", f"stamsp {mark}"]),
        lambda: person.recall([f"{mark}/"]),
        lambda: person.coverage([f"about {mark}"]),
        lambda: [person.correct(one.id, f"I sell {mark} stamps") for one in person.entries()],
        lambda: person.correct(mark, mark),
        lambda: person.export(),
        lambda: person.erase(),
    ]
    for call in calls:
        with suppress(LedgerError):
            call()
    return len(calls)


if __name__ == "__main__":
    main()
