"""A store that cannot be written now: the error names the remedy, nothing is lost, and afterwards it goes on."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from turnkeeper.errors import InputError, SetupError, StoreUnavailableError
from turnkeeper.sessions import SqlStore, open_store

from ..full_disk import room_for
from .building import SESSION, TENANT, say, talk


def test_a_full_disk(sqlite: SqlStore, tmp_path: Path) -> None:
    state = talk(sqlite, 3)
    log = tmp_path / "sessions.db-wal"
    for extra in (0, 1, 5000, 12_000):
        with (
            room_for(log.stat().st_size + extra),
            pytest.raises(StoreUnavailableError, match="free some space") as full,
        ):
            say(sqlite, state, key="k-4")
        assert str(tmp_path / "sessions.db") in str(full.value)
        assert sqlite.load(SESSION, TENANT) == state
    done = say(sqlite, state, key="k-4")
    assert not done.replayed and done.state.turn == 4
    with SqlStore(tmp_path / "sessions.db") as again:
        assert again.load(SESSION, TENANT) == done.state


def test_a_full_database(sqlite: SqlStore) -> None:
    state = talk(sqlite, 1)
    with sqlite._backend._engine.connect() as connection:  # type: ignore[attr-defined]
        pages = connection.exec_driver_sql("PRAGMA page_count").scalar()
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreUnavailableError, match="the disk is full; free some space"):
        for _ in range(50):
            state = say(sqlite, state, details={"page": "x" * 9000}).state
    assert sqlite.load(SESSION, TENANT) == state


@contextmanager
def unprivileged() -> Iterator[Path]:
    """A folder that everybody may read, while this process is nobody special."""
    folder = Path(tempfile.mkdtemp(prefix="tk-ro-"))
    folder.chmod(0o755)
    root = os.geteuid() == 0
    try:
        if root:
            os.seteuid(65534)
        yield folder
    finally:
        if root:
            os.seteuid(0)
        shutil.rmtree(folder)


def test_a_file_that_may_not_be_written(tmp_path: Path) -> None:
    with SqlStore(tmp_path / "sessions.db") as store:
        state = talk(store, 2)
    with unprivileged() as folder:
        if os.getuid() == 0:
            os.seteuid(0)
        shutil.copy(tmp_path / "sessions.db", folder)
        (folder / "sessions.db").chmod(0o444)
        folder.chmod(0o555)
        if os.getuid() == 0:
            os.seteuid(65534)
        with pytest.raises(StoreUnavailableError, match=r"give (read and )?write permission"):
            with SqlStore(folder / "sessions.db") as store:
                say(store, store.load(SESSION, TENANT))
        with pytest.raises(StoreUnavailableError, match="make the folder, and give read and write permission"):
            SqlStore(folder / "new.db")
        if os.getuid() != 0:
            folder.chmod(0o755)
    with SqlStore(tmp_path / "sessions.db") as store:
        assert store.load(SESSION, TENANT) == state


def test_a_server_that_takes_no_writes(postgres: SqlStore, postgres_url: str) -> None:
    state = talk(postgres, 2)
    with SqlStore(f"{postgres_url}&options=-c%20default_transaction_read_only%3Don") as store:
        assert store.load(SESSION, TENANT) == state
        with pytest.raises(StoreUnavailableError, match="connect to the primary"):
            say(store, state)
    assert say(postgres, state).state.turn == 3


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_store_that_another_writer_holds(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    first = request.getfixturevalue(kind)
    where = tmp_path / "sessions.db" if kind == "sqlite" else request.getfixturevalue("postgres_url")
    state = talk(first, 2)
    with SqlStore(where, wait=0.2) as store:
        with first._backend.writing() as rows:
            rows.head(SESSION)
            assert store.load(SESSION, TENANT) == state  # who reads does not wait
            with pytest.raises(StoreUnavailableError, match=r"another (process|writer) holds"):
                say(store, state)
        assert say(store, state).state.turn == 3


def test_a_server_that_is_away_is_named_without_its_password() -> None:
    with pytest.raises(StoreUnavailableError, match="start it or correct the URL") as away:
        SqlStore("postgresql://clerk:hush-hush@/harbour?host=/nowhere")
    assert "hush" not in str(away.value) and "clerk" in str(away.value)


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("mysql://h/x", "SQLite .* or PostgreSQL"),
        ("sqlite://", "MemoryStore"),
        ("sqlite:///:memory:", "MemoryStore"),
        ("http://[::1", "URL"),
    ],
)
def test_an_address_that_is_none(where: str, said: str) -> None:
    with pytest.raises(InputError, match=said):
        open_store(where)


def test_a_store_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    SqlStore(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE turnkeeper_schema SET version_num = '9999'")
    connection.close()
    with pytest.raises(SetupError, match="upgrade turnkeeper"):
        SqlStore(path)


def test_a_file_is_made_only_when_asked(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such session store"):
        open_store(tmp_path / "absent.db", create=False)
    assert not list(tmp_path.iterdir())


def test_sessions_are_in_wal_mode_and_synchronous(sqlite: SqlStore, postgres: SqlStore) -> None:
    with sqlite._backend._engine.connect() as connection:  # type: ignore[attr-defined]
        assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
        assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
    with postgres._backend._engine.connect() as connection:  # type: ignore[attr-defined]
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
