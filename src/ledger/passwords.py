"""The passwords of the surfaces' logins: random, made once, kept with the keys in a file that nobody else may read.

`answer-ledger migrate` makes them and sets them in the database; whoever serves reads them. Each has 256 bits of its
own, so that whoever knows one can guess neither another nor the installer's.

Source: decision 0012.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Self

from ledger import private
from ledger.errors import SetupError

_BYTES = 32
FILE = "logins.json"
"""In the folder of the keys: an object, role -> password."""


class Passwords(Mapping[str, str]):
    """Role -> password. Nothing of it shows in its repr."""

    def __init__(self, of: Mapping[str, str]) -> None:
        self._of = dict(of)

    @classmethod
    def new(cls, roles: Iterable[str]) -> Self:
        return cls({role: secrets.token_urlsafe(_BYTES) for role in roles})

    @classmethod
    def read(cls, data_dir: Path) -> Self | None:
        """Those of `data_dir`; None where there are none. Makes nothing.

        Raises SetupError for a file that is open to others or damaged.
        """
        path = place(data_dir)
        if not path.exists():
            return None
        try:
            found = json.loads(private.read(path))
        except ValueError:
            raise _damaged(path) from None
        if not isinstance(found, dict) or not all(isinstance(one, str) and one for one in found.values()):
            raise _damaged(path)
        return cls(found)

    def keep(self, data_dir: Path) -> Passwords:
        """Writes them unless there are some already; gives those that are there then."""
        private.folder(private.data_folder(data_dir) / "keys")
        private.make_once(place(data_dir), self._written())
        return Passwords.read(data_dir) or self

    def replace(self, data_dir: Path) -> Passwords:
        """Writes them in place of those that are there."""
        private.folder(private.data_folder(data_dir) / "keys")
        private.replace(place(data_dir), self._written())
        return self

    def _written(self) -> bytes:
        return json.dumps(self._of, indent=2).encode() + b"\n"

    def __getitem__(self, role: str) -> str:
        return self._of[role]

    def __iter__(self) -> Iterator[str]:
        return iter(self._of)

    def __len__(self) -> int:
        return len(self._of)

    def __repr__(self) -> str:
        return f"Passwords({', '.join(self._of)})"


def place(data_dir: Path) -> Path:
    """Where they lie, or would lie."""
    return private.data_place(data_dir) / "keys" / FILE


def _damaged(path: Path) -> SetupError:
    return SetupError(
        f"{path} is damaged. Put it back from a backup, or remove it and run answer-ledger migrate, which sets new ones."
    )
