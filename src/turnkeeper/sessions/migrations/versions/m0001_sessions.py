"""Sessions: heads, the log of turns, and the rows of the state.

Written out, and not taken from `_schema`, which will move on.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "turnkeeper_sessions",
        sa.Column("session_id", sa.String(200), primary_key=True),
        sa.Column("tenant", sa.String(200), nullable=False, index=True),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("convention", sa.String(20)),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.Column("parent", sa.String(200), nullable=False),
        sa.Column("parent_turn", sa.Integer, nullable=False),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "turnkeeper_turns",
        sa.Column("session_id", sa.String(200), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("turn", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(20), nullable=False),
        sa.Column("key", sa.String(200)),
        sa.Column("body", sa.Text, nullable=False),
        sa.Column("changes", sa.Text, nullable=False),
        sa.Column("state", sa.String(64), nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
        sa.UniqueConstraint("session_id", "key", name="turnkeeper_turns_once"),
    )
    for name in ("turnkeeper_registry", "turnkeeper_ledger", "turnkeeper_exclusions", "turnkeeper_reviews"):
        op.create_table(
            name,
            sa.Column("session_id", sa.String(200), primary_key=True),
            sa.Column("name", sa.String(64), primary_key=True),
            sa.Column("open", sa.Integer, nullable=False),
            sa.Column("position", sa.Integer, nullable=False),
            sa.Column("identity", sa.Text, nullable=False),
            sa.Column("body", sa.Text, nullable=False),
        )
