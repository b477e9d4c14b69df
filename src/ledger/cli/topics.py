"""`topics`: which there are, and how they are handled, as operators decide."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ledger.cli.common import Database, DataDir, Json, Label, Yes, opened, print_json
from ledger.cli.help import example, group
from ledger.cli.steps import step
from ledger.core.model import Handling, Topic
from ledger.errors import InvalidRequest, NotFound, SetupError

if TYPE_CHECKING:
    from ledger.service.ledger import Ledger

topics = group("The registry: which topics there are, and how they are handled.")


@topics.command("list", epilog=example("answer-ledger topics list", "answer-ledger topics list --find smok"))
def list_topics(
    part: Annotated[
        str, typer.Option("--find", metavar="TEXT", help="Only those with this in a label or the question.")
    ] = "",
    data_dir: DataDir = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Listed topics and proposals, with question, handling, window and other labels."""
    from rich.markup import escape
    from rich.table import Table

    from ledger.cli.terminal import console, say
    from ledger.service import operators

    with opened(data_dir, database) as ledger:
        found = ledger.run(operators.whole_registry(ledger.context, part))
    if json:
        print_json([asdict(one) for one in found])
        return
    if not found and part:
        say("No topic has that in a label or its question.")
        return
    if not found:
        say("No topics yet. List those of a starter pack with: answer-ledger topics import dating")
        return
    table = Table(box=None)
    for name in ("key", "handling", "window", "question, and other labels"):
        table.add_column(name, overflow="fold")
    for one in found:
        state = one.handling.value if one.listed else "proposed"
        window = f"{one.reconfirm_after}/{one.drop_after}" if one.reconfirm_after else "default"
        told = [
            escape(one.question or "(no question)"),
            *([f"[dim]{escape(', '.join(one.aliases))}[/]"] if one.aliases else []),
        ]
        table.add_row(one.key, state, window, "\n".join(told))
    console.print(table)


