"""The state before a case, where it is a great many rows."""

from __future__ import annotations

from collections.abc import Callable

from . import operations
from .collection import Step
from .world import World


def expired_rows(world: World) -> None:
    """Rows past their window, ten a principal, laid down as captures lay them."""
    world.database.installer.execute(
        """insert into ledger.topic (key) select 'bulk_' || n from generate_series(0, 9) n;
           insert into ledger.entry
           select p.principal, 'bulk_' || n, 'said long ago', '2024-01-01'
             from (select md5('bulk' || i)::uuid as principal from generate_series(1, %s) i) p,
                  generate_series(0, 9) n
            order by 1, 2"""
        % (world.case.given["bulk"]["expired_rows"] // 10)
    )


def many_entries(world: World) -> None:
    """1,500 of P1, some said twice and some past their window; and a few of P2."""
    bulk = world.case.given["bulk"]

    def entries(name: str, n: int, days: Callable[[int], str]) -> list[Step]:
        return [
            {
                "principal": name,
                "topic": f"t{i:04d}",
                "text": f"answer {i}",
                "said_at": f"{days(i)}T00:00:00Z",
            }
            for i in range(n)
        ]

    old = bulk["P1_over_540_days"]
    world.put(entries("P1", bulk["P1_entries"], lambda i: "2024-06-01" if i < old else "2026-08-01"))
    world.put(entries("P2", bulk["P2_entries"], lambda _: "2026-08-01"))
    for i in range(bulk["P1_superseded"]):
        said = {
            "op": "write",
            "principal": "P1",
            "topic": f"t{old + i:04d}",
            "said_at": "2026-08-20T00:00:00Z",
        }
        facts = operations.write(
            world, said | {"as": "agent:A1", "message": "I like tea", "span": "I like tea"}
        )
        assert facts["stored_text"] == "I like tea"


def entries_of_one(world: World) -> None:
    """So many of P1, all of them fresh."""
    world.put(
        {"principal": "P1", "topic": f"m{i:03d}", "text": f"answer {i}", "said_at": world.case.given["now"]}
        for i in range(world.case.given["bulk"]["P1_entries"])
    )
