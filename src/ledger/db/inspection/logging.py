"""What the server writes down beside an instant: statements, parameters, errors, connections, names of clients."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from ledger.db.inspection.finding import Finding, Query


def _is(*values: str) -> Callable[[str], bool]:
    return lambda value: value in values


# setting -> whether a value is well, and what to do
SETTINGS: dict[str, tuple[Callable[[str], bool], str]] = {
    "log_statement": (_is("none"), "set it to none: statements beside an instant are a join key"),
    "log_min_duration_statement": (_is("-1"), "set it to -1: slow statements are logged with their instant"),
    "log_duration": (_is("off"), "set it to off: it logs when something was asked"),
    "log_min_duration_sample": (_is("-1"), "set it to -1: slow statements are logged with their instant"),
    "log_transaction_sample_rate": (_is("0"), "set it to 0: whole transactions are logged"),
    "log_lock_waits": (_is("off"), "set it to off: it logs who waited for whom, and when"),
    "log_min_messages": (_is("fatal", "panic"), "set it to fatal: error texts may hold values"),
    "log_min_error_statement": (_is("panic"), "set it to panic: failed statements are logged whole"),
    "log_parameter_max_length": (_is("0"), "set it to 0: parameters are his words"),
    "log_parameter_max_length_on_error": (_is("0"), "set it to 0: parameters are his words"),
    "log_connections": (_is("off", ""), "set it to off: it logs who came when"),
    "log_disconnections": (_is("off"), "set it to off: it logs who left when"),
    "log_line_prefix": (
        lambda value: not re.search(r"%-?\d*[ahr]", value),
        "leave out %a, %h and %r: the name and the address of a client",
    ),
    "debug_print_parse": (_is("off"), "set it to off: parsed statements are logged"),
    "debug_print_rewritten": (_is("off"), "set it to off: statements are logged"),
    "debug_print_plan": (_is("off"), "set it to off: plans are logged with their values"),
    "track_commit_timestamp": (_is("off"), "set it to off: it keeps the instant of every transaction"),
    "summarize_wal": (_is("off"), "set it to off: it keeps for days which pages were written when"),
}

_KEEPERS = {
    "auto_explain": ("auto_explain.log_min_duration", "-1"),
    "pg_stat_statements": ("pg_stat_statements.track", "none"),
    "pgaudit": ("pgaudit.log", "none"),
    "pg_stat_monitor": ("pg_stat_monitor.pgsm_track", "none"),
    "pg_qualstats": ("pg_qualstats.enabled", "off"),
}
"""A library that logs or keeps statements -> its switch, and the value that turns it off."""


def settings(rows: Query) -> Iterator[Finding]:
    for name, value in rows(
        "select name, setting from pg_settings where name = any(%s) order by 1", list(SETTINGS)
    ):
        well, todo = SETTINGS[name]
        yield Finding(name, well(value), value or "empty", todo)


def settings_of_roles(rows: Query) -> Iterator[Finding]:
    there = rows(
        """select s.setrole::regrole::text, split_part(c, '=', 1), substr(c, strpos(c, '=') + 1)
             from pg_db_role_setting s, unnest(s.setconfig) c
            where s.setrole::regrole::text like 'ledger\\_%'
              and s.setdatabase in (0, (select oid from pg_database where datname = current_database()))
            order by 1, 2"""
    )
    own = [(role, name, value) for role, name, value in there if name in SETTINGS or "." in name]
    for role, name, value in own:
        if name in SETTINGS:
            well, todo = SETTINGS[name]
            yield Finding(f"{name} of {role}", well(value), value, f"for this role, {todo}")
        elif name.partition(".")[0] in _KEEPERS:
            switch, off = _KEEPERS[name.partition(".")[0]]
            yield Finding(
                f"{name} of {role}", name != switch or value == off, value, f"alter role {role} reset {name}"
            )
    if not own:
        yield Finding("such settings of single roles", True, "none")


def libraries(rows: Query) -> Iterator[Finding]:
    """Of all databases and all roles of the server: a library is loaded into every process, or into some."""
    loaded = rows(
        """select value from pg_settings, regexp_split_to_table(setting, '\\s*,\\s*') as value
            where name in ('shared_preload_libraries', 'session_preload_libraries', 'local_preload_libraries')
           union
           select value from pg_db_role_setting s, unnest(s.setconfig) c, regexp_split_to_table(substr(c, strpos(c, '=') + 1), '\\s*,\\s*') as value
            where split_part(c, '=', 1) like '%\\_preload\\_libraries'"""
    )
    names = {value.strip('"').rpartition("/")[2].removesuffix(".so") for (value,) in loaded}
    for name in sorted(names & _KEEPERS.keys()):
        switch, off = _KEEPERS[name]
        ((value,),) = rows("select current_setting(%s, true)", switch)
        yield Finding(
            f"the library {name}",
            value == off,
            f"loaded, {switch} = {value or 'not known here'}",
            f"take it out of the preloaded libraries, or set {switch} to {off}",
        )
    if not names & _KEEPERS.keys():
        yield Finding("libraries that log or keep statements", True, "none")


LOOKS = (settings, settings_of_roles, libraries)
