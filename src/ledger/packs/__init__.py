"""Data that ships with the ledger: starter packs, and the word lists of the registry's rules."""

from ledger.packs.lists import near_lists, special_categories
from ledger.packs.pack import PACKS, Pack, load_pack

__all__ = ["PACKS", "Pack", "load_pack", "near_lists", "special_categories"]
