"""Commands on one principal: why, export, erase, legal-hold."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ledger.cli.common import NO, Database, DataDir, Json, Label, Yes, opened, print_json
from ledger.cli.help import example, group
from ledger.errors import NotFound

if TYPE_CHECKING:
    from ledger.service.ledger import Ledger

ID = Annotated[
    str, typer.Argument(metavar="ID", help="The person, by the id that your application knows them by.")
]

hold = group("While it stands, nothing of a principal is swept, deleted or replaced.")


def why(
    id: ID, label: Label, data_dir: DataDir = None, database: Database = None, json: Json = False
) -> None:
    """Why an agent sees nothing, or not all, of a topic.

    Gives every reason there is: the topic is unlisted, sealed or withheld, consent is undecided or revoked, the answer is
    stale ... Exit code 0 when nothing stands in the way, 1 when something does.
    """
    from ledger.cli.terminal import say
    from ledger.service.why import why as reasons_of

    with opened(data_dir, database) as ledger:
        state, reasons = ledger.run(reasons_of(ledger.context, ledger.principal(id).id, label))
    if json:
        print_json({"state": asdict(state), "reasons": reasons})
    elif reasons:
        for reason in reasons:
            say(f"- {reason}")
    else:
        say("Nothing stands in the way: an agent is shown the answer.")
    raise typer.Exit(NO if reasons else 0)


def export(id: ID, data_dir: DataDir = None, database: Database = None) -> None:
    """Everything kept about a principal, as one JSON document; its schema stands at the end."""
    from ledger.api import render
    from ledger.service import principals

    with opened(data_dir, database) as ledger:
        _refuse_unknown(ledger, id)
        taken = ledger.run(principals.export(ledger.context, ledger.principal(id).id))
    print_json(render.taken_away(taken))


def erase(
    id: ID, yes: Yes = False, data_dir: DataDir = None, database: Database = None, json: Json = False
) -> None:
    """Erases everything of a principal, for good. Asks first; the receipt counts and names nothing."""
    from ledger.cli.terminal import confirmed, say
    from ledger.service import principals

    with opened(data_dir, database) as ledger:
        _refuse_unknown(ledger, id)
        if not confirmed("Erase everything of this principal, for good?", yes):
            raise typer.Exit(NO)
        erased = ledger.run(principals.erase(ledger.context, ledger.principal(id).id))
    if json:
        print_json(asdict(erased))
        return
    say(
        f"entries {erased.entries}, pending {erased.pending}, withheld topics {erased.withheld}: "
        + ("hidden; a legal hold keeps them until it is lifted" if erased.on_hold else "erased")
    )


def _refuse_unknown(ledger: Ledger, id: str) -> None:
    """A mistyped id, tenant or folder must not read like a person of whom nothing is kept."""
    from ledger.service import principals

    if not ledger.run(principals.is_known(ledger.principal(id).id)):
        raise NotFound(
            "Nobody of this id is known here: nothing is kept, and nothing was done. See that the id, LEDGER_TENANT and "
            "--data-dir or --database are the right ones."
        )


@hold.command("place", epilog=example("answer-ledger legal-hold place ann"))
def place(id: ID, data_dir: DataDir = None, database: Database = None) -> None:
    """Places a hold."""
    from ledger.cli.terminal import say
    from ledger.service import operators

    with opened(data_dir, database) as ledger:
        ledger.run(operators.place_hold(ledger.context, ledger.principal(id).id))
    say("The hold stands.")


@hold.command("lift", epilog=example("answer-ledger legal-hold lift ann"))
def lift(id: ID, data_dir: DataDir = None, database: Database = None) -> None:
    """Lifts a hold, and completes an erasure that waited for it."""
    from ledger.cli.terminal import say
    from ledger.service import operators

    with opened(data_dir, database) as ledger:
        ledger.run(operators.lift_hold(ledger.context, ledger.principal(id).id))
    say("No hold stands.")
