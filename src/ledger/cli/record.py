"""`reconcile`: what was taken away since the backup is taken away again."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from ledger.cli.common import NO, Database, DataDir, Json, Yes, print_json, settings

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
