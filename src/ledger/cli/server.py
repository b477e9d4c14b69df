"""`serve`: the HTTP service; the first start explains the keys and what to do next."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import uvicorn
from uvicorn.supervisors import Multiprocess

from ledger.api import serving
from ledger.api.app import create_app
from ledger.cli.common import console, settings
from ledger.errors import SetupError
from ledger.service.deployment import Deployment


def run(host: str | None, port: int | None, data_dir: Path | None, database: str | None) -> None:
    """Serves until it is told to stop. Raises SetupError, Unavailable."""
    chosen = settings(data_dir, database, host=host, port=port)
    deployment = Deployment.open(chosen)
    try:
        line = _listen(chosen.host, chosen.port)
        url = (
            f"http://{'[' + chosen.host + ']' if ':' in chosen.host else chosen.host}:{line.getsockname()[1]}"
        )
        _welcome(deployment, url)
        if chosen.workers > 1:
            # the workers open the deployment for themselves, by the settings of their environment
            os.environ.update(
                {"LEDGER_DATA_DIR": str(chosen.data_dir)}
                | ({"LEDGER_DATABASE_URL": database} if database else {})
            )
            config = uvicorn.Config(
                "ledger.api.serving:from_environment", factory=True, workers=chosen.workers, **serving.OPTIONS
            )
            Multiprocess(config, sockets=[line]).run()
        else:
            uvicorn.Server(uvicorn.Config(create_app(deployment), **serving.OPTIONS)).run(sockets=[line])
    except KeyboardInterrupt:
        pass
    finally:
        deployment.close()


def _listen(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        line = socket.socket(family, socket.SOCK_STREAM)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        line.bind((host, port))
    except OSError as error:
        raise SetupError(
            f"Port {port} of {host} can't be listened at ({error.strerror}). Choose another with --port."
        ) from None
    line.listen(128)
    return line


def _welcome(deployment: Deployment, url: str) -> None:
    keys = deployment.settings.data_dir / "keys"
    if deployment.keys.made_now:
        console.print(
            f"The keys of this ledger were made just now, in {keys} (for your eyes only).", highlight=False
        )
        console.print(
            "  pepper       without it nobody's rows are found again: back it up, apart from the database\n"
            "  signing.jwk  without it, and without sealing.key, the tokens issued so far are void\n"
            "Next steps:\n"
            f"  TOKEN=$(answer-ledger token --scope agent --principal ann --data-dir {deployment.settings.data_dir})\n"
            f"  curl -s {url}/v1/plan -H \"Authorization: Bearer $TOKEN\" -H 'Content-Type: application/json' \\\n"
            '    -d \'{"labels": ["kids", "smoking"]}\'\n'
            "  answer-ledger topics import dating     (or recruiting, support: topics with questions)",
            markup=False,
            highlight=False,
        )
    console.print(f"serving at {url}, the interface at {url}/docs", highlight=False, soft_wrap=True)
