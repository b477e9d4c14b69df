"""The command line: each command parses, runs one use case, and prints. Exit codes: 0, 1 (no), 2 (usage, setup)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from ledger.cli import gate, person, proof, record, tokens, topics, windows
from ledger.cli.common import NO, Database, DataDir, Json, opened, print_json, refuse, settings
from ledger.cli.help import example, group
from ledger.errors import LedgerError, SetupError

SEE, RUN, PERSON, CARE = "See what it does", "Run it", "One person", "Look after it"

app = group(
    "The answer ledger: what a person already answered, in his own words, and nowhere in which conversation.",
    epilog="New here? Begin with: answer-ledger demo",
)


def main() -> None:
    """The entry point. An error of the ledger is one line on the standard error, never a traceback."""
    try:
        app()
    except LedgerError as error:
        sys.exit(refuse(error))


def _version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"answer-ledger {version('answer-ledger')}")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    pass


@app.command(epilog=example("answer-ledger demo"), rich_help_panel=SEE)
def demo() -> None:
    """One person, three agents: who is asked what, and what the database knows.

    Plays over real HTTP, on a database of its own that is gone afterwards. Takes some seconds.
    """
    from ledger.cli import story
    from ledger.cli.terminal import console

    story.run(console)


@app.command(epilog=example("answer-ledger replay chats.jsonl"), rich_help_panel=SEE)
def replay(
    files: Annotated[
        list[Path],
        typer.Argument(
            metavar="FILE", exists=True, dir_okay=False, help="Transcripts, one message a line (JSON)."
        ),
    ],
    json: Json = False,
) -> None:
    """What a ledger would have saved on transcripts of yours.

    Plays them through the real gate, consent and windows, on a database of its own that is gone afterwards. A line of a
    file is a message of a person, one JSON object (here on three lines):

    \b
      {"principal": "p1", "thread": "t9", "said_on": "2026-03-01",
       "question": "Do you smoke?", "message": "No, never.",
       "answers": [{"topic": "smoking", "span": "No, never."}]}

    said_on may be null (today), and so may question (he was not asked). Each thread is another counterparty; the ledger
    is never told which. All of it: docs/guides/replay.md
    """
    from ledger.cli import transcripts

    raise typer.Exit(transcripts.run(files, json=json))


app.add_typer(gate.gate, name="gate", rich_help_panel=SEE)


@app.command(
    epilog=example("answer-ledger serve --port 8700", "answer-ledger serve --workers 4 --log-level info"),
    rich_help_panel=RUN,
)
def serve(
    host: Annotated[
        str | None, typer.Option(metavar="HOST", help="The address to listen at (127.0.0.1).")
    ] = None,
    port: Annotated[
        int | None, typer.Option(metavar="PORT", help="The port (8700); 0: any that is free.")
    ] = None,
    workers: Annotated[
        int | None,
        typer.Option(metavar="N", help="Processes that serve (1). One that dies is started anew."),
    ] = None,
    log_level: Annotated[
        str | None,
        typer.Option(
            metavar="LEVEL",
            help="critical, error, warning (if absent), info or debug; nothing of a request is logged at any.",
        ),
    ] = None,
    data_dir: DataDir = None,
    database: Database = None,
) -> None:
    """Serves the HTTP interface, and sweeps in the background. The first start prints the next steps.

    SIGTERM and Ctrl-C end it: what it has begun to read is answered first, within LEDGER_GRACE_S seconds.
    """
    from ledger.cli import server

    server.run(data_dir, database, host=host, port=port, workers=workers, log_level=log_level)


app.add_typer(tokens.token, name="token", rich_help_panel=RUN)
app.add_typer(topics.topics, name="topics", rich_help_panel=RUN)
app.add_typer(windows.windows, name="windows", rich_help_panel=RUN)


@app.command(
    epilog=example("answer-ledger migrate --database postgresql://installer:secret@db.example/ledger"),
    rich_help_panel=RUN,
)
def migrate(
    new_passwords: Annotated[
        bool,
        typer.Option(
            "--new-passwords",
            help="Give the surfaces new passwords, in every ledger of the cluster. Whoever serves needs the new logins.json.",
        ),
    ] = False,
    database: Database = None,
    data_dir: DataDir = None,
) -> None:
    """Brings a PostgreSQL of yours to this release. The embedded one is brought there when it starts.

    Makes the keys and the passwords of the surfaces in the data directory, where there are none, and sets those
    passwords in the database. A database that was filled with another pepper is refused.
    """
    from ledger.cli.terminal import complain, say, tell_of_keys
    from ledger.passwords import place
    from ledger.service import deployment

    chosen = settings(data_dir, database)
    url = deployment.installer(chosen)
    if url is None:
        raise SetupError(
            "Name the database with --database or LEDGER_DATABASE_URL; the embedded one needs no migration."
        )
    done = deployment.migrate(url, chosen, new_passwords=new_passwords)
    if done.keys.made_now:
        tell_of_keys(chosen.data_dir.absolute())
    if done.passwords_set:
        complain(
            f"The surfaces have the passwords of {place(chosen.data_dir)}. A worker on another machine needs a copy of the keys "
            "folder, or a URL for each surface (LEDGER_DATABASE_URL_AGENT and so on)."
        )
    say(
        f"ran {', '.join(done.ran)}"
        if done.ran
        else "set the passwords of the surfaces"
        if done.passwords_set
        else "nothing to do: the database is of this release"
    )


app.command(epilog=example("answer-ledger why ann kids"), rich_help_panel=PERSON)(person.why)
app.command(epilog=example("answer-ledger export ann > ann.json"), rich_help_panel=PERSON)(person.export)
app.command(epilog=example("answer-ledger erase ann"), rich_help_panel=PERSON)(person.erase)
app.add_typer(person.hold, name="legal-hold", rich_help_panel=PERSON)


GOING = {
    "entries": "answers",
    "pending": "answers that still wait for the person's yes",
    "barriers": "marks of what somebody deleted, which keep it deleted",
    "audit": "lines of the audit: how often something was done, and on which day",
    "topics": "keys that some agent coined, and nobody has an answer on",
    "credentials": "credentials of your backends, whose last day is past",
}


@app.command(epilog=example("answer-ledger sweep --dry-run"), rich_help_panel=CARE)
def sweep(
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run",
            help="Say what would go, to the row, and change nothing. Exact counts are the owner's alone.",
        ),
    ] = False,
    data_dir: DataDir = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Deletes what is past its window, and stamps anew what was written before today. `serve` does it daily by itself.

    It counts exactly, and is for the owner of the ledger: two exact counts with a step in between can tell of one person.
    Operators ask over HTTP, and hear what the weekly snapshot says.
    """
    from ledger.cli.terminal import errors, say
    from ledger.service import sweeps

    with opened(data_dir, database) as ledger, errors.status("sweeping") as status:
        told = sweeps.sweep(lambda n: status.update(f"sweeping: {n} more rows gone"), ledger.context.record)
        done = ledger.run(sweeps.due() if dry_run else told)
    if json:
        print_json(done)
        return
    past = {what: done[kind] for kind, what in GOING.items() if done[kind]}
    if not past:
        say("Nothing is past its window.")
    else:
        say("Past their windows, and would be deleted:" if dry_run else "Past their windows, and deleted:")
        for what, n in past.items():
            say(f"{n:>9,}  {what}")
    if dry_run:
        say("Nothing was changed. To do it: answer-ledger sweep")
    else:
        say(
            f"Rows stamped anew, so that nothing tells in which order they were written: {done['restamped']:,}"
        )
        if done["held_back"]:
            say(
                f"{done['held_back']} tables could not be cleaned yet: a transaction is open that is older than this sweep, "
                "such as a dump's. Sweep again when it has ended."
            )


app.command(epilog=example("answer-ledger backup backups/monday"), rich_help_panel=CARE)(record.backup)
app.command(epilog=example("answer-ledger restore backups/monday"), rich_help_panel=CARE)(record.restore)
app.command(epilog=example("answer-ledger reconcile"), rich_help_panel=CARE)(record.reconcile)


@app.command(epilog=example("answer-ledger doctor"), rich_help_panel=CARE)
def doctor(data_dir: DataDir = None, database: Database = None, json: Json = False) -> None:
    """Looks for what leaks, and says what to do. Exit code 1 when something does."""
    from ledger.cli import checkup

    found = checkup.examine(data_dir, database)
    checkup.show(found, json=json)
    raise typer.Exit(NO if any(not one.well for one in found) else 0)


app.command("prove", epilog=example("answer-ledger prove"), rich_help_panel=CARE)(proof.command)
