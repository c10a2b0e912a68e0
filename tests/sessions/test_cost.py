"""What a commit costs, and that it does not depend on the turns before; full figures: benchmarks/session_store.py."""

from __future__ import annotations

import statistics
import time

from sqlalchemy import event

from turnkeeper.sessions import SqlStore

from .building import say, talk


def test_a_commit_runs_the_same_statements_at_any_turn(sqlite: SqlStore) -> None:
    state, seen = talk(sqlite, 2), list[str]()
    event.listen(sqlite._backend._engine, "before_cursor_execute", lambda *given: seen.append(given[2]))  # type: ignore[attr-defined]
    counts = []
    for _ in range(60):
        seen.clear()
        state = say(sqlite, state, key=f"k-{state.turn}").state
        counts.append(len(seen))
    assert set(counts) == {counts[0]} and counts[0] <= 6


def test_a_commit_takes_little_of_the_processor_and_not_more_later(sqlite: SqlStore) -> None:
    state, seconds = talk(sqlite, 5), []
    for number in range(200):
        begun = time.process_time()
        state = say(sqlite, state, key=f"k-{number}").state
        seconds.append(time.process_time() - begun)
    early, late = statistics.median(seconds[:50]), statistics.median(seconds[-50:])
    assert late <= 0.003 * 2  # the bound is 3 ms; a shared machine may be half as fast
    assert late <= 2 * early
