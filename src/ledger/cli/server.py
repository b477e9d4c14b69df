"""`serve`: the HTTP service; the first start explains the keys and what to do next."""

from __future__ import annotations

import json
import shlex
import signal
import socket
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from ledger.api import serving, workers
from ledger.api.app import create_app
from ledger.cli.common import settings
from ledger.cli.terminal import BEHIND, UNRECORDED, complain, console, opening, say, tell_of_keys
from ledger.errors import SetupError
from ledger.service.deployment import Deployment
from ledger.settings import Settings, default_data_dir
from ledger.tokens import Scope


def run(data_dir: Path | None, database: str | None, **given: Any) -> None:
    """Serves until it is told to stop; `given` are settings. Raises SetupError, Unavailable."""
    chosen = settings(data_dir, database, **given)
    serving.log_from(chosen.log_level)
    # Unhandled, the signal would end the process before the embedded server is stopped.
    signal.signal(signal.SIGTERM, serving.interrupted)
    try:
        _serve(chosen)
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _serve(chosen: Settings) -> None:
    # The port first: whether it is free is known at once.
    with _listen(chosen.host, chosen.port) as line:
        with opening(chosen):
            deployment = Deployment.open(chosen)
        try:
            host = f"[{chosen.host}]" if ":" in chosen.host else chosen.host
            _welcome(deployment, f"http://{host}:{line.getsockname()[1]}")
            app = create_app(deployment)
            if chosen.workers > 1:
                workers.supervise(chosen, line)
            else:
                serving.Server(app, chosen).run([line])
        finally:
            deployment.close()


def _listen(host: str, port: int) -> socket.socket:
    try:
        return serving.listen(host, port)
    except OSError as error:
        raise SetupError(
            f"Port {port} of {host} can't be listened at ({error.strerror}). Choose another with --port or --host."
        ) from None


def _welcome(deployment: Deployment, url: str) -> None:
    """Tells a person what to do next, at the first start and on a terminal; what else starts it gets one line."""
    folder = deployment.settings.data_dir.absolute()
    if deployment.keys.made_now:
        tell_of_keys(folder)
    if deployment.keys.made_now or console.is_terminal:
        data_dir = "" if folder == default_data_dir() else f" --data-dir {shlex.quote(str(folder))}"
        for line in _next_steps(url, data_dir):
            say(line)
    if deployment.compared is None:
        complain(UNRECORDED)
    elif deployment.compared.ahead:
        complain(BEHIND)
    say(f"serving at {url}, the interface at {url}/docs")


def _next_steps(url: str, data_dir: str) -> Iterator[str]:
    """From no topic to a quote, each step a line or two that can be pasted into another terminal."""

    def call(scope: Scope, method: str, path: str, body: dict[str, Any]) -> Iterator[str]:
        yield f"  TOKEN=$(answer-ledger token --scope {scope} --principal ann{data_dir})"
        yield f'  curl -s -X {method} {url}{path} -H "Authorization: Bearer $TOKEN" \\'
        yield f"    -H 'Content-Type: application/json' -d '{json.dumps(body)}'; echo"

    said_on = datetime.now(UTC).date().isoformat()
    candidates = [{"topic": "pets", "span": "I have two cats"}]
    yield "Next steps, as they can be pasted into another terminal (one that has LEDGER_DATABASE_URL set, if you use it)."
    yield "1. List topics:"
    yield f"  answer-ledger topics import dating{data_dir}"
    yield "2. The application hands over what ann typed:"
    message = {"message": "I have two cats.", "said_on": said_on, "candidates": candidates}
    yield from call(Scope.CAPTURE, "POST", "/v1/captures", message)
    yield "3. She lets agents read her words (else they see which topics are covered, and no words):"
    yield from call(Scope.PRINCIPAL, "PUT", "/v1/me/consent", {"decision": "granted", "notice": "v1"})
    yield "4. An agent asks before its turn:"
    yield from call(Scope.AGENT, "POST", "/v1/plan", {"labels": ["pets", "smoking"]})
