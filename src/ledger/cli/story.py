"""`demo`: one person, three agents of three counterparties, over real HTTP, in a database of its own.

Every line that is printed comes out of a reply or out of a table; nothing is played.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
from rich.console import Console
from rich.markup import escape
from rich.panel import Panel
from rich.table import Table

from ledger.api import serving
from ledger.api.app import create_app
from ledger.cli import contents
from ledger.db.clock import Clock
from ledger.service.deployment import Deployment
from ledger.settings import Settings
from ledger.tokens import Scope, Tokens

TOPICS = {
    "kids": "Do you want kids?",
    "smoking": "Do you smoke?",
    "pets": "Do you have pets?",
    "weekend": "What do you do at weekends?",
    "diet": "What do you eat?",
}
AGENTS = ("Mira", "Nora", "Olga")  # whom the agents act for: known here, and nowhere in the ledger


@dataclass(frozen=True, slots=True)
class Stage:
    """A served ledger with listed topics, and one who talks to it."""

    console: Console
    http: httpx.Client
    tokens: Tokens
    deployment: Deployment
    today: date

    def call(
        self, method: str, path: str, scope: Scope, body: Any = None, who: str = "the person"
    ) -> httpx.Response:
        of_a_principal = scope in (Scope.AGENT, Scope.CAPTURE, Scope.PRINCIPAL)
        principal = self.deployment.context.identity.principal(who) if of_a_principal else None
        issued = self.tokens.issue({scope}, principal=principal, ttl=600)
        return self.http.request(method, path, json=body, headers={"Authorization": f"Bearer {issued.token}"})

    def says(
        self, topic: str, message: str, span: str | None = None, *, ago: int = 0, **more: Any
    ) -> dict[str, Any]:
        """He types a message; the application hands it over with a span."""
        said_on = (self.today - timedelta(days=ago)).isoformat()
        candidates = [{"topic": topic, "span": span or message}]
        body = {"message": message, "said_on": said_on, "candidates": candidates, **more}
        outcome: dict[str, Any] = self.call("POST", "/v1/captures", Scope.CAPTURE, body).json()["outcomes"][0]
        return outcome

    def plan(self, agent: str, *labels: str) -> None:
        """An agent looks before its turn."""
        items = self.call("POST", "/v1/plan", Scope.AGENT, {"labels": list(labels)}).json()["items"]
        self.console.print(f"  [cyan]{agent}'s agent[/] looks before its turn:")
        means: dict[str, tuple[str, Callable[[dict[str, Any]], str]]] = {
            "ask": ("[yellow]asks[/]", lambda i: i.get("question") or ""),
            "covered": (
                "[green]is spared[/]",
                lambda i: "somebody was told; the words are locked without consent",
            ),
            "known": ("[green]knows[/]", lambda i: f"“{i['quote']}” ({i['as_of']})"),
            "reconfirm": ("[magenta]reconfirms[/]", lambda i: i.get("ask") or i.get("question") or ""),
        }
        self._lines(*(("", means[i["do"]][0], i["key"], escape(means[i["do"]][1](i))) for i in items))

    def told(self, message: str, outcome: dict[str, Any], span: str | None = None) -> None:
        self.console.print(f"  he types: [bold]{escape(message)}[/]")
        topic = outcome["topic"]
        if outcome["accepted"]:
            self._lines(("", "[green]kept[/]", topic, f"“{escape(outcome['answer'])}”"))
            return
        offered = f"“{escape(span or message)}”: {outcome['reason']}"
        lines = [
            ("", "[red]refused[/]", topic, offered),
            ("", "", "", f"[dim]{escape(outcome['detail'])}[/]"),
        ]
        if outcome.get("nearest"):
            lines.append(("", "", "", f"would pass: “{escape(outcome['nearest'])}”"))
        self._lines(*lines)

    def _lines(self, *lines: tuple[str, str, str, str]) -> None:
        """What happens, on which topic, and with which words; the words are broken below themselves."""
        grid = Table.grid(padding=(0, 1))
        for width in (3, 10, 8, None):
            grid.add_column(min_width=width)
        for line in lines:
            grid.add_row(*line)
        self.console.print(grid)

    def scene(self, number: int, title: str) -> None:
        self.console.print()
        self.console.rule(f"[bold]{number}. {title}", align="left", style="dim")


def run(console: Console) -> None:
    """Plays the demo; under a minute, and nothing of it is left behind."""
    with tempfile.TemporaryDirectory(prefix="ledger-demo-") as folder, _stage(console, Path(folder)) as stage:
        console.print(
            Panel(
                "One person, three agents: of [cyan]Mira[/], [cyan]Nora[/] and [cyan]Olga[/]. Each needs to know the same "
                "things.\nA real server and a real PostgreSQL run below this; every line is a reply.",
                title="The answer ledger",
                expand=False,
            )
        )
        _first_questions(stage)
        _the_gate(stage)
        _spared(stage)
        _consent(stage)
        _time_passes(stage)
        _everything(stage)


def _first_questions(stage: Stage) -> None:
    stage.scene(1, "Mira's agent has to ask")
    stage.plan("Mira", "kids", "smoking", "pets")
    for topic, message in {"kids": "I don't want kids, to be honest.", "pets": "I have two cats."}.items():
        stage.told(message, stage.says(topic, message))


def _the_gate(stage: Stage) -> None:
    stage.scene(2, "Only his own words get in, and not those that mislead")
    message = "I don't want kids, to be honest."
    for span in ("I do not want any kids", "want kids"):
        stage.told(message, stage.says("kids", message, span), span)
    message = "My sister smokes, I don't."
    stage.told(message, stage.says("smoking", message, "smokes"), "smokes")
    stage.told(message, stage.says("smoking", message))


def _spared(stage: Stage) -> None:
    stage.scene(3, "Nora's agent is spared three questions, and is told nothing")
    stage.plan("Nora", "kids", "smoking", "pets", "diet")


def _consent(stage: Stage) -> None:
    stage.scene(4, "He grants: the quotes appear. He revokes: they are gone")
    stage.call("PUT", "/v1/me/consent", Scope.PRINCIPAL, {"decision": "granted", "notice": "v1"})
    stage.plan("Olga", "kids", "pets")
    stage.call("PUT", "/v1/me/consent", Scope.PRINCIPAL, {"decision": "revoked", "notice": "v1"})
    stage.plan("Olga", "kids", "pets")
    his = stage.call("POST", "/v1/plan", Scope.AGENT, {"labels": ["kids", "pets"]}).content
    nobodys = stage.call("POST", "/v1/plan", Scope.AGENT, {"labels": ["kids", "pets"]}, who="nobody").content
    same = "the same bytes" if his == nobodys else "NOT THE SAME BYTES"
    stage.console.print(f"  The reply for him and the reply for a stranger: [bold]{same}[/] ({len(his)}).")
    stage.call("PUT", "/v1/me/consent", Scope.PRINCIPAL, {"decision": "granted", "notice": "v1"})


def _time_passes(stage: Stage) -> None:
    stage.scene(5, "Old answers: a question after 120 days, gone at 540")
    for topic, message, ago in (
        ("weekend", "I go climbing every weekend.", 200),
        ("diet", "I eat everything.", 539),
    ):
        stage.told(f"{message}  [{ago} days ago]", stage.says(topic, message, ago=ago))
    stage.plan("Mira", "weekend", "diet")
    with Clock(_installer(stage)) as clock:
        clock.set(stage.today + timedelta(days=1))
    stage.console.print("  [dim]... a day later (the clock is one SQL function) ...[/]")
    stage.plan("Mira", "weekend", "diet")
    swept = stage.call("POST", "/v1/operator/sweep", Scope.OPERATOR, {}).json()
    stage.console.print(
        f"  the sweep of {swept['swept_on']}: what is past its window is deleted, every row stamped anew"
    )


def _everything(stage: Stage) -> None:
    stage.scene(6, "Everything that the database holds")
    stage.console.print(
        "xmin is the transaction that wrote a row. The sweep has made it one for all that was said, so that not even "
        "the order of his answers can be read out of it.\n"
    )
    contents.show(stage.console, _installer(stage))
    stage.console.print(
        Panel(
            "Three agents, three conversations, one column of his own words.\n"
            "[bold]Now say who heard what, and when.[/] Every row and every column is above.",
            expand=False,
        )
    )
    stage.console.print(
        "\nNext, with words of your own: answer-ledger gate try MESSAGE SPAN"
        "\n      to run a ledger:         answer-ledger serve"
    )


def _installer(stage: Stage) -> str:
    if stage.deployment.installer is None:
        raise AssertionError("an embedded database always has an installer")
    return stage.deployment.installer


@contextmanager
def _stage(console: Console, folder: Path) -> Iterator[Stage]:
    with console.status("starting a PostgreSQL and a server") if console.is_terminal else _quiet():
        deployment = Deployment.open(Settings.alone(data_dir=folder / "data", sweep_every_hours=0))
    try:
        with _served(deployment) as url, httpx.Client(base_url=url, timeout=30) as http:
            tokens = Tokens.open(deployment.settings, deployment.keys, deployment.context.identity.principal)
            stage = Stage(console, http, tokens, deployment, datetime.now(UTC).date())
            for topic, question in TOPICS.items():
                stage.call(
                    "POST", "/v1/operator/topics", Scope.OPERATOR, {"label": topic, "question": question}
                )
            yield stage
    finally:
        deployment.close()


@contextmanager
def _quiet() -> Iterator[None]:
    yield


@contextmanager
def _served(deployment: Deployment) -> Iterator[str]:
    server = serving.Server(create_app(deployment), deployment.settings, port=0)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        if not thread.is_alive():
            raise RuntimeError("the demo's server did not start")
        time.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(15)
