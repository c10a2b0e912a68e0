"""Connections to the two databases, set so that an acknowledged turn survives power loss."""

from __future__ import annotations

import sqlite3
import time
from pathlib import Path
from typing import Any
from urllib.parse import unquote

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from ..errors import InputError, SetupError

WAIT = 10.0
"""Seconds that a writer waits for another one."""
_PRAGMAS = ("synchronous = FULL", "secure_delete = ON", "trusted_schema = OFF", "cell_size_check = ON")


def engine_for(where: str | Path, *, wait: float = WAIT, create: bool = True) -> Engine:
    """Return an engine for a file, or for a URL of SQLite or PostgreSQL.

    Raises:
        InputError: The URL is none, or names another database; or `create` is off and there is no such file.
        SetupError: The driver is missing.
    """
    url = _url(where)
    if url.get_backend_name() == "sqlite":
        if not url.database or url.database == ":memory:":
            raise InputError(f"{url}: names no file; use MemoryStore for sessions in memory")
        if not create and not Path(unquote(url.database.removeprefix("file:").split("?")[0])).exists():
            raise InputError(f"{url.database}: there is no such session store")
        engine = create_engine(url, connect_args={"timeout": wait, "check_same_thread": False})
        event.listen(engine, "connect", _prepare_sqlite(wait))
        event.listen(engine, "begin", _begin_sqlite)
        return engine
    try:
        engine = create_engine(url, pool_pre_ping=True)
    except ModuleNotFoundError:
        raise SetupError("the driver of PostgreSQL is missing; pip install 'turnkeeper[postgres]'") from None
    event.listen(engine, "connect", _prepare_postgres(wait))
    return engine


def place_of(engine: Engine) -> str:
    """Return what messages call the database: its file, or its URL without the password."""
    return engine.url.database or "" if engine.dialect.name == "sqlite" else engine.url.render_as_string()


def _url(where: str | Path) -> URL:
    if isinstance(where, Path) or "://" not in where:
        return URL.create("sqlite", database=str(where))
    try:
        url = make_url(where)
    except (ArgumentError, ValueError):
        raise InputError(
            "the address of the session store is no URL; write sqlite:///FILE or postgresql://..."
        ) from None
    if url.drivername in ("postgres", "postgresql"):
        url = url.set(drivername="postgresql+psycopg")
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise InputError(f"{url.render_as_string()}: sessions live in SQLite (sqlite:///FILE) or PostgreSQL")
    return url


def _prepare_sqlite(wait: float) -> Any:
    def prepare(connection: sqlite3.Connection, _record: object) -> None:
        connection.isolation_level = None  # transactions begin where `_begin_sqlite` says
        end = time.monotonic() + wait
        while True:  # the change to WAL does not always wait for another process that makes it too
            try:
                connection.execute("PRAGMA journal_mode = WAL").fetchall()
                break
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > end:
                    raise
                time.sleep(0.01)
        for pragma in _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}").fetchall()

    return prepare


def _begin_sqlite(connection: Connection) -> None:
    writes = connection.get_execution_options().get("turnkeeper_writes")
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")


def _prepare_postgres(wait: float) -> Any:
    def prepare(connection: Any, _record: object) -> None:
        with connection.cursor() as cursor:  # whatever the server's defaults are
            cursor.execute("SET synchronous_commit = on")
            cursor.execute(f"SET lock_timeout = {int(wait * 1000)}")
        connection.commit()

    return prepare
