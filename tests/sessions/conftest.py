"""Stores of each kind, fresh for each test; one PostgreSQL server for all."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from turnkeeper.sessions import MemoryStore, SessionStore, SqlStore

from .postgres import binaries, server


@pytest.fixture(scope="session")
def postgres_url() -> Iterator[str]:
    """A database of a real server; skipped only where there is none to start."""
    if binaries() is None:
        pytest.skip("no PostgreSQL server found; apt-get install postgresql")
    pytest.importorskip("psycopg", reason="needs pip install 'turnkeeper[postgres]'")
    with server() as url:
        yield url


@pytest.fixture
def postgres(postgres_url: str) -> Iterator[SqlStore]:
    """A store on the server, emptied."""
    with SqlStore(postgres_url) as store:
        with store._backend._engine.begin() as connection:  # type: ignore[attr-defined]
            for table in ("sessions", "turns", "registry", "ledger", "exclusions", "reviews"):
                connection.exec_driver_sql(f"DELETE FROM turnkeeper_{table}")
        yield store


@pytest.fixture
def sqlite(tmp_path: Path) -> Iterator[SqlStore]:
    """A store in a file of its own."""
    with SqlStore(tmp_path / "sessions.db") as store:
        yield store


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest) -> SessionStore:
    """A fresh store of each kind."""
    return MemoryStore() if request.param == "memory" else request.getfixturevalue(request.param)
