"""The command line: each command parses, runs one use case, and prints. Exit codes: 0, 1 (no), 2 (usage, setup)."""

from __future__ import annotations

import sys
from importlib.metadata import version
from pathlib import Path
from typing import Annotated

import typer

from ledger.cli import checkup, gate, person, proof, registry
from ledger.cli.common import (
    NO,
    Database,
    DataDir,
    Json,
    console,
    errors,
    opened,
    print_json,
    refuse,
    settings,
    tell_of_keys,
)
from ledger.core.model import Tier
from ledger.errors import InvalidRequest, LedgerError, SetupError
from ledger.identity import Identity
from ledger.keys import Keys
from ledger.service import deployment, sweeps
from ledger.tokens import MAX_TTL, Scope, Tokens

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    help="The answer ledger: what a person already answered, in his own words, and nowhere in which conversation.",
    epilog="New here? answer-ledger demo",
)
app.add_typer(registry.topics, name="topics")
app.add_typer(registry.windows, name="windows")
app.add_typer(gate.gate, name="gate")
app.add_typer(person.hold, name="legal-hold")
app.command()(person.why)
app.command()(person.export)
app.command()(person.erase)
app.command("prove")(proof.command)


def main() -> None:
    """The entry point. An error of the ledger is one line on the standard error, never a traceback."""
    try:
        app()
    except LedgerError as error:
        sys.exit(refuse(error))


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"answer-ledger {version('answer-ledger')}")
        raise typer.Exit


@app.callback()
def _root(
    _: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None:
    pass


@app.command()
def demo() -> None:
    """One person, three agents: who is asked what, and what the database knows. Example: answer-ledger demo"""
    from ledger.cli import story

    story.run(console)


@app.command()
def replay(
    files: list[Path], data_dir: DataDir = None, database: Database = None, json: Json = False
) -> None:
    """What a ledger would have saved on transcripts of yours. Example: answer-ledger replay chats.jsonl"""
    from ledger.cli import transcripts

    raise typer.Exit(transcripts.run(files, json=json))


@app.command()
def serve(
    host: Annotated[str | None, typer.Option(help="The address to listen at (127.0.0.1).")] = None,
    port: Annotated[int | None, typer.Option(help="The port (8700); 0: any that is free.")] = None,
    data_dir: DataDir = None,
    database: Database = None,
) -> None:
    """Serves the HTTP interface, and sweeps. Example: answer-ledger serve --port 8700"""
    from ledger.cli import server

    server.run(host, port, data_dir, database)


@app.command()
def token(
    scope: Annotated[
        str, typer.Option(help='agent, capture, principal, operator, issuer, or "agent capture".')
    ],
    principal: Annotated[str | None, typer.Option(metavar="ID", help="The principal's outside id.")] = None,
    ttl: Annotated[int, typer.Option(metavar="SECONDS", min=1, max=MAX_TTL)] = MAX_TTL,
    max_tier: Annotated[Tier, typer.Option(help="none, topics or full.")] = Tier.FULL,
    data_dir: DataDir = None,
) -> None:
    """Prints a token, and nothing else. Example: answer-ledger token --scope agent --principal ann"""
    chosen = settings(data_dir, None)
    keys = Keys.open(chosen.data_dir, chosen)
    if keys.made_now:
        tell_of_keys(chosen.data_dir)
    identity = Identity(keys.pepper, chosen.tenant)
    try:
        scopes = {Scope(word) for word in scope.split()}
    except ValueError:
        raise InvalidRequest(f"--scope is one of {', '.join(Scope)}, or 'agent capture'.") from None
    issued = Tokens.open(chosen, keys, identity.principal).issue(
        scopes,
        principal=None if principal is None else identity.principal(principal),
        ttl=ttl,
        max_tier=max_tier,
    )
    typer.echo(issued.token)


@app.command()
def migrate(database: Database = None, data_dir: DataDir = None) -> None:
    """Brings a PostgreSQL of yours to this release. Example: answer-ledger migrate --database URL"""
    chosen = settings(data_dir, database)
    url = deployment.installer(chosen)
    if url is None:
        raise SetupError(
            "Name the database with --database or LEDGER_DATABASE_URL; the embedded one needs no migration."
        )
    keys = Keys.open(chosen.data_dir, chosen)
    ran = deployment.migrate(url, Identity(keys.pepper, chosen.tenant))
    console.print(
        f"ran {', '.join(ran)}" if ran else "nothing to do: the database is of this release", highlight=False
    )


@app.command()
def sweep(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Count, and change nothing.")] = False,
    data_dir: DataDir = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Deletes what is past its window and stamps anew what was written. Example: answer-ledger sweep --dry-run"""
    with opened(data_dir, database) as ledger, errors.status("sweeping") as status:
        told = sweeps.sweep(lambda n: status.update(f"sweeping: {n} entries gone"))
        done = ledger.run(sweeps.due() if dry_run else told)
    if json:
        print_json(done)
        return
    for kind, n in done.items():
        console.print(f"{kind:>10}  {n}", highlight=False)


@app.command()
def doctor(data_dir: DataDir = None, database: Database = None, json: Json = False) -> None:
    """Looks for what leaks, and says what to do. Exit 1 when something does. Example: answer-ledger doctor"""
    with opened(data_dir, database) as ledger:
        found = checkup.examine(ledger)
    checkup.show(found, json=json)
    raise typer.Exit(NO if any(not one.well for one in found) else 0)
