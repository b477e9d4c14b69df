"""The attackers get everything that is left of a play: rows and how they lie, logs, figures, the write-ahead log."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime

from ledger.db.copies import fill, plain
from ledger.db.remains import LARGE, Log, Remains, Row, Table
from ledger.embedded import binaries
from ledger.proof import attack, histories, signals
from ledger.proof.attack import Verdict
from ledger.proof.play import Play, Told
from ledger.proof.report import Line
from ledger.proof.signals import Given, Item, Signal
from ledger.proof.stage import Stage
from ledger.service.replay import Line as Spoken

Contents = Mapping[Table, Sequence[Row]]
Signals = Mapping[str, Signal]


def of_histories(stage: Stage, seed: int, people: int) -> Iterator[Line]:
    """Attacks what a generated world leaves: two days, on which each person speaks in several threads."""
    world = histories.in_sessions(histories.swept_daily(histories.generate(seed, people, days=2)), seed)

    def play(play: Play) -> None:
        for day in world.days:
            play.dawn(day.day)
            play.day(day)

    yield _measured()
    yield from _attacked(stage, play)


def of_transcripts(
    stage: Stage, lines: Sequence[Spoken], advance: Callable[[], None] = lambda: None
) -> Iterator[Line]:
    """Attacks what transcripts leave. Each line is played on its day; each day begins with a sweep."""
    today = datetime.now(UTC).date()

    def play(play: Play) -> None:
        for line in lines:
            day = line.said_on or today
            if day != play.today:
                play.dawn(day)
            play.line(line, today)
            advance()

    yield from _attacked(stage, play)


def _attacked(stage: Stage, run: Callable[[Play], None]) -> Iterator[Line]:
    with stage.place() as place, Remains(place.installer) as remains:
        remains.checkpoint()
        play = Play(place)
        run(play)
        before, log = _contents(remains), _read(remains)
        play.dawn()
        after = _contents(remains)
        texts = {
            "our log": place.logged(), "the server's log": place.server_logged(),
            "what was printed": place.printed.getvalue().splitlines(), "the figures": place.figures().splitlines(),
        }  # fmt: skip
        # A checkpoint gives up what came before the last but one.
        remains.checkpoint()
        remains.checkpoint()
        short_log = _read(remains)
    evening, night = truth(before, play.told), truth(after, play.told)
    rows_before, log_before = _copied(stage, before, evening)
    rows_after, log_after = _copied(stage, after, night)
    yield _known(night)
    yield _awake(stage, play.told, night)
    yield _judged(
        "tables and system columns after the sweep",
        attack.best(night, signals.of_rows(_named(after)), rows_after),
    )
    told: dict[str, Signal] = {}
    for name, lines in texts.items():
        told |= signals.of_lines(name, lines, night)
    yield _judged("logs, figures and what was printed", attack.best(night, told, {}))
    rows = attack.best(evening, signals.of_rows(_named(before)), rows_before)
    yield _reported(
        "tables and system columns till the first sweep of the next day",
        rows,
        "sweep soon after midnight: `serve` does, and `answer-ledger sweep`",
    )
    written = attack.best(evening, _of_log(log, evening), log_before)
    yield _reported(
        f"the write-ahead log as it is kept ({log.size})",
        written,
        "keep it short, and archive it encrypted or not at all",
    )
    kept = attack.best(night, _of_log(short_log, night), log_after)
    yield _reported(
        f"the write-ahead log after a sweep and a checkpoint ({short_log.size})",
        kept,
        "no archive, no slot, `wal_recycle = off`, a small `max_wal_size`",
    )


def truth(contents: Contents, told: Sequence[Told]) -> dict[Item, Given]:
    """Of each entry that stands, the thread in which it was last said; not of those that they wrote themselves."""
    threads: dict[tuple[str, str, str | None, date], object] = {}
    for one in told:
        threads[one.principal, one.topic, one.text, one.day] = one.thread
    found: dict[Item, Given] = {}
    for row in next(rows for table, rows in contents.items() if table.full_name == "ledger.entry"):
        principal, topic, text, day = (
            row.values[name] or "" for name in ("principal", "topic", "answer", "as_of")
        )
        as_of = date.fromisoformat(day)
        for words in (text, None):
            if (principal, topic, words, as_of) in threads:
                found[principal, topic] = Given(threads[principal, topic, words, as_of], as_of, text)
                break
    return found


def _contents(remains: Remains) -> dict[Table, list[Row]]:
    return {
        table: remains.rows(table)
        for table in remains.tables()
        if not table.of_the_system and table.schema != "pg_toast" and remains.count(table) <= LARGE
    }


def _named(contents: Contents) -> dict[str, Sequence[Row]]:
    return {table.full_name: rows for table, rows in contents.items()}


def _copied(stage: Stage, contents: Contents, answers: Mapping[Item, Given]) -> tuple[Signals, Signals]:
    """What the rows and the log of a copy tell that was filled from the contents alone."""
    with stage.place() as place, Remains(place.installer) as remains:
        remains.checkpoint()
        fill(place.installer, contents)
        return signals.of_rows(_named(_contents(remains))), _of_log(_read(remains), answers)


# ── The write-ahead log ──────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, slots=True)
class _Log:
    """A log, and what pg_waldump tells of it; nothing where there is none beside the server's programs."""

    log: Log
    told: str

    @property
    def size(self) -> str:
        return f"{len(self.log.content) / 2**20:.0f} MB{'' if self.told else ', without pg_waldump'}"


