"""The first release: schema/01_roles.sql to 10_grants.sql, as they were then."""

from ledger.db.migrations import run_sql_beside

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    run_sql_beside(__file__)
