"""Opening a deployment: its keys, its database, its logins, and whether they belong together."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from uuid import UUID

import psycopg
from psycopg.conninfo import conninfo_to_dict
from pydantic import SecretStr

from ledger import languages, notices, packs, private
from ledger.core.gate import Gate, Names
from ledger.core.store import Store
from ledger.db import logins, migrations
from ledger.db import operator as db
from ledger.db import record as records
from ledger.db.connections import Connections
from ledger.db.operation import Surface, UseCase
from ledger.db.taken import DatabaseStore
from ledger.embedded import EmbeddedServer
from ledger.errors import LedgerError, NoLedger, NotMigrated, SetupError, Unavailable, WrongPepper
from ledger.identity import Identity
from ledger.keys import Keys, no_ledger
from ledger.passwords import Passwords, place
from ledger.processes import PerProcess
from ledger.record.file import FileStore
from ledger.record.keeping import Compared, Record
from ledger.service.avoid import names_to_avoid
from ledger.service.context import Context
from ledger.service.registry import Reading
from ledger.settings import Settings

DATABASE = "ledger"  # the name of the embedded server's database
_REVIVE_S = 2.0


@dataclass(slots=True)
class Deployment:
    """An open deployment. Close it; the embedded server stops with the last process that had it open.

    It may be used on in a forked child: `join` makes that one of those processes.
    """

    settings: Settings
    keys: Keys
    context: Context
    logins: dict[Surface, str] = field(repr=False)
    server: EmbeddedServer | None = None
    installer: str | None = field(default=None, repr=False)
    compared: Compared | None = None  # the record with the database, at the start; None: there is no record
    _revived: float = 0.0
    _reviving: PerProcess[threading.Lock] = field(
        default_factory=lambda: PerProcess(threading.Lock), repr=False
    )

    @classmethod
    def open(cls, settings: Settings, *, make: bool = True, without_record: bool = False) -> Deployment:
        """Starts what has to be started, and checks what has to fit. Raises SetupError, Unavailable.

        The embedded database is brought up to this release; one that the settings name is only checked
        (`answer-ledger migrate` does it there). With `make` false no ledger is made, nor any file or folder: it raises
        NoLedger where there is none. `without_record`: to reconcile a ledger whose record is lost.
        """
        embedded = settings.database_url is None and len(own_logins(settings)) < len(Surface)
        if not make and embedded and not EmbeddedServer.is_there(settings.data_dir):
            raise no_ledger(settings.data_dir)
        if embedded and EmbeddedServer.is_there(settings.data_dir):
            _refuse_without_pepper(settings)
        keys = Keys.open(settings.data_dir, settings, make=make)
        context = _context(settings, keys)
        deployment = cls(settings, keys, context, {})
        try:
            deployment._reach_database()
            deployment._check_and_settle()
            deployment._find_record(without_record)
        except BaseException:
            deployment.close()
            raise
        return deployment

    def close(self) -> None:
        if self.context.record is not None:
            self.context.record.store.close()
        if self.server is not None:
            self.server.close()
            self.server = None

    @property
    def inherited(self) -> bool:
        """Whether this is a forked child that has yet to `join`."""
        return self.server is not None and self.server.inherited

    def join(self) -> None:
        """In a forked child: keeps the embedded server running until this process closes the deployment too.

        Slow the first time, and nothing after it. Raises SetupError where the server can't be started.
        """
        if self.server is not None and self.server.inherited:
            self.server.ensure_running()

    def revive(self) -> None:
        """Starts the embedded server again, if something killed it; at most every two seconds."""
        reviving = self._reviving.get()
        if self.server is None or not reviving.acquire(blocking=False):
            return
        try:
            if time.monotonic() - self._revived > _REVIVE_S:
                self._revived = time.monotonic()
                self.server.ensure_running()
        finally:
            reviving.release()

    def _reach_database(self) -> None:
        own = own_logins(self.settings)
        self.installer = installer(self.settings)
        if self.installer is None and len(own) < len(Surface):
            self.server = EmbeddedServer.open(self.settings.data_dir, pg_bin=self.settings.pg_bin)
            self.installer = self.server.admin_conninfo(DATABASE)
            _make_database(self.server.admin_conninfo("postgres"))
            self.logins = _set_up_embedded(self.installer, self.settings) | own
            return
        if self.installer is not None and len(own) < len(Surface):
            passwords = Passwords.read(self.settings.data_dir)
            if passwords is None:
                raise NotMigrated(
                    f"The passwords of the surfaces are not in {place(self.settings.data_dir)}. Run answer-ledger migrate, copy the "
                    "keys folder from where it ran, or set a URL for each surface (LEDGER_DATABASE_URL_AGENT and so on)."
                )
            self.logins = logins.with_passwords(self.installer, passwords)
        self.logins |= own
        if len(self.logins) < len(Surface):
            raise NotMigrated(
                f"{place(self.settings.data_dir)} lacks the password of a surface. Copy it whole, or run: answer-ledger migrate --new-passwords"
            )
        logins.check(self.logins)

    @property
    def compare(self) -> Callable[[], UseCase[Compared]] | None:
        """Compares the record with the database; None where no record is kept."""
        return None if self.context.record is None else self.context.record.compare

    def _find_record(self, without: bool) -> None:
        connections = Connections({Surface.SWEEPER: self.logins[Surface.SWEEPER]}, self.settings)
        try:
            record = self.context.record
            if record is not None:
                self.compared = connections.run(record.compare())
            elif not without and connections.execute(records.state()).mark is not None:
                raise SetupError(
                    "This ledger keeps a record of what was taken away, apart from its database. Name it in LEDGER_TAKEN_DIR "
                    "or LEDGER_TAKEN_URL; where it is lost: answer-ledger reconcile --without-record."
                )
        finally:
            connections.close()

    def _check_and_settle(self) -> None:
        connections = Connections({Surface.OPERATOR: self.logins[Surface.OPERATOR]}, self.settings)
        try:
            migrations.check(_version(connections))
            setting = connections.execute(db.setting_read())
            proof = str(self.context.identity.proof())
            if setting["pepper_proof"] not in (None, proof):
                raise _wrong_pepper(self.settings)
            # Only what is set in so many words: a process that is started without a setting must not undo it
            # for all the others.
            wanted: dict[str, str] = {"pepper_proof": proof}
            for name in {"undecided_tier", "visible_from"} & self.settings.model_fields_set:
                wanted[name] = getattr(self.settings, name)
            if any(setting[name] != value for name, value in wanted.items()):
                connections.execute(db.setting_change({}, wanted))
        finally:
            connections.close()


def _version(connections: Connections) -> str | None:
    try:
        return connections.execute(db.schema_version())
    except Unavailable:
        raise
    except LedgerError:
        return None  # roles belong to the cluster: one can log in to a database that has no ledger


def installer(settings: Settings) -> str | None:
    """The connection string that sets up and derives; None: the embedded database's. Raises SetupError."""
    return _readable(settings.database_url) if settings.database_url else None


