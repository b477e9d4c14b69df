"""Settings that a login of the ledger has beyond those that this release gives it, and those that stop the service.

Any login may give itself settings (`alter role ... set`), which hold from its next session on, whatever their names. And what the
server, the database or everybody has by default reaches the ledger's sessions where its roles say nothing.

Source: PostgreSQL, sections 20.11 (client connection defaults) and 53.16 (pg_db_role_setting); schema/01_roles.sql.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ledger.db import expected
from ledger.db.inspection.finding import Finding, Query, none


def of_roles(rows: Query) -> Iterator[Finding]:
    """Held against the list, name by name; what a setting says is not repeated: it may be what somebody wrote down there."""
    there = rows(
        """select r.rolname, split_part(c, '=', 1), substr(c, strpos(c, '=') + 1),
                  case when s.setdatabase = 0 then '' else format(' in database %%I', current_database()) end
             from pg_db_role_setting s join pg_roles r on r.oid = s.setrole, unnest(s.setconfig) c
            where r.rolname like %s
              and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))""",
        r"ledger\_%",
    )
    wrong = []
    for role, name, value, where in there:
        ours = expected.ROLE_SETTINGS.get(role, {})
        if where or name not in ours:
            wrong.append((f"{role}: {name}", f"alter role {role}{where} reset {name};"))
        elif value != ours[name]:
            wrong.append((f"{role}: {name}", f"alter role {role} set {name} = '{ours[name]}';"))
    known_here = {(role, name) for role, name, _, where in there if not where}
    for role, ours in expected.ROLE_SETTINGS.items():
        for name in ours.keys() - {name for one, name in known_here if one == role}:
            wrong.append((f"{role}: {name} is missing", f"alter role {role} set {name} = '{ours[name]}';"))
    yield none(
        "settings of the ledger's logins other than this release gives them",
        wrong,
        "answer-ledger migrate puts them back; a login that gave itself one wants another password",
    )


def _at_least(ms: int) -> Callable[[str], bool]:
    return lambda value: value == "0" or int(value) >= ms


def _is(wanted: str) -> Callable[[str], bool]:
    return lambda value: value == wanted


_MINUTE, _TURN = 60_000, 2_000  # milliseconds: a sweep's statement, and how long a write waits for its turn
_STOPS: dict[str, tuple[Callable[[str], bool], str]] = {
    "statement_timeout": (_at_least(_MINUTE), "0"),
    "transaction_timeout": (_at_least(_MINUTE), "0"),
    "idle_session_timeout": (_at_least(_MINUTE), "0"),
    "lock_timeout": (_at_least(_TURN), "0"),
    "default_transaction_isolation": (_is("read committed"), "read committed"),
    "default_transaction_read_only": (_is("off"), "off"),
    "default_transaction_deferrable": (_is("off"), "off"),
    "row_security": (_is("on"), "on"),
}
"""Setting -> whether a value lets the service run, and the value that always does."""
_MENDING = {
    "of the login": "alter role {user} reset {name};",
    "of the login here": "alter role {user} in database {database} reset {name};",
    "of the database": "alter database {database} reset {name};",
    "of everybody": "alter role all reset {name};",
    "of the server": "alter system set {name} = '{sound}'; select pg_reload_conf();",
}


def of_this_login(rows: Query, names: list[str]) -> Iterator[tuple[str, str, str]]:
    """What these settings are by default for the login that looks, by name: name, value, and the line that mends it, where
    `{sound}` stands for the value that it is to have on the server."""
    for name, value, whose, database, user in rows(
        """select p.name, p.reset_val,
                  coalesce((
                    select case when s.setrole = 0 and s.setdatabase = 0 then 'of everybody'
                                when s.setrole = 0 then 'of the database'
                                when s.setdatabase = 0 then 'of the login'
                                else 'of the login here' end
                      from pg_db_role_setting s, unnest(s.setconfig) c
                     where split_part(c, '=', 1) = p.name and s.setrole in (0, current_user::regrole)
                       and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
                     order by s.setrole <> 0 desc, s.setdatabase <> 0 desc
                     limit 1), 'of the server'),
                  format('%%I', current_database()), format('%%I', current_user)
             from pg_settings p where p.name = any(%s) order by 1""",
        names,
    ):
        yield name, value, _MENDING[whose].format(name=name, sound="{sound}", database=database, user=user)


def that_stop(rows: Query) -> Iterator[Finding]:
    """As this login has them by default: of those that a surface has for itself `of_roles` tells."""
    wrong = [
        (f"{name} = {value}", mending.format(sound=_STOPS[name][1]))
        for name, value, mending in of_this_login(rows, list(_STOPS))
        if not _STOPS[name][0](value)
    ]
    yield none(
        "settings of the server or the database that stop the service",
        wrong,
        "captures, reads or sweeps fail with it",
    )


LOOKS = (of_roles, that_stop)
