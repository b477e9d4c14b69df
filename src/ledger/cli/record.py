"""`backup`, `restore`, and `reconcile`, by which what was taken away since the backup is taken away again."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from ledger.cli.common import NO, Database, DataDir, Json, Yes, opened, print_json, settings

_ASKED = (
    "Without the record nobody knows what was revoked, withheld or erased since the backup. Turn every grant of everybody into "
    "a refusal?"
)


def reconcile(
    without_record: Annotated[
        bool,
        typer.Option(
            "--without-record",
            help="The record is lost: turn every grant into a refusal, and begin a new record. Asks first.",
        ),
    ] = False,
    old: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="URL",
            help="Takes what stands in this database too, as its installer: the one that this was restored from.",
            show_default=False,
        ),
    ] = None,
    yes: Yes = False,
    data_dir: DataDir = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """After a restore: applies what was taken away since the backup. Till then agents get nothing.

    The record of what was revoked, objected to, withheld, held, deleted and erased lies apart from the database, and tells by
    itself when a database went back. On a sound database nothing is done.
    """
    from ledger.cli.terminal import confirmed, opening, say
    from ledger.service.deployment import Deployment
    from ledger.service.reconciling import reconcile as reconciled

    if without_record and not confirmed(_ASKED, yes):
        raise typer.Exit(NO)
    chosen = settings(data_dir, database)
    with opening(chosen, make=False):
        deployment = Deployment.open(chosen, make=False, without_record=without_record or old is not None)
    try:
        done = reconciled(deployment, without_record=without_record, old=old)
    finally:
        deployment.close()
    if json:
        print_json(asdict(done))
    elif done.revoked is not None:
        say(f"Grants that became refusals: {done.revoked:,}. Each person is to be asked again.")
        say("Whoever has not decided shows no topic from now on (LEDGER_UNDECIDED_TIER=none).")
    elif done.rows:
        say(
            f"Taken away again: {done.rows:,} things, of {done.principals:,} people"
            + (f" and {done.registry:,} of the registry." if done.registry else ".")
        )
        say("Agents are served again.")
    else:
        say("Nothing to do: the database holds everything that the record does.")


Folder = Annotated[Path, typer.Argument(metavar="DIR", help="The folder of the backup.", file_okay=False)]


def backup(dir: Folder, data_dir: DataDir = None, database: Database = None, json: Json = False) -> None:
    """Writes a backup into a new folder, while the ledger runs: the rows of the database, and a copy of the record.

    The keys are not in it. Back them up once, in another place: whoever holds both can tell whose answers are whose.
    """
    from ledger.cli.terminal import say
    from ledger.service import backups

    with opened(data_dir, database) as ledger:
        made = backups.backup(ledger.deployment, dir)
        keys = ledger.deployment.settings.data_dir / "keys"
    if json:
        print_json(asdict(made))
        return
    say(f"{made.rows:,} rows, and " + _of_the_record(made.recorded) + f", in {dir}")
    say(f"The keys are not in it: {keys} wants a backup of its own, in another place.")


def _of_the_record(n: int | None) -> str:
    return "no record of what was taken away (none is kept)" if n is None else f"{n:,} of the record"


def restore(
    dir: Annotated[
        Path, typer.Argument(metavar="DIR", help="The folder of the backup.", exists=True, file_okay=False)
    ],
    data_dir: DataDir = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Makes a ledger out of a backup, in an empty database or data directory, and reconciles it.

    Put the keys back first. A record that is there is kept: what was taken away since the backup is taken away again before
    anybody is served.
    """
    from ledger.cli.terminal import UNRECORDED, complain, say
    from ledger.service import backups

    chosen = settings(data_dir, database)
    rows, done = backups.restore(chosen, dir)
    if json:
        print_json({"rows": rows, **asdict(done)})
        return
    say(f"{rows:,} rows are restored.")
    if done.rows:
        say(
            f"Taken away since the backup, and taken away again: {done.rows:,} things, of {done.principals:,} people."
        )
    if chosen.taken_url is None and chosen.taken_dir is None and chosen.database_url is not None:
        complain(UNRECORDED)
