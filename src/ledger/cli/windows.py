"""`windows`: how long an answer holds, as operators decide."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from ledger.cli.common import Database, DataDir, Json, Yes, opened, print_json
from ledger.cli.help import example, group
from ledger.cli.steps import step

windows = group("Staleness: from when on an answer is a question, and when it is gone.")

Reconfirm = Annotated[
    int, typer.Argument(metavar="RECONFIRM_AFTER", help="Whole days; an answer that is older is a question.")
]
Drop = Annotated[int, typer.Argument(metavar="DROP_AFTER", help="Whole days; at this age it is gone.")]


@windows.command("show", epilog=example("answer-ledger windows show"))
def show(data_dir: DataDir = None, database: Database = None, json: Json = False) -> None:
    """The default window, and those of topics that have their own."""
    from rich.table import Table

    from ledger.cli.terminal import console
    from ledger.service import operators

    with opened(data_dir, database) as ledger:
        default = ledger.run(operators.default_window(ledger.context))
        own = [one for one in ledger.run(operators.whole_registry(ledger.context)) if one.reconfirm_after]
    if json:
        print_json(
            {
                "default": asdict(default),
                "topics": {one.key: [one.reconfirm_after, one.drop_after] for one in own},
            }
        )
        return
    table = Table("topic", "a question after", "gone at (whole days of age)", box=None)
    table.add_row("(default)", str(default.reconfirm_after), str(default.drop_after))
    for one in own:
        table.add_row(one.key, str(one.reconfirm_after), str(one.drop_after))
    console.print(table)


@windows.command("set", epilog=example("answer-ledger windows set 90 365 --topic kids"))
def set_window(
    reconfirm_after: Reconfirm,
    drop_after: Drop,
    topic: Annotated[
        str | None, typer.Option(metavar="LABEL", help="The one topic that it is for; absent, the default.")
    ] = None,
    yes: Yes = False,
    data_dir: DataDir = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Changes a window; it holds for every entry at once. What a shorter one takes away is shown first, and asked."""
    from ledger.cli.terminal import say
    from ledger.service import operators

    with opened(data_dir, database) as ledger:
        if topic is None:
            step(
                ledger,
                yes,
                operators.default_etag(ledger.run(operators.default_window(ledger.context))),
                lambda *seen, **how: operators.set_default_window(
                    ledger.context, reconfirm_after, drop_after, *seen, **how
                ),
            )
        else:
            fields = {"reconfirm_after": reconfirm_after, "drop_after": drop_after}
            step(
                ledger,
                yes,
                operators.etag(ledger.run(operators.topic(ledger.context, topic))),
                lambda *seen, **how: operators.change(ledger.context, topic, fields, *seen, **how),
            )
    if json:
        print_json({"topic": topic, "reconfirm_after": reconfirm_after, "drop_after": drop_after})
        return
    say(f"{topic or 'default'}: a question after {reconfirm_after} days, gone at {drop_after}")
