"""Settings: every one is documented, a wrong one is refused, and no secret is ever shown."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pydantic import SecretStr, ValidationError

from ledger.errors import SetupError
from ledger.settings import PREFIX, Settings, default_data_dir

SECRET = "s3cr3t"
PAGE = Path(__file__).resolve().parents[1] / "docs" / "reference" / "settings.md"


@pytest.fixture(autouse=True)
def _a_bare_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in os.environ:
        if name.startswith(PREFIX):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)


def test_nothing_has_to_be_set() -> None:
    found = Settings.load()
    assert found.database_url is None
    assert found.data_dir == default_data_dir()
    assert (found.host, found.port, found.workers) == ("127.0.0.1", 8700, 1)
    assert (found.tenant, found.issuer, found.audience) == ("default", "answer-ledger", "answer-ledger")
    assert (found.undecided_tier, found.visible_from) == ("topics", "same_day")


def test_what_is_given_comes_before_the_environment_and_that_before_the_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path(".env").write_text("LEDGER_PORT=1\nLEDGER_HOST=file\nLEDGER_TENANT=file\n# a note\nOTHER=x\n")
    monkeypatch.setenv("LEDGER_PORT", "2")
    monkeypatch.setenv("LEDGER_HOST", "environment")
    found = Settings.load(port=3, host=None)
    assert (found.port, found.host, found.tenant) == (3, "environment", "file")


def test_an_empty_variable_is_as_good_as_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEDGER_PEPPER", "")
    monkeypatch.setenv("LEDGER_PORT", "")
    assert (Settings.load().pepper, Settings.load().port) == (None, 8700)


def test_settings_do_not_change() -> None:
    found = Settings.load()
    with pytest.raises(ValidationError):
        found.port = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "meant"), [("LEDGER_PEPPR", "LEDGER_PEPPER"), ("LEDGER_DATABASE", "LEDGER_DATABASE_URL")]
)
@pytest.mark.parametrize("where", ["environment", "file"])
def test_an_unknown_variable_is_refused_with_the_one_that_was_meant(
    monkeypatch: pytest.MonkeyPatch, name: str, meant: str, where: str
) -> None:
    if where == "file":
        Path(".env").write_text(f"{name}={SECRET}\n")
    else:
        monkeypatch.setenv(name, SECRET)
    with pytest.raises(SetupError) as refused:
        Settings.load()
    assert refused.value.detail == f"There is no setting {name}: did you mean {meant}?"


def test_an_unknown_variable_unlike_any_points_to_the_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEDGER_QQQQ", "1")
    with pytest.raises(SetupError, match=r"There is no setting LEDGER_QQQQ: see docs/reference/settings\.md"):
        Settings.load()


WRONG = {
    "database_url": [f"mysql://u:{SECRET}@h/d", SECRET],
    "database_url_agent": [f"http://u:{SECRET}@h"],
    "jwks_url": ["http://keys.example/" + SECRET, SECRET, "https://", f"https://[{SECRET}]/"],
    "undecided_tier": ["full", SECRET],
    "visible_from": [SECRET],
    "port": [SECRET, "-1", "65536", "1.5"],
    "workers": ["0", SECRET],
    "log_level": ["trace", SECRET],
    "head_timeout_s": ["0", SECRET],
    "body_timeout_s": ["0", "601"],
    "idle_timeout_s": ["0"],
    "grace_s": ["1", SECRET],
    "pool_max": ["0"],
    "sweep_every_hours": ["-1", SECRET],
    "tenant": ["a\x1fb", " ", "a\nb"],
    "prepared_statements": [SECRET],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name in WRONG for value in WRONG[name]])
def test_a_wrong_value_is_refused_by_the_name_of_its_setting_and_not_repeated(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    monkeypatch.setenv(PREFIX + name.upper(), value)
    with pytest.raises(SetupError) as refused:
        Settings.load()
    assert refused.value.detail.startswith(PREFIX + name.upper() + " must be")
    assert SECRET not in refused.value.detail
    assert refused.value.__suppress_context__


def test_all_that_is_wrong_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEDGER_PORT", "x")
    monkeypatch.setenv("LEDGER_WORKERS", "0")
    with pytest.raises(SetupError, match=r"LEDGER_PORT must be .*; LEDGER_WORKERS must be "):
        Settings.load()


def test_a_pool_is_not_larger_at_least_than_at_most() -> None:
    with pytest.raises(SetupError, match="LEDGER_POOL_MIN must not be above LEDGER_POOL_MAX"):
        Settings.load(pool_min=5, pool_max=4)


@pytest.mark.parametrize(
    "url", ["https://keys.example/jwks", "http://127.0.0.1:9/jwks", "http://localhost/jwks"]
)
def test_keys_are_fetched_over_https_or_from_this_machine(url: str) -> None:
    assert Settings.load(jwks_url=url).jwks_url == url


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(st.text(alphabet=st.characters(codec="ascii", exclude_categories=["C"]), min_size=6, max_size=40))
def test_no_secret_is_in_a_repr_or_a_dump(secret: str) -> None:
    found = Settings.load(database_url=f"postgresql://u:[{secret}]@h/d", pepper=f"[{secret}]")
    assert f"[{secret}]" not in f"{found!r} {found} {found.model_dump()} {found.model_dump_json()}"
    assert found.pepper == SecretStr(f"[{secret}]")


def test_a_file_that_is_no_text_is_refused() -> None:
    Path(".env").write_bytes(b"LEDGER_TENANT=\xff\xfe\n")
    with pytest.raises(SetupError, match=r"\.env of this folder can't be read"):
        Settings.load()


@pytest.mark.parametrize(
    ("platform", "environment", "expected"),
    [
        ("linux", {"XDG_DATA_HOME": "/srv/share"}, "/srv/share/answer-ledger"),
        ("linux", {"XDG_DATA_HOME": "relative"}, "/home/her/.local/share/answer-ledger"),
        ("linux", {}, "/home/her/.local/share/answer-ledger"),
        ("darwin", {"XDG_DATA_HOME": "/srv/share"}, "/home/her/Library/Application Support/answer-ledger"),
    ],
)
def test_data_lies_where_the_platform_keeps_it(
    monkeypatch: pytest.MonkeyPatch, platform: str, environment: dict[str, str], expected: str
) -> None:
    monkeypatch.setattr("sys.platform", platform)
    monkeypatch.setenv("HOME", "/home/her")
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert default_data_dir() == Path(expected)


def test_a_user_without_a_home_is_asked_for_a_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    def homeless() -> Path:
        raise RuntimeError

    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    with pytest.raises(SetupError, match="LEDGER_DATA_DIR"):
        Settings.load()
    assert Settings.load(data_dir="/srv/ledger").data_dir == Path("/srv/ledger")


def test_a_tilde_is_the_home_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/her")
    monkeypatch.setenv("LEDGER_DATA_DIR", "~/ledger")
    assert Settings.load().data_dir == Path("/home/her/ledger")


def _written(default: Any) -> str:
    return "none" if default is None else str(default).lower() if isinstance(default, bool) else str(default)


@pytest.mark.parametrize("name", Settings.model_fields)
def test_every_setting_is_documented_with_its_default_and_its_meaning(name: str) -> None:
    field = Settings.model_fields[name]
    rows = [
        line for line in PAGE.read_text().splitlines() if line.startswith(f"| `{PREFIX}{name.upper()}` |")
    ]
    assert len(rows) == 1
    assert field.description
    if field.default_factory is None:
        assert rows[0].split("|")[2].strip().strip("`") == _written(field.default)


def test_no_setting_is_documented_that_there_is_not() -> None:
    rows = [line.split("`")[1] for line in PAGE.read_text().splitlines() if line.startswith(f"| `{PREFIX}")]
    assert sorted(rows) == sorted(PREFIX + name.upper() for name in Settings.model_fields)
