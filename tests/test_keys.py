"""The key files: made once, whole, the same for everybody who starts at once, and nobody else's to read."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ledger.errors import SetupError
from ledger.keys import Keys
from ledger.settings import Settings

NAMES = ["pepper", "sealing.key", "signing.jwk"]
PEPPER = base64.b64encode(bytes(range(32))).decode()

OPEN = """
import sys
from pathlib import Path
from ledger.keys import Keys
from ledger.settings import Settings
sys.stdin.readline()
keys = Keys.open(Path(sys.argv[1]), Settings.load())
print(keys.pepper.hex(), keys.sealing.hex(), keys.signing.thumbprint())
"""


@pytest.fixture(autouse=True)
def _no_pepper_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LEDGER_PEPPER", raising=False)
    monkeypatch.chdir(tmp_path)


def open_keys(data_dir: Path, pepper: str | None = None) -> Keys:
    return Keys.open(data_dir, Settings.load(pepper=pepper))


def test_the_first_start_makes_them_and_says_so_and_the_next_one_finds_them(tmp_path: Path) -> None:
    first, second = open_keys(tmp_path), open_keys(tmp_path)
    assert (first.made_now, second.made_now) == (True, False)
    assert (first.pepper, first.sealing) == (second.pepper, second.sealing)
    assert first.signing.as_dict(private=True) == second.signing.as_dict(private=True)
    assert len(first.pepper) == len(first.sealing) == 32
    assert first.signing.curve_name == "Ed25519"


def test_two_deployments_have_nothing_in_common(tmp_path: Path) -> None:
    first, second = open_keys(tmp_path / "a"), open_keys(tmp_path / "b")
    assert len({first.pepper, second.pepper, first.sealing, second.sealing}) == 4
    assert first.signing.thumbprint() != second.signing.thumbprint()


def test_they_are_their_owners_alone(tmp_path: Path) -> None:
    open_keys(tmp_path)
    folder = tmp_path / "keys"
    assert folder.stat().st_mode & 0o777 == 0o700
    assert {path.name: path.stat().st_mode & 0o777 for path in folder.iterdir()} == dict.fromkeys(
        NAMES, 0o600
    )


def test_processes_that_race_at_the_first_start_get_the_same_keys(tmp_path: Path) -> None:
    racing = [
        subprocess.Popen(
            [sys.executable, "-c", OPEN, tmp_path / "data"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(4)
    ]
    said = {process.communicate("\n", timeout=30)[0] for process in racing}
    assert len(said) == 1
    assert len(said.pop().split()) == 3
    assert sorted(path.name for path in (tmp_path / "data" / "keys").iterdir()) == NAMES


def test_one_that_is_missing_is_made_and_the_others_stay(tmp_path: Path) -> None:
    before = open_keys(tmp_path)
    (tmp_path / "keys" / "signing.jwk").unlink()
    after = open_keys(tmp_path)
    assert after.made_now
    assert (after.pepper, after.sealing) == (before.pepper, before.sealing)
    assert after.signing.thumbprint() != before.signing.thumbprint()


def test_a_pepper_that_is_set_stands_for_its_file(tmp_path: Path) -> None:
    assert open_keys(tmp_path, PEPPER).pepper == bytes(range(32))
    assert not (tmp_path / "keys" / "pepper").exists()
    assert open_keys(tmp_path).pepper != bytes(range(32))
    assert open_keys(tmp_path, PEPPER).pepper == bytes(range(32))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.binary(min_size=32, max_size=64), st.booleans(), st.booleans())
def test_a_pepper_may_be_written_in_either_alphabet_with_padding_or_without(
    tmp_path: Path, pepper: bytes, url_safe: bool, padded: bool
) -> None:
    text = (base64.urlsafe_b64encode if url_safe else base64.b64encode)(pepper).decode()
    assert open_keys(tmp_path, text if padded else text.rstrip("=")).pepper == pepper


@pytest.mark.parametrize(
    "pepper", ["short", "a" * 42, "!" * 64, "grüße" * 20, base64.b64encode(bytes(31)).decode(), "a b" * 30]
)
def test_a_pepper_that_is_too_short_or_no_base64_is_refused_and_not_repeated(
    tmp_path: Path, pepper: str
) -> None:
    with pytest.raises(SetupError, match=r"LEDGER_PEPPER must be 32 bytes .* openssl rand") as refused:
        open_keys(tmp_path, pepper)
    assert pepper not in refused.value.detail


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("mode", [0o640, 0o604, 0o660])
def test_one_that_others_may_read_is_refused(tmp_path: Path, name: str, mode: int) -> None:
    open_keys(tmp_path)
    (tmp_path / "keys" / name).chmod(mode)
    with pytest.raises(SetupError, match=rf"{name} is open to other users\. Close it with: chmod 600"):
        open_keys(tmp_path)


def test_a_folder_that_others_may_list_is_refused(tmp_path: Path) -> None:
    (tmp_path / "keys").mkdir(mode=0o755)
    with pytest.raises(SetupError, match=r"keys is open to other users\. Close it with: chmod 700"):
        open_keys(tmp_path)
    assert not list((tmp_path / "keys").iterdir())


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, who can give a file away")
@pytest.mark.parametrize("name", [*NAMES, "."])
def test_what_belongs_to_another_user_is_refused(tmp_path: Path, name: str) -> None:
    open_keys(tmp_path)
    os.chown(tmp_path / "keys" / name, 12345, -1)
    with pytest.raises(SetupError, match="belongs to another user"):
        open_keys(tmp_path)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "content", [b"", b"{}", b"[]", b"null", b"\xff\xfe", b"AAAA", b"A" * 400, b'{"kty":"OKP"}']
)
def test_one_that_is_damaged_is_refused_and_not_replaced(tmp_path: Path, name: str, content: bytes) -> None:
    open_keys(tmp_path)
    path = tmp_path / "keys" / name
    path.write_bytes(content)
    if name == "pepper" and content == b"A" * 400:
        # 300 bytes: longer than ours, and as good.
        assert len(open_keys(tmp_path).pepper) == 300
        return
    with pytest.raises(SetupError, match=rf"{name} is damaged\. Put it back from a backup"):
        open_keys(tmp_path)
    assert path.read_bytes() == content


def test_a_public_key_is_no_signing_key(tmp_path: Path) -> None:
    keys = open_keys(tmp_path)
    (tmp_path / "keys" / "signing.jwk").write_text(json.dumps(keys.signing.as_dict(private=False)))
    with pytest.raises(SetupError, match=r"signing\.jwk is damaged"):
        open_keys(tmp_path)


def test_no_key_is_in_a_repr(tmp_path: Path) -> None:
    keys = open_keys(tmp_path)
    assert repr(keys) == "Keys(made_now=True)"


def test_a_place_that_can_not_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SetupError, match=r"is not a folder.*--data-dir or LEDGER_DATA_DIR"):
        open_keys(tmp_path / "file" / "data")
