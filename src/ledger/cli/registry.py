"""`topics` and `windows`: what operators decide."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import track
from rich.table import Table

from ledger import packs
from ledger.cli.common import NO, Database, DataDir, Json, Yes, confirmed, console, errors, opened, print_json
from ledger.core.model import Handling, Topic
from ledger.errors import SetupError
from ledger.service import operators
from ledger.service.ledger import Ledger

topics = typer.Typer(
    no_args_is_help=True, help="The registry: which topics there are, and how they are handled."
)
windows = typer.Typer(
    no_args_is_help=True, help="Staleness: from when on an answer is a question, and when it is gone."
)


@topics.command("list")
def list_topics(data_dir: DataDir = None, database: Database = None, json: Json = False) -> None:
    """Every topic. Example: answer-ledger topics list"""
    with opened(data_dir, database) as ledger:
        found = ledger.run(operators.topics(ledger.context))
    if json:
        print_json([asdict(one) for one in found])
        return
    table = Table(box=None)
    for name in ("key", "question", "handling", "window", "labels"):
        table.add_column(name, overflow="fold")
    for one in found:
        state = one.handling.value if one.listed else "proposed" if one.proposed else "unlisted"
        window = f"{one.reconfirm_after}/{one.drop_after}" if one.reconfirm_after else "default"
        table.add_row(one.key, one.question or "", state, window, ", ".join(one.aliases))
    console.print(table)


@topics.command("set")
def set_topic(
    label: str,
    question: Annotated[str | None, typer.Option(help="The approved question.")] = None,
    handling: Annotated[Handling | None, typer.Option(help="open, sealed, confirm or forbidden.")] = None,
    authority: Annotated[
        str | None, typer.Option(help="The system that knows, for a forbidden topic.")
    ] = None,
    reconfirm_after: Annotated[int | None, typer.Option(help="Whole days.")] = None,
    drop_after: Annotated[int | None, typer.Option(help="Whole days.")] = None,
    listed: Annotated[bool | None, typer.Option("--listed/--unlisted", help="For all agents to see.")] = None,
    new: Annotated[bool, typer.Option("--new", help="Coin it first, if there is no such topic.")] = False,
    yes: Yes = False,
    data_dir: DataDir = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Changes a topic. Example: answer-ledger topics set kids --new --listed --question "Do you want kids?" """
    given = {
        "question": question, "handling": handling and handling.value, "authority": authority,
        "reconfirm_after": reconfirm_after, "drop_after": drop_after, "listed": listed,
    }  # fmt: skip
    fields = {name: value for name, value in given.items() if value is not None}
    with opened(data_dir, database) as ledger:
        if new:
            ledger.run(operators.coin(ledger.context, label))
        changed = _step(
            ledger,
            label,
            yes,
            lambda *seen, **how: operators.change(ledger.context, label, fields, *seen, **how),
        )
    if json:
        print_json(asdict(changed))
        return
    console.print(f"{changed.key}: {changed.handling if changed.listed else 'unlisted'}", highlight=False)


@topics.command("merge")
def merge_topics(
    label: str,
    into: str,
    yes: Yes = False,
    data_dir: DataDir = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Merges a topic into another, whose label it becomes. Example: answer-ledger topics merge children kids"""
    with opened(data_dir, database) as ledger:
        merged = _step(
            ledger,
            label,
            yes,
            lambda *seen, **how: operators.merge(ledger.context, label, into, *seen, **how),
        )
    if json:
        print_json(asdict(merged))
        return
    console.print(f"{label} is now a label of {merged.key}", markup=False, highlight=False)


@topics.command("import")
def import_topics(pack: str, data_dir: DataDir = None, database: Database = None, json: Json = False) -> None:
    """Lists the topics of a starter pack (dating, recruiting, support) or of a YAML file.

    Example: answer-ledger topics import dating
    """
    loaded = packs.load_pack(pack if pack in packs.PACKS else _text(pack))
    with opened(data_dir, database) as ledger:
        for one in track(
            loaded.topics, "listing topics", console=errors, disable=not errors.is_terminal, transient=True
        ):
            ledger.run(operators.adopt(ledger.context, one))
    if json:
        print_json({"listed": [one.key for one in loaded.topics]})
        return
    console.print(f"{len(loaded.topics)} topics are listed", highlight=False)


@windows.command("show")
def show(data_dir: DataDir = None, database: Database = None, json: Json = False) -> None:
    """The default windows, and those of topics that have their own. Example: answer-ledger windows show"""
    with opened(data_dir, database) as ledger:
        default = ledger.run(operators.default_window(ledger.context))
        own = [one for one in ledger.run(operators.topics(ledger.context)) if one.reconfirm_after]
    if json:
        print_json(
            {
                "default": asdict(default),
                "topics": {one.key: [one.reconfirm_after, one.drop_after] for one in own},
            }
        )
        return
    table = Table("topic", "a question after", "gone at", caption="whole days of age")
    table.add_row("(default)", str(default.reconfirm_after), str(default.drop_after))
    for one in own:
        table.add_row(one.key, str(one.reconfirm_after), str(one.drop_after))
    console.print(table)


@windows.command("set")
def set_window(
    reconfirm_after: int,
    drop_after: int,
    topic: Annotated[str | None, typer.Option(help="One topic; absent, the default.")] = None,
    data_dir: DataDir = None,
    database: Database = None,
    json: Json = False,
) -> None:
    """Changes a window; it holds for every entry at once. Example: answer-ledger windows set 90 365 --topic kids"""
    with opened(data_dir, database) as ledger:
        if topic is None:
            ledger.run(operators.set_default_window(ledger.context, reconfirm_after, drop_after))
        else:
            fields = {"reconfirm_after": reconfirm_after, "drop_after": drop_after}
            ledger.run(operators.change(ledger.context, topic, fields))
    if json:
        print_json({"topic": topic, "reconfirm_after": reconfirm_after, "drop_after": drop_after})
        return
    console.print(
        f"{topic or 'default'}: a question after {reconfirm_after} days, gone at {drop_after}",
        markup=False,
        highlight=False,
    )


def _text(path: str) -> str:
    try:
        return Path(path).read_text("utf-8") + "\n"
    except (OSError, UnicodeDecodeError):
        raise SetupError(
            f"There is no starter pack and no readable file of that name. Packs: {', '.join(packs.PACKS)}."
        ) from None


def _step(ledger: Ledger, label: str, yes: bool, step: Any) -> Topic:
    """Runs a step dry, shows what it destroys, asks, and runs it on exactly what was shown."""
    seen = ledger.run(operators.topic(ledger.context, label))
    preview = ledger.run(step(dry_run=True))
    if preview.destroys:
        errors.print("This destroys, for good:", highlight=False)
        for what in preview.destroys:
            errors.print(f"  - {what}", markup=False, highlight=False)
        errors.print(
            f"Principals with an answer, by the weekly snapshot: {preview.principals}", highlight=False
        )
        if not confirmed("Go on?", yes):
            raise typer.Exit(NO)
    done: Topic = ledger.run(step(operators.etag(seen), preview.token))
    return done