def own_logins(settings: Settings) -> dict[Surface, str]:
    """The connection strings that the settings give to single surfaces. Raises SetupError."""
    given = {surface: getattr(settings, f"database_url_{surface.value}") for surface in Surface}
    return {surface: _readable(url) for surface, url in given.items() if url is not None}


def _readable(url: SecretStr) -> str:
    # What the driver says of one that it can't read is a part of it, such as half a password.
    try:
        conninfo_to_dict(url.get_secret_value())
    except psycopg.ProgrammingError:
        raise SetupError(
            "A database URL can't be read. Encode the special characters of its password, such as %25 for %."
        ) from None
    return url.get_secret_value()


def migrate(url: str, settings: Settings, *, new_passwords: bool = False) -> Migrated:
    """Brings a database to this release, makes keys and passwords where there are none, and sets the passwords of
    the surfaces where the database has others.

    Keys and database belong together from then on: raises WrongPepper, before anything is changed, for a database that
    was filled with another pepper. Raises SetupError, Unavailable as `migrations.installing` does; and SetupError, with no
    password changed, where other ledgers of the cluster have the roles and their passwords are not here (`new_passwords` sets new ones for all).
    """
    folder = settings.data_dir
    with migrations.installing(url) as installation:
        proof = installation.proof()
        if proof is not None:
            _refuse_other_keys(settings, proof)
        ran = installation.upgrade(bare_forms())
        kept = None if new_passwords else Passwords.read(folder)
        chosen, neighbours = _chosen(settings), installation.neighbours()
        if (
            neighbours
            and not new_passwords
            and (kept is None or not installation.lets_in({**kept, **chosen}))
        ):
            raise SetupError(
                f"Other ledgers of this cluster ({', '.join(neighbours)}) have the same roles, with passwords that are not in "
                f"{place(folder)}. Copy that file from the keys folder of one of them, and run migrate again; or set new ones for all "
                "with --new-passwords, and copy the file to the others."
            )
        keys = Keys.open(folder, settings)
        if kept is None:
            new = Passwords.new(logins.ROLES)
            kept = new.replace(folder) if new_passwords else new.keep(folder)
        wanted = {**kept, **chosen}
        is_set = not installation.lets_in(wanted)
        if is_set:
            installation.set_passwords(wanted)
        installation.prove(Identity(keys.pepper, settings.tenant).proof())
    return Migrated(ran, keys, is_set)


