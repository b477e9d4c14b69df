"""What an agent may see of a topic, said once more and apart from the database: what the wall is held against.

Source: DESIGN sections 3 (G2, G3, G5) and 5.
"""

from __future__ import annotations

from dataclasses import dataclass

from ledger.core.model import Decision, Freshness, Handling, Tier


@dataclass(frozen=True, slots=True)
class Person:
    """What a principal decided."""

    decision: Decision | None = None
    objects: bool = False
    withheld: frozenset[str] = frozenset()

    def tier(self, max_tier: Tier) -> Tier:
        """What this caller may read of them, where undecided means topics."""
        if self.objects or self.decision is Decision.REVOKED:
            return Tier.NONE
        own = Tier.TOPICS if self.decision is None else Tier.FULL
        return min(own, max_tier, key=lambda tier: tier.rank)


def covered(
    person: Person, max_tier: Tier, key: str, handling: Handling | None, freshness: Freshness, *, named: bool
) -> bool:
    """Whether an agent hears that a topic with an entry is covered. `handling` is None where it is unlisted."""
    tier = person.tier(max_tier)
    if freshness is Freshness.DROPPED or key in person.withheld or handling is Handling.FORBIDDEN:
        return False
    if handling is None:
        return tier is Tier.FULL and named
    return tier is Tier.FULL or (tier is Tier.TOPICS and handling is Handling.OPEN)


def quoted(
    person: Person, max_tier: Tier, key: str, handling: Handling | None, freshness: Freshness, *, named: bool
) -> bool:
    """Whether an agent hears the words."""
    full = person.tier(max_tier) is Tier.FULL
    return full and covered(person, max_tier, key, handling, freshness, named=named)
