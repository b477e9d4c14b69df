"""What a reply would tell by the time it takes. Measured by benchmarks/oracle_timing.py; here is what makes it equal."""

from __future__ import annotations

from typing import Any

from ledger.db.operation import Surface


def test_a_coining_waits_for_no_disk_whether_the_key_was_there_or_not(any_database: Any) -> None:
    """The commit of a new key would, and that of a key that was there has nothing to wait for."""
    agent = any_database.surface(Surface.AGENT)
    agent.execute("set synchronous_commit = on")
    waits = "show synchronous_commit"
    for _ in "new", "old":
        with agent.transaction():
            agent.execute("select ledger.coin('windmill')")
            assert agent.execute(waits).fetchone() == ("off",)
        assert agent.execute(waits).fetchone() == ("on",), "nothing of it outlives the transaction"
    assert any_database.rows("select count(*) from ledger.topic where key = 'windmill'") == [(1,)]
