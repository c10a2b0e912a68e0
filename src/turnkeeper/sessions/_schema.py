"""The tables, as migration 0001 makes them; all names begin with `turnkeeper_`, so that a database can be shared.

Ids of sources, questions and review items may hold anything, so a row is found by the digest of its identity, and by
nothing that a database would fold, trim or refuse; the identity itself stands there as a JSON string.
"""

from __future__ import annotations

import hashlib

from sqlalchemy import Column, Integer, MetaData, String, Table, Text, UniqueConstraint

SCHEMA = "0001"
"""The newest migration."""
VERSIONS = "turnkeeper_schema"
METADATA = MetaData()

HEADS = Table(
    "turnkeeper_sessions",
    METADATA,
    Column("session_id", String(200), primary_key=True),
    Column("tenant", String(200), nullable=False, index=True),
    Column("version", Integer, nullable=False),
    Column("turn", Integer, nullable=False),
    Column("convention", String(20)),
    Column("digest", String(64), nullable=False),
    Column("parent", String(200), nullable=False),
    Column("parent_turn", Integer, nullable=False),
    sqlite_with_rowid=False,
)
LOG = Table(
    "turnkeeper_turns",
    METADATA,
    Column("session_id", String(200), primary_key=True),
    Column("version", Integer, primary_key=True, autoincrement=False),
    Column("turn", Integer, nullable=False),
    Column("kind", String(20), nullable=False),
    Column("key", String(200)),
    Column("body", Text, nullable=False),
    Column("changes", Text, nullable=False),
    Column("state", String(64), nullable=False),
    Column("previous", String(64), nullable=False),
    Column("digest", String(64), nullable=False),
    UniqueConstraint("session_id", "key", name="turnkeeper_turns_once"),
)


def _items(name: str) -> Table:
    return Table(
        name,
        METADATA,
        Column("session_id", String(200), primary_key=True),
        Column("name", String(64), primary_key=True),
        Column("open", Integer, nullable=False),
        Column("position", Integer, nullable=False),
        Column("identity", Text, nullable=False),
        Column("body", Text, nullable=False),
    )


ITEMS = {
    "registry": _items("turnkeeper_registry"),
    "ledger": _items("turnkeeper_ledger"),
    "exclusions": _items("turnkeeper_exclusions"),
    "reviews": _items("turnkeeper_reviews"),
}
TABLES = (*ITEMS.values(), LOG, HEADS)


def name_of(identity: str) -> str:
    """Return what a row is found by."""
    return hashlib.sha256(identity.encode()).hexdigest()
