"""How help looks: plain text that can be piped, headings in the order in which somebody new needs them, an example last."""

from __future__ import annotations

from typing import Any

import typer
from typer.core import TyperGroup


class Headed(TyperGroup):
    """Lists its commands under the headings that they were given (`rich_help_panel`), in the order of the first of each."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        headings: dict[str, list[tuple[str, str]]] = {}
        for name, command in self.commands.items():
            said = command.get_short_help_str(1_000)  # broken into lines, never cut
            heading = getattr(command, "rich_help_panel", None) or "Commands"
            headings.setdefault(heading, []).append((name, said))
        width = max(len(name) for name in self.commands)
        for heading, rows in headings.items():
            with formatter.section(heading):
                formatter.write_dl([(name.ljust(width), said) for name, said in rows])


def group(help: str, **more: Any) -> typer.Typer:
    """A group of commands. Help is written without rich, which takes three times as long to load as all the rest."""
    return typer.Typer(
        cls=Headed,
        help=help,
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"]},
        **{"no_args_is_help": True, **more},
    )


def example(*lines: str) -> str:
    """For a command's `epilog`: lines that can be pasted, kept as they are."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)
