"""The use cases: what surfaces call, and what the library exports.

A use case is a generator that yields database operations; `Ledger.run` or `AsyncLedger.run` drives it. It is
written once, and the rules in it hold for every surface.
"""