@dataclass(frozen=True, slots=True)
class Migrated:
    """What a migration did: the revisions that ran, the keys that the ledger has, and whether passwords were set."""

    ran: list[str]
    keys: Keys
    passwords_set: bool


def _refuse_other_keys(settings: Settings, proof: UUID) -> None:
    try:
        keys = Keys.open(settings.data_dir, settings, make=False)
    except NoLedger:
        raise WrongPepper(
            "This database was filled with a pepper that is not here: nobody's rows would be found. Copy the keys folder of "
            f"its ledger to {place(settings.data_dir).parent}, or name it with --data-dir; or put the pepper into LEDGER_PEPPER."
        ) from None
    if Identity(keys.pepper, settings.tenant).proof() != proof:
        raise _wrong_pepper(settings)


def _refuse_without_pepper(settings: Settings) -> None:
    # a new one would be a key that opens nothing
    lies_at = private.data_place(settings.data_dir) / "keys" / "pepper"
    if settings.pepper is None and not lies_at.exists():
        raise WrongPepper(
            f"{lies_at} is missing: without it nobody's answers are found again. Put it back from its backup, or into LEDGER_PEPPER."
        )


def _wrong_pepper(settings: Settings) -> WrongPepper:
    return WrongPepper(
        "The pepper is not the one that this database was filled with: nobody's rows would be found. "
        f"Put the right one into LEDGER_PEPPER or {settings.data_dir / 'keys' / 'pepper'}."
    )


def _chosen(settings: Settings) -> dict[str, str]:
    """The passwords that stand in URLs of single surfaces, where they are of the surface's own role."""
    given = {surface.role: conninfo_to_dict(conninfo) for surface, conninfo in own_logins(settings).items()}
    return {
        role: str(parts["password"])
        for role, parts in given.items()
        if parts.get("user") == role and parts.get("password")
    }


def _set_up_embedded(conninfo: str, settings: Settings) -> dict[Surface, str]:
    """Brings the embedded database to this release, and gives the logins of its surfaces, each tried once."""
    passwords = Passwords.read(settings.data_dir) or Passwords.new(logins.ROLES).keep(settings.data_dir)
    with migrations.installing(conninfo) as installation:
        installation.upgrade(bare_forms())
        if not installation.lets_in(passwords):
            installation.set_passwords(passwords)
    return logins.with_passwords(conninfo, passwords)


def bare_forms() -> Collection[str]:
    """This release's closed list of what bare answers are made of."""
    return _gate().bare_forms()


def _make_database(conninfo: str) -> None:
    # there from an earlier start, or made by another process at this moment
    there = suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation)
    with psycopg.connect(conninfo, autocommit=True) as connection, there:
        connection.execute(f"create database {DATABASE}")


@cache
def _gate() -> Gate:
    return Gate(languages.load())


def _store(settings: Settings) -> Store | None:
    """Where the record lies. The embedded database has one beside it; one of yours has what the settings name."""
    if settings.taken_url is not None:
        return DatabaseStore(_readable(settings.taken_url))
    if settings.taken_dir is not None:
        return FileStore(_outside(settings.taken_dir.absolute(), settings))
    if settings.database_url is None and len(own_logins(settings)) < len(Surface):
        data = settings.data_dir.absolute()
        return FileStore(data.with_name(f"{data.name}-taken"))
    return None


def _outside(folder: Path, settings: Settings) -> Path:
    if folder.is_relative_to(settings.data_dir.absolute()):
        raise SetupError(
            "LEDGER_TAKEN_DIR must lie outside the data directory: what is restored with it can't tell what it lost."
        )
    return folder


def _context(settings: Settings, keys: Keys) -> Context:
    identity = Identity(keys.pepper, settings.tenant)
    store = _store(settings)
    return Context(
        identity=identity,
        gate=_gate(),
        listed=Reading(packs.near_lists()),
        categories=packs.special_categories(),
        avoid=Names(names_to_avoid(settings)),
        notices=notices.versions(settings.notices_dir),
        controller=settings.controller,
        record=None if store is None else Record(store, identity),
    )
