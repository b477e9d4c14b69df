"""The roles of the ledger: what they are, who may become one of them, and who passes by row-level security."""

from __future__ import annotations

from collections.abc import Iterator

from ledger.db import expected
from ledger.db.inspection.finding import Finding, Query, known, none

_OURS = r"like 'ledger\_%'"


def attributes(rows: Query) -> Iterator[Finding]:
    strong = rows(
        f"""select rolname, format('alter role %I nosuperuser nobypassrls nocreaterole nocreatedb noreplication;', rolname)
              from pg_roles where rolname {_OURS}
              and (rolsuper or rolbypassrls or rolcreaterole or rolcreatedb or rolreplication)"""
    )
    yield none(
        "roles of the ledger that row-level security does not bind",
        strong,
        "find out who made them so",
    )
    awake = rows(
        "select rolname, format('alter role %%I nologin;', rolname) from pg_roles where rolcanlogin and rolname = any(%s)",
        ["ledger_owner", *expected.DEFINERS],
    )
    yield none("owner and definers that may log in", awake, "nobody is to work as one of them")
    missing = {*expected.SURFACES, *expected.DEFINERS, "ledger_owner"} - {
        name for (name,) in rows(f"select rolname from pg_roles where rolname {_OURS}")
    }
    yield none("roles that are missing", [(name,) for name in missing], "run answer-ledger migrate")


def memberships(rows: Query) -> Iterator[Finding]:
    members = rows(
        f"""select m.member::regrole::text, format('revoke %s from %s;', m.roleid::regrole, m.member::regrole)
              from pg_auth_members m where m.member::regrole::text {_OURS}"""
    )
    yield none("roles of the ledger that belong to another role", members, "it has the rights of the other")
    # An installer that is no superuser belongs to the definers, or he could not hand functions over.
    become = rows(
        f"""select m.member::regrole || ' is in ' || m.roleid::regrole,
                   format('revoke %s from %s;', m.roleid::regrole, m.member::regrole) from pg_auth_members m
             where m.roleid::regrole::text {_OURS} and m.member <> current_user::regrole"""
    )
    yield none("who else may become a role of the ledger", become, "find out who made them members")


def past_the_wall(rows: Query) -> Iterator[Finding]:
    there = rows(
        f"""select rolname || case when rolsuper then ' (superuser)' else ' (bypassrls)' end from pg_roles
             where (rolsuper or rolbypassrls) and rolname not {_OURS}
            union
            select m.member::regrole || ' (' || m.roleid::regrole || ')' from pg_auth_members m
             where m.roleid::regrole::text in ('pg_read_all_data', 'pg_write_all_data', 'pg_read_server_files',
                                               'pg_execute_server_program', 'pg_write_server_files')
               and m.member::regrole::text <> 'pg_monitor'"""
    )
    yield known(
        "who reads every row, past row-level security",
        there,
        "keep these logins to those who must have them: the wall is none for them",
    )


LOOKS = (attributes, memberships, past_the_wall)
