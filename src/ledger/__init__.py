"""The answer ledger: what a person already answered, in his own words, and nowhere in which conversation.

`Ledger.open()` opens a deployment; see `ledger.service` for the use cases and `ledger.errors` for what they raise.

What is named here is loaded when it is first asked for: the gate and the database's driver take a while, and whoever
wants a part of the package alone (the command line for `--help`, a client for an error) need not wait for them.
Source: PEP 562.
"""

from typing import TYPE_CHECKING

__all__ = ["AsyncLedger", "Candidate", "Decision", "Ledger", "Tier"]

if TYPE_CHECKING:
    from ledger.core.model import Candidate, Decision, Tier
    from ledger.service.ledger import AsyncLedger, Ledger
else:
    from importlib import import_module

    _WHERE = {
        "ledger.core.model": ("Candidate", "Decision", "Tier"),
        "ledger.service.ledger": ("AsyncLedger", "Ledger"),
    }

    def __getattr__(name):
        for module, names in _WHERE.items():
            if name in names:
                return getattr(import_module(module), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