@topics.command(
    "set",
    epilog=example(
        'answer-ledger topics set kids --new --question "Do you want kids?"',
        "answer-ledger topics set pets --reconfirm-after 365 --drop-after 1095",
    ),
)
def set_topic(
    label: Label,
    question: Annotated[
        str | None, typer.Option(metavar="TEXT", help="The approved question, as agents may ask it.")
    ] = None,
    handling: Annotated[
        Handling | None,
        typer.Option(
            help="open; sealed: even that it is covered needs consent; confirm: sealed, and waits for the person's own "
            "yes; forbidden: never stored."
        ),
    ] = None,
    authority: Annotated[
        str | None, typer.Option(metavar="NAME", help="The system that knows, for a forbidden topic.")
    ] = None,
    reconfirm_after: Annotated[
        int | None, typer.Option(metavar="DAYS", help="An answer that is older is a question.")
    ] = None,
    drop_after: Annotated[int | None, typer.Option(metavar="DAYS", help="At this age it is gone.")] = None,
    listed: Annotated[
        bool | None, typer.Option("--listed/--unlisted", help="Whether it is there for all agents to see.")
    ] = None,
    new: Annotated[bool, typer.Option("--new", help="Create it, listed, if there is no such topic.")] = False,
    yes: Yes = False,
    data_dir: DataDir = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Changes a topic. What takes answers away, or has people asked again, is shown first, and asked."""
    from ledger.cli.terminal import say
    from ledger.service import operators

    given = {
        "question": question, "handling": handling and handling.value, "authority": authority,
        "reconfirm_after": reconfirm_after, "drop_after": drop_after, "listed": listed,
    }  # fmt: skip
    fields = {name: value for name, value in given.items() if value is not None}
    with opened(data_dir, database) as ledger:
        seen = _seen(ledger, label) if new else _topic(ledger, label)
        if seen is None:
            changed = ledger.run(operators.create(ledger.context, label, _to_create(fields)))
        elif not fields:
            raise InvalidRequest(f"Nothing to set. Now it is {_described(seen)}. {_SETTABLE}")
        else:
            changed = _changed(ledger, yes, seen, fields)
    if json:
        print_json(asdict(changed))
        return
    say(_described(changed))


@topics.command("merge", epilog=example("answer-ledger topics merge children kids"))
def merge_topics(
    label: Label,
    into: Annotated[
        str, typer.Argument(metavar="INTO", help="The topic that stays, by its key or another label.")
    ],
    yes: Yes = False,
    data_dir: DataDir = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Merges a topic into another, whose label it becomes. Shown first, and asked."""
    from ledger.cli.terminal import say
    from ledger.service import operators

    with opened(data_dir, database) as ledger:
        old = _topic(ledger, label)
        merged: Topic = step(
            ledger,
            yes,
            operators.etag(old),
            lambda *seen, **how: operators.merge(ledger.context, old.key, into, *seen, **how),
        )
    if json:
        print_json(asdict(merged))
        return
    say(f"{label} is now a label of {merged.key}")


@topics.command("import", epilog=example("answer-ledger topics import dating"))
def import_topics(
    pack: Annotated[
        str, typer.Argument(metavar="PACK", help="dating, recruiting, support, or a YAML file of your own.")
    ],
    yes: Yes = False,
    data_dir: DataDir = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Lists the topics of a starter pack or of a YAML file. What operators wrote stays as it is.

    A topic that people have answers on already may get a shorter window by it: that is shown first, and asked.
    """
    from rich.progress import track

    from ledger import packs
    from ledger.cli.terminal import errors, say
    from ledger.service import operators

    loaded = packs.load_pack(pack if pack in packs.PACKS else _text(pack))
    with opened(data_dir, database, make=True) as ledger:
        for one in track(
            loaded.topics, "listing topics", console=errors, disable=not errors.is_terminal, transient=True
        ):
            seen = _seen(ledger, one.key)
            if seen is not None and not seen.listed:
                _changed(ledger, yes, seen, _fields(one) | {"listed": True})
            ledger.run(operators.adopt(ledger.context, one))
    if json:
        print_json({"listed": [one.key for one in loaded.topics]})
        return
    say(f"{len(loaded.topics)} topics are listed")


_SETTABLE = (
    "Say what is to change with --question, --handling, --authority, --reconfirm-after, --drop-after, "
    "--listed or --unlisted."
)


def _seen(ledger: Ledger, label: str) -> Topic | None:
    from ledger.service import operators

    try:
        return ledger.run(operators.topic(ledger.context, label))
    except NotFound:
        return None


def _topic(ledger: Ledger, label: str) -> Topic:
    seen = _seen(ledger, label)
    if seen is None:
        raise NotFound(
            "There is no such topic. See which there are with answer-ledger topics list, or create it with "
            "answer-ledger topics set LABEL --new."
        )
    return seen


def _to_create(fields: dict[str, Any]) -> dict[str, Any]:
    """Without `listed`: what is created is."""
    if fields.get("listed") is False:
        raise InvalidRequest("A topic that is created is listed: leave out --unlisted.")
    return {name: value for name, value in fields.items() if name != "listed"}


def _fields(topic: Topic) -> dict[str, Any]:
    """What a pack says of a topic, as fields to set."""
    return {
        "question": topic.question, "handling": topic.handling.value, "authority": topic.authority,
        "reconfirm_after": topic.reconfirm_after, "drop_after": topic.drop_after,
    }  # fmt: skip


def _described(topic: Topic) -> str:
    """What a topic is now, on a line: `kids: open, asked "Do you want kids?", window 180/720`."""
    told = [f"listed, {topic.handling}" if topic.listed else "unlisted"]
    if topic.authority:
        told.append(f"its authority is {topic.authority}")
    told.append(f'asked "{topic.question}"' if topic.question else "without a question")
    told.append(
        f"a question after {topic.reconfirm_after} days, gone at {topic.drop_after}"
        if topic.reconfirm_after
        else "with the default window"
    )
    return f"{topic.key}: {', '.join(told)}"


def _text(path: str) -> str:
    from ledger import packs

    try:
        return Path(path).read_text("utf-8") + "\n"
    except (OSError, UnicodeDecodeError):
        raise SetupError(
            f"There is no starter pack and no readable file of that name. Packs: {', '.join(packs.PACKS)}."
        ) from None


def _changed(ledger: Ledger, yes: bool, seen: Topic, fields: dict[str, Any]) -> Topic:
    from ledger.service import operators

    changed: Topic = step(
        ledger,
        yes,
        operators.etag(seen),
        lambda *shown, **how: operators.change(ledger.context, seen.key, fields, *shown, **how),
    )
    return changed
