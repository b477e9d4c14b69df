"""The topic registry's rules: labels, near-misses, handling. Every agent must land on the same key."""
