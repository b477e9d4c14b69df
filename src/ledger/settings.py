"""What a deployment sets: `LEDGER_*` variables of the environment, or of a `.env` beside it.

Source: DESIGN section 9; every setting is described in docs/reference/settings.md.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from dotenv import dotenv_values
from pydantic import AfterValidator, Field, SecretStr, ValidationError, model_validator
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from ledger.errors import SetupError

PREFIX = "LEDGER_"
ENV_FILE = ".env"


def default_data_dir() -> Path:
    """The platform's place for the data of one user's programs.

    Source: XDG Base Directory Specification; Apple, File System Programming Guide.
    """
    try:
        if sys.platform == "darwin":
            return Path.home() / "Library" / "Application Support" / "answer-ledger"
        # A relative path is to be ignored, says the specification.
        shared = Path(os.environ.get("XDG_DATA_HOME", ""))
        return (shared if shared.is_absolute() else Path.home() / ".local" / "share") / "answer-ledger"
    except RuntimeError:
        raise SetupError("This user has no home folder. Name a data directory in LEDGER_DATA_DIR.") from None


def _database_url(value: SecretStr) -> SecretStr:
    # Not parsed: what a parser complains of is part of the secret.
    if not value.get_secret_value().startswith(("postgresql://", "postgres://")):
        raise ValueError("must begin with postgresql://")
    return value


def _key_url(value: str) -> str:
    # Whoever can change the keys on their way can sign tokens.
    try:
        parts = urlsplit(value)
    except ValueError:
        raise ValueError("must be a URL") from None
    local = parts.hostname in {"localhost", "127.0.0.1", "::1"}
    if not parts.hostname or parts.scheme not in ({"https", "http"} if local else {"https"}):
        raise ValueError("must begin with https:// (http:// is for this machine alone)")
    return value


def _name(value: str) -> str:
    if not value.strip() or not value.isprintable():
        raise ValueError("must be a name without control characters")
    return value


DatabaseUrl = Annotated[SecretStr, AfterValidator(_database_url)]
KeyUrl = Annotated[str, AfterValidator(_key_url)]
Name = Annotated[str, AfterValidator(_name)]
FilePath = Annotated[Path, AfterValidator(Path.expanduser)]


class Settings(BaseSettings):
    """The settings of one process; frozen, and nothing secret in its repr.

    Made by `load`, so that whatever is wrong is a SetupError that never repeats a value.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX,
        env_file=ENV_FILE,
        env_file_encoding="utf-8",
        env_ignore_empty=True,
        extra="ignore",
        frozen=True,
        hide_input_in_errors=True,
        use_attribute_docstrings=True,
    )

    database_url: DatabaseUrl | None = None
    """Where the database is; absent, the embedded PostgreSQL is started."""
    database_url_agent: DatabaseUrl | None = None
    """The login of the agents' surface."""
    database_url_capture: DatabaseUrl | None = None
    """The login of the capturing application's surface."""
    database_url_principal: DatabaseUrl | None = None
    """The login of the principals' surface."""
    database_url_operator: DatabaseUrl | None = None
    """The login of the operators' surface."""
    database_url_sweeper: DatabaseUrl | None = None
    """The login of the sweep."""
    pool_min: int = Field(default=1, ge=0, le=100)
    """Connections that a worker keeps open, a surface."""
    pool_max: int = Field(default=4, ge=1, le=100)
    """Connections that a worker opens at most, a surface."""

    prepared_statements: bool = True
    """Whether statements are prepared; off behind PgBouncer before 1.21 in transaction mode."""

    data_dir: FilePath = Field(default_factory=default_data_dir)
    """The folder of the embedded database and of the key files."""
    pg_bin: FilePath | None = None
    """A folder with `initdb` and `postgres`, for the embedded database."""

    taken_dir: FilePath | None = None
    """The folder of the record of what was taken away, outside `data_dir`; absent, that of the embedded database is
    `data_dir` with `-taken` behind its name."""
    taken_url: DatabaseUrl | None = None
    """A database in another cluster that holds the record, for several machines."""

    pepper: SecretStr | None = None
    """32 bytes or more in base64; absent, it is made once and kept in the data directory."""
    tenant: Name = "default"
    """Whose principals these are: the same outside id of two tenants is two principals."""
    issuer: Name = "answer-ledger"
    """The `iss` of the tokens that the ledger issues."""
    audience: Name = "answer-ledger"
    """The `aud` of every token."""
    jwks_url: KeyUrl | None = None
    """Public keys of another issuer, fetched."""
    jwks_file: FilePath | None = None
    """Public keys of another issuer, in a file."""
    jwks_issuer: Name | None = None
    """The `iss` of the tokens of that issuer; absent, the same as `issuer`."""

    avoid_file: FilePath | None = None
    """Names that no answer and no label may hold, one a line."""
    notices_dir: FilePath | None = None
    """The notices that consent refers to, one file a version and language (`v2.en.md`), beside those that ship."""
    undecided_tier: Literal["topics", "none"] = "topics"
    """What agents may read of a principal who has not decided; kept in the database for every worker until it is
    set otherwise."""
    visible_from: Literal["same_day", "next_day"] = "same_day"
    """From which day on agents see what was captured; kept in the database likewise."""
    controller: Name | None = None
    """Who is responsible for the data, as receipts name it."""

    host: Name = "127.0.0.1"
    """The address to listen at."""
    port: int = Field(default=8700, ge=0, le=65535)
    """The port to listen at; 0: any that is free."""
    workers: int = Field(default=1, ge=1, le=256)
    """Processes that serve."""
    log_level: Literal["critical", "error", "warning", "info", "debug"] = "warning"
    """From which level on `serve` logs what it does; nothing of a request at any."""
    head_timeout_s: int = Field(default=10, ge=1, le=600)
    """Seconds until the headers of a request are whole."""
    body_timeout_s: int = Field(default=20, ge=1, le=600)
    """Seconds from then on until its body is whole."""
    idle_timeout_s: int = Field(default=75, ge=1, le=3600)
    """Seconds that a connection is kept open for a next request."""
    grace_s: int = Field(default=10, ge=2, le=600)
    """Seconds in which `serve` ends after SIGTERM, what it has begun to read being answered first."""
    sweep_every_hours: int = Field(default=1, ge=0, le=24)
    """The serving processes sweep soon after midnight (UTC), and look every so many whole hours whether that is still
    to be done; 0: they do not sweep."""

    @model_validator(mode="after")
    def _pools_are_ordered(self) -> Self:
        if self.pool_min > self.pool_max:
            raise ValueError("LEDGER_POOL_MIN must not be above LEDGER_POOL_MAX")
        return self

    @classmethod
    def alone(cls, **given: Any) -> Settings:
        """Those given and no others: for a ledger that is made to be thrown away, beside one that is not."""
        return _Alone(**given)

    @classmethod
    def load(cls, **given: Any) -> Self:
        """The settings of the environment, of `.env`, and before both those given and not None.

        Raises SetupError for a value that is not allowed, and for a variable that there is not.
        """
        given = {name: value for name, value in given.items() if value is not None}
        try:
            _refuse_unknown([*os.environ, *dotenv_values(ENV_FILE), *(PREFIX + name for name in given)])
            return cls(**given)
        except ValidationError as error:
            raise SetupError(f"{'; '.join(_told(error))}.") from None
        except (OSError, UnicodeDecodeError):
            raise SetupError(f"The file {ENV_FILE} of this folder can't be read.") from None


class _Alone(Settings):
    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        return (init_settings,)


def _refuse_unknown(names: Iterable[str]) -> None:
    known = [name.upper() for name in Settings.model_fields]
    for name in map(str.upper, names):
        if name.startswith(PREFIX) and name.removeprefix(PREFIX) not in known:
            near = get_close_matches(name.removeprefix(PREFIX), known, n=1)
            hint = f"did you mean {PREFIX}{near[0]}?" if near else "see docs/reference/settings.md"
            raise SetupError(f"There is no setting {name}: {hint}")


def _told(error: ValidationError) -> Iterable[str]:
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        where = PREFIX + str(one["loc"][0]).upper() + " " if one["loc"] else ""
        yield where + one["msg"].removeprefix("Value error, ").replace("Input should be", "must be")
