"""What stands in the database outside of the schema and holds, reads or hands on what is in it.

Copies are told by their columns: one whose columns were given other names is found by nobody but you.

Source: PostgreSQL, sections 53.11 (pg_class), 40 (event triggers).
"""

from __future__ import annotations

from collections.abc import Iterator

from ledger.db import expected
from ledger.db.inspection.finding import Finding, Query, known, none

_OUTSIDE = (
    r"n.nspname <> all (array['ledger', 'pg_catalog', 'information_schema']) and n.nspname !~ '^pg_toast'"
)


def copies(rows: Query) -> Iterator[Finding]:
    """A table, view or foreign table with a `principal`, with an `answer` beside its `topic`, or with three columns of one of ours."""
    of_ours = sorted({
        (table, name) for table in expected.OF_PRINCIPALS for name in expected.COLUMNS[table]
    })  # fmt: skip
    yield none(
        "copies of rows outside of the schema, by their columns",
        rows(
            f"""with ours(tab, name) as (select * from unnest(%s::text[], %s::text[])),
                     theirs as (
                       select c.oid, c.relkind, n.nspname, c.relname,
                              array_agg(a.attname::text) as names,
                              bool_or(a.attname = 'principal' and a.atttypid = 'uuid'::regtype) as has_principal
                         from pg_class c join pg_namespace n on n.oid = c.relnamespace
                         join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                        where c.relkind in ('r', 'p', 'v', 'm', 'f') and {_OUTSIDE}
                        group by c.oid, c.relkind, n.nspname, c.relname)
                select format('%%I.%%I', t.nspname, t.relname),
                       format('drop %%s %%I.%%I;',
                              case t.relkind when 'v' then 'view' when 'm' then 'materialized view'
                                             when 'f' then 'foreign table' else 'table' end, t.nspname, t.relname)
                  from theirs t
                 where t.has_principal or t.names @> array['topic', 'answer']
                    or exists (select from ours o where o.name = any (t.names) group by o.tab having count(*) >= 3)""",
            [table for table, _ in of_ours],
            [name for _, name in of_ours],
        ),  # nosec
        "find out who made it: nothing of the ledger deletes there, and no wall stands around it",
    )


def readers(rows: Query) -> Iterator[Finding]:
    """The text of a function is opaque to the server, so this is by the schema's name in it."""
    yield none(
        "functions outside of the schema that name what is in it",
        rows(
            rf"""select p.oid::regprocedure::text,
                        format('drop %s %s;', case p.prokind when 'p' then 'procedure' else 'function' end, p.oid::regprocedure)
                   from pg_proc p join pg_namespace n on n.oid = p.pronamespace
                  where {_OUTSIDE}
                    and (p.prosrc ~* '\mledger"?\s*\.'
                         or exists (select from pg_depend d left join pg_class c on d.refclassid = 'pg_class'::regclass and c.oid = d.refobjid
                                      left join pg_proc f on d.refclassid = 'pg_proc'::regclass and f.oid = d.refobjid
                                     where d.classid = 'pg_proc'::regclass and d.objid = p.oid
                                       and 'ledger'::regnamespace in (c.relnamespace, f.pronamespace)))"""
        ),
        "find out who made it: it may read past the wall as whoever owns it",
    )


def event_triggers(rows: Query) -> Iterator[Finding]:
    yield none(
        "other event triggers than the ledger's own",
        rows(
            """select e.evtname || ' (' || e.evtevent || ')', format('drop event trigger %I;', e.evtname)
                 from pg_event_trigger e join pg_proc p on p.oid = e.evtfoid
                where (e.evtname, p.proname, p.pronamespace) <> ('ledger_columns_closed', 'keep_columns_closed', 'ledger'::regnamespace)"""
        ),
        "find out whose it is: one on logins can write down who came when, any other runs inside of our migrations",
    )


def foreign_tables(rows: Query) -> Iterator[Finding]:
    """Of such a table doctor sees the columns, and not what lies behind it."""
    yield known(
        "foreign servers, by which rows can go to another database",
        rows("select srvname::text, format('drop server %I cascade;', srvname) from pg_foreign_server"),
        "drop what nobody needs: the ledger makes none",
    )


LOOKS = (copies, readers, event_triggers, foreign_tables)
