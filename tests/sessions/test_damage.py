"""Damage is found on reading, and named: the session and the turn where it shows."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from turnkeeper.errors import CorruptSessionError, CorruptStoreError
from turnkeeper.sessions import SqlStore

from .building import SESSION, TENANT, new, talk
from .damaging import damaged, typed, written


def test_no_flipped_bit_and_no_cut_is_silent(tmp_path: Path) -> None:
    path = tmp_path / "whole.db"
    written(path)
    outcomes = list(damaged(path, tmp_path, flips=25, cuts=15))
    assert not [outcome for outcome in outcomes if outcome.silent]
    assert not [outcome for outcome in outcomes if not typed(outcome)]
    assert sum(outcome.error is not None for outcome in outcomes) >= 10


EDITS = {
    "answer": ("UPDATE turnkeeper_turns SET body = replace(body, 'gate', 'date') WHERE version = 3", 3),
    "changes": ("UPDATE turnkeeper_turns SET changes = replace(changes, 'D-3', 'D-9') WHERE version = 3", 3),
    "order": ("UPDATE turnkeeper_turns SET turn = 9 WHERE version = 3", 9),
    "last turn gone": ("DELETE FROM turnkeeper_turns WHERE version = 5", 4),
    "middle turn gone": ("DELETE FROM turnkeeper_turns WHERE version = 3", 4),
    "all turns gone": ("DELETE FROM turnkeeper_turns", 5),
    "source": ("UPDATE turnkeeper_registry SET body = replace(body, 'Mondays', 'Sundays') WHERE position = 2", 5),
    "source gone": ("DELETE FROM turnkeeper_registry WHERE position = 2", 5),
    "source hidden": ("UPDATE turnkeeper_registry SET open = 0 WHERE position = 2", 5),
    "source not JSON": ("UPDATE turnkeeper_registry SET body = '{' WHERE position = 2", 5),
    "convention": ("UPDATE turnkeeper_sessions SET convention = 'numeric'", 5),
    "head set back": ("UPDATE turnkeeper_sessions SET version = 4, turn = 4", 5),
    "head's parent": ("UPDATE turnkeeper_sessions SET parent = 'x'", 1),
    "head gone": ("DELETE FROM turnkeeper_sessions", 0),
}


@pytest.mark.parametrize("name", EDITS)
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_an_edit_is_found_and_its_turn_named(name: str, kind: str, request: pytest.FixtureRequest) -> None:
    store = request.getfixturevalue(kind)
    talk(store, 5)
    statement, turn = EDITS[name]
    with store._backend._engine.begin() as connection:
        connection.exec_driver_sql(statement)
    readings: list[Callable[[], object]] = [
        lambda: store.load(SESSION, TENANT),
        lambda: store.export(SESSION, TENANT),
    ]
    for reading in readings:
        with pytest.raises(CorruptSessionError, match=SESSION) as found:
            reading()
        assert (found.value.session_id, found.value.turn) == (SESSION, turn)


def test_a_turn_taken_out_of_another_session_is_found(sqlite: SqlStore) -> None:
    talk(sqlite, 2)
    talk(sqlite, 2, new("harbour-8"))
    with sqlite._backend._engine.begin() as connection:  # type: ignore[attr-defined]
        connection.exec_driver_sql(
            "UPDATE turnkeeper_turns SET body = 'x', digest = (SELECT digest FROM turnkeeper_turns WHERE "
            "session_id = 'harbour-8' AND version = 2) WHERE session_id = 'harbour-7' AND version = 2"
        )
    with pytest.raises(CorruptSessionError):
        sqlite.load(SESSION, TENANT)


def test_a_damaged_session_can_be_deleted(sqlite: SqlStore) -> None:
    talk(sqlite, 2)
    with sqlite._backend._engine.begin() as connection:  # type: ignore[attr-defined]
        connection.exec_driver_sql("UPDATE turnkeeper_turns SET body = '{}'")
    sqlite.delete(SESSION, TENANT)
    talk(sqlite, 1)


@pytest.mark.parametrize("content", [b"no database at all" * 300, b"SQLite format 3\0" + bytes(5000)])
def test_a_file_of_something_else_is_left_alone(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    with pytest.raises(CorruptStoreError, match=r"notes\.txt"):
        SqlStore(path)
    assert path.read_bytes() == content


def test_a_database_of_another_program_can_be_shared(tmp_path: Path) -> None:
    path = tmp_path / "app.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE sessions (id TEXT)")
        connection.execute("INSERT INTO sessions VALUES ('theirs')")
    connection.close()
    with SqlStore(path) as store:
        talk(store, 1)
    assert sqlite3.connect(path).execute("SELECT id FROM sessions").fetchall() == [("theirs",)]


def test_what_is_deleted_leaves_the_files(tmp_path: Path) -> None:
    path = tmp_path / "sessions.db"
    with SqlStore(path) as store:
        talk(store, 3)
        store.delete(SESSION, TENANT)
        there = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"opening hours" not in there and b"Mondays" not in there
