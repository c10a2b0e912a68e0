"""Many processes on one session; `benchmarks/session_store.py` does the same with larger numbers."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from turnkeeper.sessions import SqlStore

from .building import SESSION, TENANT, new, say, talk
from .writers import race, repeat, thawed

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs fork and signals of POSIX")


@pytest.fixture(params=["sqlite", "postgres"])
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return str(tmp_path / "sessions.db")
    request.getfixturevalue("postgres")  # emptied
    return str(request.getfixturevalue("postgres_url"))


def test_a_session_that_many_write_never_forks(where: str) -> None:
    found, words, _ = race(where, processes=4, turns=5)
    assert [line.turn for line in found.log] == list(range(1, 22))
    assert sorted(line.idempotency_key or "" for line in found.log[1:]) == sorted(words)
    assert [entry.doc_id for entry in found.state.registry.entries] == [f"D-{turn}" for turn in range(1, 22)]


def test_a_writer_that_slept_is_told_so(where: str) -> None:
    assert thawed(where, 5) == ["version_conflict"] * 5


def test_of_many_submissions_with_one_key_one_counts(where: str) -> None:
    found, told = repeat(where, processes=4, times=24)
    assert sorted(told) == [False] + [True] * 23
    assert [line.turn for line in found.log] == [1]


def test_many_open_a_new_file_at_once(tmp_path: Path) -> None:
    go, start = os.pipe()
    children = []
    for name in range(6):
        child = os.fork()
        if child == 0:
            code = 1
            try:
                os.read(go, 1)
                with SqlStore(tmp_path / "new.db") as store:
                    say(store, new(f"own-{name}"))
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    os.write(start, b"......")
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 6
    with SqlStore(tmp_path / "new.db") as store:
        assert all(store.load(f"own-{name}", TENANT).turn == 1 for name in range(6))


def test_a_forked_child_uses_connections_of_its_own(sqlite: SqlStore) -> None:
    state = talk(sqlite, 1)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            code = 0 if say(sqlite, state).state.turn == 2 else 1
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    assert say(sqlite, sqlite.load(SESSION, TENANT)).state.turn == 3
