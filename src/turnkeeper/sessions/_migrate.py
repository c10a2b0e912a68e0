"""Bringing a database to the schema of this version, whoever else opens it at the same time."""

from __future__ import annotations

import logging
from pathlib import Path

from sqlalchemy import Connection, inspect, text

from ..errors import SetupError
from ._schema import SCHEMA, VERSIONS

_LOCK = 0x7475_726E_6B65_6570  # "turnkeep": PostgreSQL's advisory lock of migrations


def migrate(connection: Connection, place: str) -> None:
    """Run what migrations are missing, in the (writing) transaction of a connection.

    A second opener waits: on SQLite for the write lock that the transaction holds already, on PostgreSQL here.

    Raises:
        SetupError: The database was written by a newer version, or alembic is missing.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
    now = stored(connection)
    if now == SCHEMA:
        return
    if now is not None and now > SCHEMA:
        raise SetupError(
            f"{place}: has schema {now} of a newer turnkeeper, this one knows {SCHEMA}; upgrade turnkeeper"
        )
    try:
        from alembic import command
        from alembic.config import Config
    except ModuleNotFoundError:
        raise SetupError("alembic is missing; pip install 'turnkeeper[sessions]'") from None
    config = Config()
    config.set_main_option("script_location", str(Path(__file__).with_name("migrations")).replace("%", "%%"))
    config.attributes["connection"] = connection
    logger = logging.getLogger("alembic")
    before, logger.disabled = logger.disabled, True
    try:
        command.upgrade(config, "head")
    finally:
        logger.disabled = before


def stored(connection: Connection) -> str | None:
    """Return the schema of a database, or None when it has none of ours."""
    if not inspect(connection).has_table(VERSIONS):
        return None
    return connection.execute(text(f"SELECT version_num FROM {VERSIONS}")).scalar()
