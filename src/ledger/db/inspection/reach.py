"""Where rows go besides the database: the write-ahead log, its archive, replicas, publications.

Commit records carry an instant, and the log carries what was deleted, for as long as anybody keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from ledger.db.inspection.finding import Finding, Query, known, none


def archive(rows: Query) -> Iterator[Finding]:
    ((mode, level, recycle, keep),) = rows(
        """select current_setting('archive_mode'), current_setting('wal_level'), current_setting('wal_recycle'),
                  current_setting('wal_keep_size')"""
    )
    yield Finding(
        "archive_mode",
        mode == "off",
        mode,
        "keep the archive short and apart: the log keeps instants and deleted words",
    )
    yield Finding(
        "wal_level",
        level != "logical",
        level,
        "set it to replica or minimal: logical decoding reads every row",
    )
    left = [(f"{name} = {value}",) for name, value, well in (
        ("wal_recycle", recycle, recycle == "off"), ("wal_keep_size", keep, keep == "0")) if not well]  # fmt: skip
    yield known(
        "what keeps the write-ahead log longer than needed",
        left,
        "set wal_recycle to off and wal_keep_size to 0, and max_wal_size as small as it may be",
    )


def replicas(rows: Query) -> Iterator[Finding]:
    slots: list[tuple[Any, ...]] = []
    if _may(rows, "pg_replication_slots", "slot_name"):
        slots = rows(
            """select slot_name || ' (' || slot_type || case when active then '' else ', not in use' end || ')',
                      format('select pg_drop_replication_slot(%L);', slot_name), slot_type, active
                 from pg_replication_slots"""
        )
    yield none(
        "slots that hold the write-ahead log back",
        [(seen, drop) for seen, drop, kind, active in slots if kind == "logical" or not active],
        "what it holds back has instants and deleted words in it",
    )
    following = []
    if _may(rows, "pg_stat_replication", "application_name"):
        following = rows("select coalesce(nullif(application_name, ''), 'unnamed') from pg_stat_replication")
    yield known(
        "replicas, and backups that are running",
        [*following, *((seen,) for seen, _, kind, active in slots if kind == "physical" and active)],
        "they hold all that the database holds: guard them alike, and let none lag",
    )


def publications(rows: Query) -> Iterator[Finding]:
    there = rows(
        """select distinct p.pubname::text, format('drop publication %I;', p.pubname) from pg_publication p
             left join pg_publication_tables t on t.pubname = p.pubname
            where p.puballtables or t.schemaname = 'ledger'"""
    )
    yield none("publications that hand rows on", there, "find out who is subscribed to it")
    subscribed = rows(
        """select subname::text, format('alter subscription %1$I disable; alter subscription %1$I set (slot_name = none); '
                                        'drop subscription %1$I;', subname)
             from pg_subscription where subdbid = (select oid from pg_database where datname = current_database())"""
        if _may(rows, "pg_subscription", "subdbid")
        else "select null where false"
    )
    yield none(
        "subscriptions that write rows", subscribed, "find out who made it; its slot on the other side stays"
    )


def _may(rows: Query, view: str, column: str) -> bool:
    """An installer who is no superuser may not see everything."""
    ((may,),) = rows("select has_column_privilege(%s, %s, 'select')", view, column)
    return bool(may)


LOOKS = (archive, replicas, publications)
