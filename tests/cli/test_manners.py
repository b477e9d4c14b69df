"""How every command behaves: it teaches, says what is wrong in a line, and its exit code is an answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from ledger.cli import app

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reference" / "cli.md"


def commands(group: Any = None, path: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command there is, with the words that call it."""
    group = group or typer.main.get_command(app)
    for name, one in group.commands.items():
        if hasattr(one, "commands"):
            if one.invoke_without_command:
                yield " ".join((*path, name)), one
            yield from commands(one, (*path, name))
        else:
            yield " ".join((*path, name)), one


every_command = pytest.mark.parametrize(
    ("name", "one"), list(commands()), ids=[name for name, _ in commands()]
)


def test_the_commands_are_those_of_the_contract() -> None:
    assert {name for name, _ in commands()} >= {
        "serve", "demo", "replay", "token", "token list", "token revoke", "migrate", "sweep", "doctor", "why", "export", "erase",
        "topics list", "topics set", "topics import", "topics merge", "windows show", "windows set", "gate try",
        "legal-hold place", "legal-hold lift",
    }  # fmt: skip


@every_command
def test_help_says_what_a_command_does_and_shows_it(name: str, one: Any, bare: Any) -> None:
    done = bare(*name.split(), "--help")
    assert done.code == 0
    said = " ".join(done.out.split())
    assert f"Example: answer-ledger {name}" in said


@every_command
def test_the_page_tells_of_every_command_and_option(name: str, one: Any) -> None:
    first, _, rest = name.partition(" ")
    rows = [row for row in PAGE.read_text("utf-8").splitlines() if row.startswith(f"| `{first}")]
    assert [row for row in rows if rest in row]
    common = {"--help", "--data-dir", "--database", "--json"}
    options = {option for given in one.params for option in given.opts if option.startswith("--")}
    assert [option for option in sorted(options - common) if option not in "".join(rows)] == []


@every_command
def test_every_argument_and_option_says_what_it_is(name: str, one: Any) -> None:
    silent = [given.name for given in one.params if not (given.help or "").strip()]
    assert silent == []


def test_help_puts_every_command_under_a_heading_and_cuts_none_off(bare: Any) -> None:
    said = bare("--help").out
    for heading in ("See what it does:", "Run it:", "One person:", "Look after it:"):
        assert f"\n{heading}\n" in said
    assert "\nCommands:\n" not in said and "..." not in said.partition("Options:")[2]
    assert bare("-h").out == said


def shown() -> Iterator[tuple[str, str]]:
    """Every call of the command that a page shows, and the page: in backticks, or a line of a block of commands."""
    for page in sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]):
        text = page.read_text("utf-8")
        blocks = "\n".join(re.findall(r"```sh\n(.*?)```", text, re.S))
        for call in re.findall(r"`answer-ledger ([^`\n]+)`", text) + re.findall(
            r"^answer-ledger (.+)$", blocks, re.M
        ):
            yield page.name, call


def test_every_call_that_a_page_shows_is_one() -> None:
    known = {name: {option for given in one.params for option in given.opts} for name, one in commands()}
    found = list(shown())
    assert len(found) > 25
    wrong = []
    for page, call in found:
        words = call.partition(" > ")[0].split()
        name = next((name for name in (" ".join(words[:2]), words[0]) if name in known), None)
        options = {word.partition("=")[0] for word in words if word.startswith("--")}
        if call not in ("--version", "--help", "COMMAND --help") and (
            name is None or options - known[name] - {"--help"}
        ):
            wrong.append(f"{page}: {call}")
    assert wrong == []


def test_the_version(bare: Any) -> None:
    done = bare("--version")
    assert (done.code, done.out) == (0, "answer-ledger 0.1.0\n")


@pytest.mark.parametrize(
    "arguments",
    [
        ("nonsense",),
        ("gate", "try", "only a message"),
        ("token",),
        ("token", "--scope", "king"),
        ("token", "--scope", "agent"),
        ("token", "--scope", "agent operator", "--principal", "ann"),
        ("token", "--scope", "agent", "--principal", "ann", "--ttl", "3601"),
        ("token", "--scope", "operator", "--ttl", "2h"),
        ("token", "--scope", "issuer", "--ttl", "367d"),
        ("token", "--scope", "issuer", "--ttl", "a while"),
        ("token", "--scope", "issuer", "list"),
        ("token", "revoke", "the first one"),
        ("topics", "list", "--database", "nonsense"),
        ("migrate",),
        ("replay", "absent.jsonl"),
        ("serve", "--port", "70000"),
    ],
    ids=" ".join,
)
def test_what_is_called_wrongly_is_2_and_no_traceback(bare: Any, arguments: tuple[str, ...]) -> None:
    done = bare(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err
    assert "Traceback" not in done.err


def test_a_transcript_that_is_not_there_is_named(bare: Any) -> None:
    assert "absent.jsonl" in bare("replay", "absent.jsonl").err


def test_an_unreachable_server_is_told_in_a_line(command: Any) -> None:
    done = command("topics", "list", "--database", "postgresql://zebra:secret@127.0.0.1:1/ledger")
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert "secret" not in done.err and "zebra" not in done.err


def test_a_database_without_a_ledger_names_the_next_step(command: Any, database: Any) -> None:
    database.installer.execute("drop schema ledger cascade")
    done = command("topics", "list")
    assert done.code == 1
    assert "answer-ledger migrate" in done.err


def test_nothing_is_coloured_without_a_terminal(command: Any) -> None:
    for arguments in (("gate", "try", "I smoke", "smoke"), ("topics", "list"), ("doctor",), ("nonsense",)):
        done = command(*arguments)
        assert "\x1b" not in done.out + done.err
