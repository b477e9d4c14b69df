"""The sweep: deletes what is past its window, draws the snapshot, stamps anew what was written before today."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import date

from ledger.db import sweeper as db
from ledger.db.operation import Operation, UseCase
from ledger.errors import Unavailable
from ledger.record.keeping import Record

BATCH = 5_000  # rows a transaction, so that no capture waits long

SMALL = 64 << 20  # bytes of a piece that is written anew as a whole, which takes a second or two at the most

_PAUSE_S = 1.0
_TRIES = 5  # at a vacuum that an older transaction holds back, such as a dump's
_TRIES_OF_AUTOVACUUM = 90  # it looks once a minute, unless it is told otherwise


def due() -> UseCase[dict[str, int]]:
    """What a sweep would delete now, exactly. For the owner of the deployment, never for an operator."""
    yield db.cut()
    counts: dict[str, int] = yield db.due()
    return counts


def sweep(
    progress: Callable[[int], None] = lambda _: None, record: Record | None = None
) -> UseCase[dict[str, int]]:
    """Runs the whole sweep, and gives what was done: rows by kind, `topics` (keys that nobody needs), `credentials`,
    `restamped`, `held_back`: tables that a vacuum could not clean yet, since an older transaction is open; and `behind`: 1
    where the `record` is ahead of the database, which then lost something.

    `progress` hears of the rows deleted so far. Safe to run at any time and twice at once; one that was ended
    early is taken up by the next.
    """
    day: date = yield db.cut()
    pieces: list[db.Piece] = yield db.pieces()
    done = {piece.expires: 0 for piece in pieces if piece.expires}
    for piece in pieces:
        if piece.expires:
            n = yield from _batches(lambda piece=piece: db.expired(piece, BATCH), progress)  # type: ignore[misc]
            done[piece.expires] += n
    done["topics"] = yield from _batches(lambda: db.keys(BATCH), progress)
    done["credentials"] = yield db.credentials()
    yield db.snapshot()
    done["behind"] = 0
    if record is not None:
        done["behind"] = int(not (yield from record.sweep()))
    done["restamped"] = 0
    for piece in pieces:
        if piece.is_stamped:
            done["restamped"] += yield db.restamp(piece)
    done["held_back"] = yield from _vacuumed(pieces)
    if not done["held_back"]:
        yield db.done(day)
    return done


def is_done_today() -> UseCase[bool]:
    """Whether a sweep of today has come to its end, and nothing of it was held back."""
    day: date = yield db.cut()
    last: date | None = yield db.swept_on()
    return last == day


def last() -> UseCase[date | None]:
    """The day of the last sweep that has come to its end; None: there was none."""
    day: date | None = yield db.swept_on()
    return day


def _batches(batch: Callable[[], Operation[int]], progress: Callable[[int], None]) -> UseCase[int]:
    total = 0
    while n := (yield batch()):
        total += n
        progress(n)
    return total


def _vacuumed(pieces: Collection[db.Piece]) -> UseCase[int]:
    """Vacuums every piece, and writes small ones anew; waits for autovacuum where only an owner may vacuum. Gives how
    many are held back."""
    own = all(piece.may_vacuum for piece in pieces)
    left = {piece.name for piece in pieces}
    old = {piece.name for piece in pieces if piece.may_rewrite and piece.size <= SMALL}
    for again in range(_TRIES if own else _TRIES_OF_AUTOVACUUM):
        if again:
            yield db.wait(_PAUSE_S)
        anew = set()
        for piece in pieces:
            if piece.name in old and again < _TRIES and (yield from _rewritten(piece)):
                anew.add(piece.name)
            if piece.may_vacuum and piece.name in left | old:
                yield db.vacuum(piece)
        left = yield db.held_back()
        old -= anew - left
        if not left and (not old or again + 1 >= _TRIES):
            break
    return len(left | old)


def _rewritten(piece: db.Piece) -> UseCase[bool]:
    try:
        yield db.rewrite(piece)
    except Unavailable:
        return False  # somebody reads the table for longer than others may wait behind this
    return True
