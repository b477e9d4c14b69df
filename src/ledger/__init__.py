"""The answer ledger: what a person already answered, in his own words, and nowhere in which conversation.

`Ledger.open()` opens a deployment; see `ledger.service` for the use cases and `ledger.errors` for what they raise.
"""

from ledger.core.model import Candidate, Decision, Tier
from ledger.service.ledger import AsyncLedger, Ledger

__all__ = ["AsyncLedger", "Candidate", "Decision", "Ledger", "Tier"]
