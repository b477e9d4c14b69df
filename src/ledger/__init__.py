"""The answer ledger: what a person already answered, in his own words, and nowhere in which conversation."""
