"""Steps that are told in prose, or that are a fault: each is a play of its own, named by case and step."""

from __future__ import annotations

from collections.abc import Callable

from . import bulk, faults, surfaces, sweeps, walls
from .collection import Place, Step
from .facts import OK, Facts
from .world import World

PREPARED: dict[str, tuple[Callable[[World], None], ...]] = {
    "STALE-08": (bulk.expired_rows,),
    "DEL-08": (bulk.many_entries,),
    "SURF-18": (bulk.entries_of_one,),
}

SCRIPTS: dict[Place, Callable[[World, Step], Facts]] = {
    ("TIER-01", 10): faults.force_a_tier,
    ("TIER-01", 12): faults.forget_the_decision,
    ("TIER-03", 1): surfaces.read_by_another_worker,
    ("TIER-03", 4): surfaces.read_by_another_worker,
    **{("STALE-02", step): faults.time_zone for step in (0, 3, 6, 9, 12)},
    ("STALE-08", 0): lambda world, step: OK,  # no process of this case sweeps by itself
    ("STALE-08", 2): sweeps.sweep_killed_beside_a_write,
    ("STALE-08", 3): sweeps.sweep_to_the_end,
    ("STALE-10", 0): sweeps.sweep_beside_a_write,
    ("RLS-01", 0): walls.start_as("owner"),
    ("RLS-01", 1): walls.start_as("superuser"),
    ("RLS-01", 2): walls.start_as("bypassrls"),
    ("RLS-01", 3): walls.start_as("app"),
    ("RLS-01", 4): walls.rights_of_the_logins,
    ("RLS-02", 0): walls.rows_of_views,
    ("RLS-02", 1): walls.rows_of_views,
    ("RLS-02", 2): walls.views_without_the_invoker,
    ("RLS-04", 0): walls.one_connection_of_a_pool,
    ("RLS-05", 1): faults.read_that_breaks,
    ("RLS-05", 3): surfaces.read_by_nobody,
    ("DEL-01", 5): faults.erase_that_fails,
    ("DEL-02", 6): faults.delete_what_is_on_disk,
    ("DEL-02", 7): faults.statements,
    ("CORR-05", 0): faults.killed_in_the_database("before"),
    ("CORR-05", 2): faults.killed_in_the_database("after"),
    ("CORR-05", 4): faults.killed_when_committed,
    ("SURF-05", 0): surfaces.every_way_to_read,
    **{("SURF-07", step): surfaces.a_body for step in range(6)},
    ("SURF-13", 0): surfaces.openapi,
    ("SURF-13", 1): surfaces.every_response_was_held_against_it,
}
