"""The folder that PostgreSQL keeps its data in: made whole or not at all, and never one that is not ours."""

from __future__ import annotations

import errno
import os
import re
import secrets
import shutil
from pathlib import Path

from ledger import private
from ledger.embedded.binaries import Binaries
from ledger.embedded.privileges import Account
from ledger.errors import SetupError

SUPERUSER = "postgres"
_COMPLAINT = re.compile(r"\b(?:error|FATAL|PANIC): +(.+)")


def secret(home: Path) -> str:
    """The superuser's password, made once; beside the cluster, so that a backup of `home` holds both."""
    path = home / "superuser.secret"
    if not (home / "cluster").exists():
        private.make_once(path, secrets.token_urlsafe(32).encode())
    elif not path.exists():
        raise SetupError(
            f"{path} is missing, and without it the database can't be opened. Put it back from a backup."
        )
    return private.read(path).decode()


def prepare(home: Path, binaries: Binaries, account: Account, keep: int, *, lasting: bool = True) -> Path:
    """The cluster of `home`, made if absent, with the account as its owner.

    `keep` is a descriptor that a program which outlives us holds on to. One that is not `lasting` is not waited
    for until it is on the disk.
    Raises SetupError if it is of another major version, is not ours, or can't be made.
    """
    cluster = home / "cluster"
    if not cluster.exists():
        _make(home, cluster, binaries, account, keep, () if lasting else ("--no-sync",))
    try:
        major = (cluster / "PG_VERSION").read_text("ascii").strip()
    except FileNotFoundError:
        raise SetupError(
            f"{cluster} is not a database of ours. Move it away, or choose another --data-dir."
        ) from None
    if major != str(binaries.major):
        raise SetupError(
            f"{cluster} was made by PostgreSQL {major:.8}, and the server found here is {binaries.version}. "
            f"Name the bin folder of a PostgreSQL {major:.8} in LEDGER_PG_BIN; to move to the new version, "
            "dump with the old one and load into a new --data-dir."
        )
    account.give(cluster)
    return cluster


def _make(
    home: Path, cluster: Path, binaries: Binaries, account: Account, keep: int, more: tuple[str, ...]
) -> None:
    # Under another name until it is whole: what a kill left behind is never taken for a cluster.
    draft = home / "cluster.new"
    if draft.exists():
        shutil.rmtree(draft)
    draft.mkdir(mode=0o700)
    password = home / "password.new"
    password.unlink(missing_ok=True)
    private.make_once(password, secret(home).encode())
    try:
        account.give(draft)
        account.give(password)
        made = account.run(
            binaries.folder / "initdb",
            f"--pgdata={draft}",
            f"--username={SUPERUSER}",
            f"--pwfile={password}",
            "--auth-local=scram-sha-256",
            "--auth-host=reject",
            "--encoding=UTF8",
            "--locale=C",
            "--data-checksums",
            # The smallest: a segment keeps deleted answers until it is full.
            "--wal-segsize=1",
            *more,
            keep=keep,
        )
        if made.returncode != 0:
            raise SetupError(f"The database could not be made in {home}: {reason(made.stdout)}")
        # Before the cluster has its name: from then on nobody looks here again.
        password.unlink()
        draft.rename(cluster)
        private.sync(home)
    finally:
        password.unlink(missing_ok=True)
        shutil.rmtree(draft, ignore_errors=True)


def reason(output: str) -> str:
    """The sentence in a program's output that tells why it failed, with a next step where one is known."""
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    told = (found[1] for line in lines if (found := _COMPLAINT.search(line)))
    sentence = next(told, lines[-1] if lines else "it gave no reason").rstrip(".")
    if os.strerror(errno.ENOSPC) in output or os.strerror(errno.EDQUOT) in output:
        return f"{sentence}. Free some space, or choose another --data-dir."
    return f"{sentence}."
