"""The keys of a deployment: made once, kept in files that nobody else may read.

Without the pepper nobody's rows are found again; without the other two, tokens that were issued are
void and new ones are made with new keys. They belong in a backup of their own, never in the
database's: whoever holds both can tell whose rows are whose.

Tenants may share the files, and share no key that a token is made with: each has its own, derived from
theirs. So a token of one tenant is no token to a process of another, and nothing in it names the tenant.
(The pepper serves them all: a principal's hash has the tenant in it.)

Source: DESIGN sections 4, 8 and 9.
"""

from __future__ import annotations

import base64
import binascii
import hmac
import json
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Self

from joserfc.errors import JoseError
from joserfc.jwk import OKPKey

from ledger import private
from ledger.errors import NoLedger, SetupError
from ledger.settings import Settings

_BYTES = 32
_DAMAGED = "is damaged. Put it back from a backup, or remove it: tokens issued so far become void."


@dataclass(frozen=True, slots=True)
class Keys:
    """`pepper` and `sealing` are bytes (32; a pepper that was set may be longer), `signing` is an Ed25519 key.

    `signing` and `sealing` are the tenant's. `made_now`: at least one of them was made by this call, and its owner is to be
    told what its loss means. `lasting`: all of them are kept, so that a token is still good for the next process.
    """

    pepper: bytes = field(repr=False)
    signing: OKPKey = field(repr=False)
    sealing: bytes = field(repr=False)
    made_now: bool
    lasting: bool = field(default=True, repr=False)

    @classmethod
    def open(cls, data_dir: Path, settings: Settings, *, make: bool = True) -> Self:
        """Reads the keys of `data_dir`, and makes those that are missing; LEDGER_PEPPER stands for its file.

        Processes that race at the first start get the same keys. Raises SetupError if a file is open to
        other users or is damaged, or if the folder can't be written. With `make` false nothing is made, not even the
        folder, and it raises NoLedger where there is no pepper; the other two are drawn for this call alone then.
        """
        folder = private.data_place(data_dir) / "keys"
        pepper, signing, sealing = folder / "pepper", folder / "signing.jwk", folder / "sealing.key"
        if make:
            private.folder(private.data_folder(data_dir) / "keys")
            made = [_make(signing, _new_signing), _make(sealing, _new_bytes)]
            if settings.pepper is None:
                made.append(_make(pepper, _new_bytes))
        else:
            made = []
            if settings.pepper is None and not pepper.exists():
                raise no_ledger(data_dir)
            if folder.exists():
                private.folder(folder)
        lasting = signing.exists() and sealing.exists()
        if settings.pepper is None:
            secret = _decode(private.read(pepper), f"{pepper} is damaged. Put it back from a backup.")
        else:
            secret = _decode(
                settings.pepper.get_secret_value().encode(),
                f"LEDGER_PEPPER must be {_BYTES} bytes or more in base64, "
                f"such as the output of: openssl rand -base64 {_BYTES}",
            )
        return cls(
            pepper=secret,
            signing=OKPKey.derive_key(
                _of_tenant(
                    _import(private.read(signing) if lasting else _new_signing(), f"{signing} {_DAMAGED}"),
                    settings.tenant,
                )
            ),
            sealing=_of_tenant(
                _decode(
                    private.read(sealing) if lasting else _new_bytes(),
                    f"{sealing} {_DAMAGED}",
                    longest=_BYTES,
                ),
                settings.tenant,
            ),
            made_now=any(made),
            lasting=lasting,
        )


def no_ledger(data_dir: Path) -> NoLedger:
    return NoLedger(
        f"There is no ledger in {private.data_place(data_dir)}. Name the folder of yours with --data-dir or LEDGER_DATA_DIR, or "
        "make one there with: answer-ledger serve (or migrate, for a PostgreSQL of yours)"
    )


def _make(path: Path, new: Callable[[], bytes]) -> bool:
    return not path.exists() and private.make_once(path, new())


def _new_bytes() -> bytes:
    return base64.urlsafe_b64encode(secrets.token_bytes(_BYTES)) + b"\n"


def _new_signing() -> bytes:
    key = OKPKey.generate_key("Ed25519", auto_kid=True)
    return json.dumps(key.as_dict(private=True)).encode() + b"\n"


def _decode(text: bytes, refusal: str, longest: int = 1024) -> bytes:
    plain = text.strip().rstrip(b"=").translate(bytes.maketrans(b"+/", b"-_"))
    try:
        found = base64.b64decode(plain + b"=" * (-len(plain) % 4), altchars=b"-_", validate=True)
    except binascii.Error:
        raise SetupError(refusal) from None
    if not _BYTES <= len(found) <= longest:
        raise SetupError(refusal)
    return found


def _import(text: bytes, refusal: str) -> bytes:
    """The 32 bytes of a private Ed25519 key."""
    try:
        key = OKPKey.import_key(json.loads(text))
        sound = key.is_private and key.curve_name == "Ed25519"
    except (JoseError, ValueError, TypeError, KeyError):
        raise SetupError(refusal) from None
    if not sound:
        raise SetupError(refusal)
    return _decode(str(key.as_dict(private=True)["d"]).encode(), refusal, longest=_BYTES)


def _of_tenant(secret: bytes, tenant: str) -> bytes:
    """32 bytes that are one tenant's, and tell nothing of another's."""
    return hmac.digest(secret, b"answer-ledger tenant\x1f" + tenant.encode(), "sha256")
