"""What the server writes down beside an instant: statements, parameters, errors, connections, names of clients."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ledger.db.inspection.finding import Finding, Query
from ledger.db.inspection.settings import of_this_login

# setting -> the values that are well, and why
SETTINGS: dict[str, tuple[tuple[str, ...], str]] = {
    "log_statement": (("none",), "statements beside an instant are a join key"),
    "log_min_duration_statement": (("-1",), "slow statements are logged with their instant"),
    "log_duration": (("off",), "it logs when something was asked"),
    "log_min_duration_sample": (("-1",), "slow statements are logged with their instant"),
    "log_transaction_sample_rate": (("0",), "whole transactions are logged"),
    "log_lock_waits": (("off",), "it logs who waited for whom, and when"),
    "log_min_messages": (
        (
            "fatal",
            "panic",
        ),
        "error texts may hold values",
    ),
    "log_min_error_statement": (("panic",), "failed statements are logged whole"),
    "log_parameter_max_length": (("0",), "parameters are their words"),
    "log_parameter_max_length_on_error": (("0",), "parameters are their words"),
    "log_connections": (
        (
            "off",
            "",
        ),
        "it logs who came when",
    ),
    "log_disconnections": (("off",), "it logs who left when"),
    "log_line_prefix": (("%m [%p] ",), "%a, %h and %r are the name and the address of a client"),
    "debug_print_parse": (("off",), "parsed statements are logged"),
    "debug_print_rewritten": (("off",), "statements are logged"),
    "debug_print_plan": (("off",), "plans are logged with their values"),
    "track_commit_timestamp": (("off",), "it keeps the instant of every transaction"),
    "summarize_wal": (("off",), "it keeps for days which pages were written when"),
}

_KEEPERS = {
    "auto_explain": ("auto_explain.log_min_duration", "-1"),
    "pg_stat_statements": ("pg_stat_statements.track", "none"),
    "pgaudit": ("pgaudit.log", "none"),
    "pg_stat_monitor": ("pg_stat_monitor.pgsm_track", "none"),
    "pg_qualstats": ("pg_qualstats.enabled", "off"),
}
"""A library that logs or keeps statements -> its switch, and the value that turns it off."""


def _is_well(name: str, value: str) -> bool:
    if name == "log_line_prefix":
        return not re.search(r"%-?\d*[ahr]", value)
    return value in SETTINGS[name][0]


def settings(rows: Query) -> Iterator[Finding]:
    for name, value, mending in of_this_login(rows, list(SETTINGS)):
        (sound, *_), why = SETTINGS[name]
        well = _is_well(name, value)
        yield Finding(
            name,
            well,
            value or "empty",
            f"set it to {sound.strip()}: {why}",
            commands=() if well else (mending.format(sound=sound),),
        )


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


LOOKS = (settings, libraries)
