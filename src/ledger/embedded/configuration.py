"""The server's configuration: written by us at each start, the same for everybody."""

from __future__ import annotations

from pathlib import Path

PORT = 5432
"""Names the socket's file; no network port is opened."""

MAX_CONNECTIONS = 60

_ACCESS = """\
# Written at each start. The socket lies in a folder of one user, and asks for a password all the same.
local all all scram-sha-256
host all all all reject
"""

_SETTINGS = f"""\
# Written at each start; what ALTER SYSTEM sets lies in postgresql.auto.conf and stays.

# Reached by the socket alone.
listen_addresses = ''
port = {PORT}
unix_socket_directories = '{{socket}}'
unix_socket_permissions = 0700
password_encryption = 'scram-sha-256'

# Small, and never at the price of a loss: what was acknowledged is on disk.
max_connections = {MAX_CONNECTIONS}
shared_buffers = 64MB
dynamic_shared_memory_type = posix
huge_pages = off
max_parallel_workers_per_gather = 0
jit = off
fsync = on
full_page_writes = on
synchronous_commit = on

# The write-ahead log keeps deleted answers and the instants of commits: little of it, not for long.
wal_level = minimal
max_wal_senders = 0
archive_mode = off
wal_recycle = off
min_wal_size = 2MB
max_wal_size = 32MB
checkpoint_timeout = 5min

# Nothing is told of what was asked, by whom and when.
track_commit_timestamp = off
track_activities = off
update_process_title = off
logging_collector = off
log_destination = 'stderr'
log_min_messages = fatal
log_min_error_statement = panic
log_error_verbosity = terse
log_line_prefix = ''
log_statement = 'none'
log_duration = off
log_min_duration_statement = -1
log_min_duration_sample = -1
log_transaction_sample_rate = 0
log_parameter_max_length = 0
log_parameter_max_length_on_error = 0
log_connections = off
log_disconnections = off
log_checkpoints = off
log_lock_waits = off
log_temp_files = -1
log_autovacuum_min_duration = -1
log_startup_progress_interval = 0

# Where an owner alone may vacuum (PostgreSQL 15 and 16), the sweep waits for it.
autovacuum_naptime = 15s

timezone = 'UTC'
log_timezone = 'UTC'
datestyle = 'ISO, YMD'
lc_messages = 'C'
"""


def write(cluster: Path, socket: Path) -> tuple[Path, Path]:
    """Writes both files; returns them. `socket` holds no quote, backslash, comma or control character."""
    settings = cluster / "postgresql.conf"
    settings.write_text(_SETTINGS.format(socket=socket), encoding="utf-8")
    access = cluster / "pg_hba.conf"
    access.write_text(_ACCESS, encoding="utf-8")
    return settings, access
