"""`token`: prints one; lists and revokes the credentials of the host's backends."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated
from uuid import UUID

import typer

from ledger.cli.common import Database, DataDir, Json, opened, print_json, settings
from ledger.cli.help import example, group
from ledger.core.model import Tier
from ledger.errors import InvalidRequest

if TYPE_CHECKING:
    from ledger.tokens import Scope

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86_400}  # seconds

HELP = """Prints a token, and nothing else.

\b
--scope agent      asks before a turn; coins topics
--scope capture    hands over what was typed: the application that carries
                   the chats, never an agent
--scope principal  the person, as your settings page acts for them
--scope operator   topics, windows, legal holds
--scope issuer     your backend, which gets tokens of the first three kinds
                   from POST /v1/tokens

The first three are about one person: name them with --principal. A token of an issuer is a credential of your own: it is
registered in the database, may be good for months, and can be revoked; its id is told on the standard error.
"""

token = group(HELP, invoke_without_command=True, no_args_is_help=False)


@token.callback(
    epilog=example(
        "answer-ledger token --scope agent --principal ann",
        'answer-ledger token --scope "agent capture" --principal ann --ttl 10m',
        "answer-ledger token --scope issuer --ttl 90d",
    )
)
def print_token(
    context: typer.Context,
    scope: Annotated[
        str | None,
        typer.Option(
            metavar="SCOPE",
            help='What its holder may do: one of the words above, or "agent capture".',
        ),
    ] = None,
    principal: Annotated[
        str | None,
        typer.Option(
            metavar="ID",
            help="The person whose answers it is about, by your own id of them; for agent, capture and principal.",
        ),
    ] = None,
    ttl: Annotated[
        str | None,
        typer.Option(
            metavar="TTL",
            help="How long it is good for: seconds, or 30m, 12h, 90d. An hour, and no more; for issuer up to 366d.",
        ),
    ] = None,
    max_tier: Annotated[
        Tier | None,
        typer.Option(
            help="What may be read with it at most: nothing, which topics are covered, or the words. For agent alone."
        ),
    ] = None,
    data_dir: DataDir = None,
    database: Database = None,
) -> None:
    if context.invoked_subcommand is not None:
        if any(value is not None for value in context.params.values()):
            raise InvalidRequest(
                f"Put options behind the command: answer-ledger token {context.invoked_subcommand} ..."
            )
        return
    from ledger.tokens import MAX_TTL, Scope, refuse_wrong
    from ledger.tokens.claims import OF_A_PRINCIPAL

    if scope is None:
        raise InvalidRequest("What may its holder do? Add --scope SCOPE.")
    try:
        scopes = {Scope(word) for word in scope.split()}
    except ValueError:
        raise InvalidRequest(f"--scope is one of {', '.join(Scope)}, or 'agent capture'.") from None
    if principal is None and OF_A_PRINCIPAL.issuperset(scopes):
        raise InvalidRequest("Whose answers is it about? Add --principal ID.")
    seconds = MAX_TTL if ttl is None else _seconds(ttl)
    refuse_wrong(
        scopes, of_principal=principal is not None, ttl=seconds, max_tier=max_tier
    )  # wrong in any ledger
    if scopes == {Scope.ISSUER}:
        typer.echo(_registered(seconds, data_dir, database))
    else:
        typer.echo(_issued(scopes, principal, seconds, max_tier, data_dir))


@token.command("list", epilog=example("answer-ledger token list"))
def list_credentials(data_dir: DataDir = None, database: Database = None, json: Json = False) -> None:
    """The credentials of your backends (tokens of the scope issuer) that are not over."""
    from rich.table import Table

    from ledger.cli.terminal import console, say
    from ledger.service import credentials

    with opened(data_dir, database) as ledger:
        found = ledger.run(credentials.listing())
    if json:
        print_json([asdict(one) for one in found])
    elif not found:
        say("There is none. Make one with: answer-ledger token --scope issuer --ttl 90d")
    else:
        table = Table("id", "issued on", "last day", "", box=None)
        for one in found:
            table.add_row(
                str(one.id), str(one.issued_on), str(one.expires_on), "revoked" if one.revoked else ""
            )
        console.print(table)


@token.command(epilog=example("answer-ledger token revoke 6f1d2c9a-5b0e-4c37-9d21-0f6a8e4b7c15"))
def revoke(
    id: Annotated[
        str, typer.Argument(metavar="ID", help="The id of the credential, as `token list` shows it.")
    ],
    data_dir: DataDir = None,
    database: Database = None,
) -> None:
    """Ends a credential of a backend, at once: it gets no more tokens. Those that it got go on for an hour at most."""
    from ledger.cli.terminal import say
    from ledger.service import credentials

    try:
        which = UUID(id)
    except ValueError:
        raise InvalidRequest("That is no id of a credential. See: answer-ledger token list") from None
    with opened(data_dir, database) as ledger:
        ledger.run(credentials.revoke(which))
    say("Revoked: it gets no more tokens.")


def _seconds(ttl: str) -> int:
    given = re.fullmatch(r"([0-9]{1,9})([smhd]?)", ttl.strip())
    if given is None:
        raise InvalidRequest("--ttl is a number of seconds, or a number and m, h or d, such as 90d.")
    return int(given[1]) * _UNITS[given[2]]


def _issued(
    scopes: Collection[Scope], principal: str | None, ttl: int, max_tier: Tier | None, data_dir: Path | None
) -> str:
    """A token that the keys alone make: no database is opened for it."""
    from ledger.identity import Identity
    from ledger.keys import Keys, no_ledger
    from ledger.tokens import Tokens

    chosen = settings(data_dir, None)
    keys = Keys.open(chosen.data_dir, chosen, make=False)
    if not keys.lasting:
        raise no_ledger(chosen.data_dir)
    identity = Identity(keys.pepper, chosen.tenant)
    issued = Tokens.open(chosen, keys, identity.principal).issue(
        scopes,
        principal=None if principal is None else identity.principal(principal),
        ttl=ttl,
        max_tier=max_tier,
    )
    return issued.token


def _registered(ttl: int, data_dir: Path | None, database: str | None) -> str:
    """A credential of a backend's, which stands in the database before anybody has it."""
    from ledger.cli.terminal import complain
    from ledger.service import credentials
    from ledger.tokens import Scope, Tokens

    with opened(data_dir, database) as ledger:
        tokens = Tokens.open(
            ledger.deployment.settings, ledger.deployment.keys, ledger.context.identity.principal
        )
        id = ledger.run(credentials.register(ttl))
        issued = tokens.issue([Scope.ISSUER], ttl=ttl, credential=id)
    complain(f"To end it before its time: answer-ledger token revoke {id}")
    return issued.token