def _read(remains: Remains) -> _Log:
    log = remains.write_ahead_log()
    program = binaries.find().folder / "pg_waldump"
    if not program.is_file():
        return _Log(log, "")
    first, last = log.segments[0], log.segments[-1]
    # It complains where the log ends in the middle of a file, as a log that is written to does.
    told = subprocess.run(
        [program, "--path", first.parent, first.name, last.name], capture_output=True, check=False
    )
    return _Log(log, told.stdout.decode("utf-8", "replace"))


def _of_log(log: _Log, answers: Mapping[Item, Given]) -> Signals:
    placed = signals.of_log(log.log.content, answers)
    return {**placed, **signals.of_records(log.told, log.log.start, placed)}


# ── What it comes to ─────────────────────────────────────────────────────────────────────────────


def _measured() -> Line:
    return Line(
        "how it is measured",
        "G1", None,
        "an advantage is how much oftener a pair of one thread is put before a pair of two than the other way round, 0 a coin's "
        f"throw and 1 certainty, with an interval of 95 %. It is no advantage up to what chance gives once in {1 / attack.DOUBT:,.0f} "
        "times, which stands beside it, and a leak from there on",
    )  # fmt: skip


def _known(answers: Mapping[Item, Given]) -> Line:
    pairs = signals.together(answers)
    content = attack.guess(answers, lambda a, b: pairs[a[0]][frozenset((a[1], b[1]))])
    return Line(
        "what is kept on purpose, and no attack",
        "G1", None,
        f"{len(answers):,} answers of {len({p for p, _ in answers}):,} principals. The dates alone give {_signed(attack.by_dates(answers))} "
        "of an advantage (where a talk is over within days, answers of one day are the rather of one thread). "
        f"Which topics go together gives {_signed(content.advantage)} more. What follows is over both: among pairs whose dates lie "
        "equally far apart, and less what a copy of the contents gives",
    )  # fmt: skip


def _awake(stage: Stage, told: Sequence[Told], answers: Mapping[Item, Given]) -> Line:
    """The attackers on a table that was filled as it came: if they find nothing there, they would find nothing here."""
    came = [
        (one.principal, one.topic, one.text, one.day) for one in told
        if one.text is not None and (one.principal, one.topic) in answers
    ]  # fmt: skip
    with stage.place() as place:
        rows = plain(place.installer, came)
    found = attack.best(answers, signals.of_rows({"a plain table": rows}), {})
    return Line(
        "the same attackers on a plain table that was upserted as it came",
        "awake",
        found.low > 0,
        _seen(found),
    )


def _judged(about: str, found: Verdict) -> Line:
    return Line(f"an attacker's advantage from {about}", "G1", not found.leaks, _seen(found))


def _reported(about: str, found: Verdict, todo: str) -> Line:
    return Line(f"an attacker's advantage from {about}", "residue", None, f"{_seen(found)}; {todo}")


def _seen(found: Verdict) -> str:
    interval = f"[{_signed(found.low)}, {_signed(found.high)}]"
    chance = f"chance gives up to {_signed(found.limit)}"
    return (
        f"{_signed(found.advantage)} {interval}, and {chance}, by the best of {found.attackers}: {found.best}"
    )


def _signed(advantage: float) -> str:
    return f"{round(advantage, 2) + 0.0:+.2f}"
