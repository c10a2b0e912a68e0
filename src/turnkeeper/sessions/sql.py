"""Sessions in SQLite, or in PostgreSQL by URL."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from ._engine import WAIT, engine_for, place_of
from ._failures import named
from ._migrate import migrate, stored
from ._schema import SCHEMA
from ._sessions import Sessions
from ._sql_rows import SqlRows


class SqlStore(Sessions):
    """A `SessionStore` in a database. One store serves all threads of a process, and is safe to fork.

    SQLite runs in WAL mode with synchronous=FULL, PostgreSQL with synchronous_commit=on: one fsync a commit, before
    `commit` returns. Missing migrations are run on opening; several processes may open at once.

    Args:
        where: A file, `sqlite:///FILE`, or `postgresql://USER:PASSWORD@HOST/DATABASE`.
        wait: Seconds that a writer waits for another one.
        create: Whether a file that is not there is made.

    Raises:
        InputError: The address is none, or there is no such file.
        SetupError: A driver is missing, or the database was written by a newer version.
        StoreUnavailableError: It cannot be opened now; the message names the remedy.
        CorruptStoreError: The file is damaged, or no session store.
    """

    def __init__(self, where: str | Path, *, wait: float = WAIT, create: bool = True) -> None:
        database = _Database(engine_for(where, wait=wait, create=create))
        try:
            database.prepare()
        except BaseException:
            database.close()
            raise
        super().__init__(database)


class _Database:
    def __init__(self, engine: Engine) -> None:
        self._engine, self.place = engine, place_of(engine)
        self._sqlite = engine.dialect.name == "sqlite"
        self._process, self._lock = os.getpid(), threading.Lock()
        self._refused = False
        self._writer = engine.execution_options(turnkeeper_writes=True)
        self._reader = engine if self._sqlite else engine.execution_options(isolation_level="REPEATABLE READ")

    def prepare(self) -> None:
        with named(self.place, sqlite=self._sqlite):
            with self._reader.connect() as connection:
                if stored(connection) == SCHEMA:
                    return
            with self._writer.begin() as connection:
                migrate(connection, self.place)

    @contextmanager
    def reading(self) -> Iterator[SqlRows]:
        with named(self.place, sqlite=self._sqlite), self._connected(self._reader) as connection:
            yield SqlRows(connection, self.place)

    @contextmanager
    def writing(self) -> Iterator[SqlRows]:
        if self._refused:  # SQLite opened its connections for reading alone; the file may be writable by now
            self._refused = False
            self._engine.dispose()
        with named(self.place, sqlite=self._sqlite), self._connected(self._writer) as connection:
            rows = SqlRows(connection, self.place)
            try:
                with connection.begin():
                    yield rows
            except OperationalError as error:
                self._refused = self._sqlite and "readonly" in str(error.orig)
                raise
            if rows.forgot and self._sqlite:  # the texts of a deleted session leave the log file as well
                _checkpoint(connection)

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def _connected(self, engine: Engine) -> Iterator[Connection]:
        with self._lock:
            if self._process != os.getpid():  # a forked child must not use, nor close, its parent's connections
                self._engine.dispose(close=False)
                self._process = os.getpid()
        with engine.connect() as connection:
            yield connection


def _checkpoint(connection: Connection) -> None:
    driver = connection.connection.driver_connection
    with suppress(sqlite3.Error):  # a reader is in the way: the next checkpoint does it
        if driver is not None:
            driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
