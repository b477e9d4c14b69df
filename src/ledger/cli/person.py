"""Commands on one principal: why, export, erase, legal-hold."""

from __future__ import annotations

from dataclasses import asdict

import typer

from ledger.cli.common import NO, Database, DataDir, Json, Yes, confirmed, console, opened, print_json
from ledger.service import operators, principals

hold = typer.Typer(
    no_args_is_help=True, help="While it stands nothing of a principal is swept, deleted or replaced."
)


def why(id: str, label: str, data_dir: DataDir = None, database: Database = None, json: Json = False) -> None:
    """Why an agent sees nothing, or not all, of a topic: unlisted, sealed, withheld, revoked, stale...

    Example: answer-ledger why ann kids
    """
    with opened(data_dir, database) as ledger:
        state, reasons = ledger.run(principals.why(ledger.context, ledger.principal(id).id, label))
    if json:
        print_json({"state": asdict(state), "reasons": reasons})
    for reason in reasons if not json else ():
        console.print(f"- {reason}", markup=False, highlight=False)
    if not reasons and not json:
        console.print("Nothing stands in the way: an agent is shown the answer.")
    raise typer.Exit(NO if reasons else 0)


def export(id: str, data_dir: DataDir = None, database: Database = None) -> None:
    """Everything kept about a principal, as one JSON document with its schema.

    Example: answer-ledger export ann > ann.json
    """
    from ledger.api import render  # brings the web framework along, which no other command here needs

    with opened(data_dir, database) as ledger:
        taken = ledger.run(principals.export(ledger.context, ledger.principal(id).id))
    print_json(render.taken_away(taken))


def erase(
    id: str, yes: Yes = False, data_dir: DataDir = None, database: Database = None, json: Json = False
) -> None:
    """Erases everything of a principal; the receipt counts and names nothing.

    Example: answer-ledger erase ann --yes
    """
    if not confirmed("Erase everything of this principal, for good?", yes):
        raise typer.Exit(NO)
    with opened(data_dir, database) as ledger:
        erased = ledger.run(principals.erase(ledger.context, ledger.principal(id).id))
    if json:
        print_json(asdict(erased))
        return
    console.print(
        f"{erased.entries} entries, {erased.pending} pending, {erased.withheld} withheld topics: "
        + ("hidden; a legal hold keeps them until it is lifted" if erased.on_hold else "erased"),
        highlight=False,
    )


@hold.command("place")
def place(id: str, data_dir: DataDir = None, database: Database = None) -> None:
    """Places a hold. Example: answer-ledger legal-hold place ann"""
    with opened(data_dir, database) as ledger:
        ledger.run(operators.place_hold(ledger.context, ledger.principal(id).id))
    console.print("The hold stands.")


@hold.command("lift")
def lift(id: str, data_dir: DataDir = None, database: Database = None) -> None:
    """Lifts a hold, and completes an erasure that waited for it. Example: answer-ledger legal-hold lift ann"""
    with opened(data_dir, database) as ledger:
        ledger.run(operators.lift_hold(ledger.context, ledger.principal(id).id))
    console.print("No hold stands.")
