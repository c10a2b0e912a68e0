"""What a commit promises: one turn, once, read back as it was."""

from __future__ import annotations

import threading

import pytest

from turnkeeper.errors import InvalidStateError, UnknownSessionError, VersionConflictError
from turnkeeper.sessions import ReviewItem, SessionStore
from turnkeeper.signatures.types import Exclusion

from ._clauses import clause, same
from .building import SESSION, TENANT, new, question, record, say, source, talk, with_sources


@clause
def a_session_that_nobody_made_is_unknown(store: SessionStore) -> None:
    with pytest.raises(UnknownSessionError, match="nobody-7"):
        store.load("nobody-7", TENANT)
    assert store.committed("nobody-7", TENANT, idempotency_key="k") is None


@clause
def what_is_committed_is_read_back(store: SessionStore) -> None:
    after = with_sources(new(), source("D-1", metadata={"regions": ["nord", 3], "open": True}), source("D-2"))
    after = after.model_copy(
        update={
            "ledger": (question("q1"), question("q2")),
            "exclusions": (Exclusion(phrase="ferries", cue="without", aliases=("boats",)),),
            "reviews": (ReviewItem(review_id="r1", turn=1, reason="unanswered"),),
        }
    )
    done = say(store, new(), to=after, details={"scope": {"tenant": ["nord"]}})
    assert not done.replayed and (done.state.version, done.state.turn) == (1, 1)
    assert done.state.turns == (done.turn,)
    for part in ("registry", "ledger", "exclusions", "reviews"):
        assert getattr(done.state, part) == getattr(after, part)
    same(store, done.state)


@clause
def the_newest_turns_come_with_the_state(store: SessionStore) -> None:
    talk(store, 25)
    assert [turn.turn for turn in store.load(SESSION, TENANT).turns] == list(range(6, 26))
    assert [turn.turn for turn in store.load(SESSION, TENANT, recent=3).turns] == [23, 24, 25]
    assert store.load(SESSION, TENANT, recent=0).turns == ()


@clause
def a_stale_version_conflicts_and_changes_nothing(store: SessionStore) -> None:
    old = talk(store, 2)
    now = say(store, old).state
    for stale in (old, new()):
        with pytest.raises(VersionConflictError, match="version 3") as refused:
            say(store, stale, word="price")
        assert refused.value.code == "version_conflict"
    same(store, now)


@clause
def a_version_that_never_was_conflicts(store: SessionStore) -> None:
    now = talk(store, 2)
    with pytest.raises(VersionConflictError, match="older than what you hold"):
        store.commit(expected_version=9, turn=record(3), state=now)
    with pytest.raises(VersionConflictError):
        store.commit(expected_version=1, turn=record(2), state=new("other"))
    same(store, now)


@clause
def a_key_gives_back_its_turn_and_changes_nothing(store: SessionStore) -> None:
    first = say(store, new(), key="k-1")
    now = talk(store, 2, first.state)
    for state in (new(), first.state, now):
        again = say(store, state, key="k-1", word="price")
        assert again.replayed and again.turn == first.turn and again.state == now
    same(store, now)
    assert store.committed(SESSION, TENANT, idempotency_key="k-1") == first.turn
    assert store.committed(SESSION, TENANT, idempotency_key="k-2") is None


@clause
def a_key_belongs_to_its_session(store: SessionStore) -> None:
    say(store, new(), key="k-1")
    other = say(store, new("harbour-8"), key="k-1")
    assert not other.replayed and other.state.turn == 1


@clause
def any_text_is_kept_as_it_is(store: SessionStore) -> None:
    strange = "'; DROP TABLE turnkeeper_turns; --\0 \x1b[2J \u202e 🜁 [Source: \u0336] %s :x {y} \\u0000"
    after = with_sources(new(), source(strange, metadata={strange: [strange]}))
    after = after.model_copy(update={"ledger": (question(strange),), "exclusions": (Exclusion(phrase=strange),)})
    now = say(store, new(), to=after, standalone_query=strange).state
    assert now.ledger[0].question_id == strange
    same(store, now)
    assert store.withdraw(SESSION, strange, TENANT).registry.entries[0].withdrawn


@clause
def what_json_cannot_hold_is_refused(store: SessionStore) -> None:
    now = talk(store, 1)
    for bad in (
        with_sources(now, source("D-2", metadata={"x": object()})),
        with_sources(now, source("D-\ud800")),
        now.model_copy(update={"ledger": (question("q\ud800", 2),)}),
    ):
        with pytest.raises(InvalidStateError, match="JSON"):
            say(store, now, to=bad)
    with pytest.raises(InvalidStateError, match="bytes"):
        say(store, now, details={"page": "x" * 9_000_000})
    same(store, now)


@clause
def of_many_threads_each_turn_is_there_once(store: SessionStore) -> None:
    talk(store, 1)
    done: list[str] = []

    def write(name: int) -> None:
        for number in range(4):
            word = f"{name}-{number}"
            while True:
                state = store.load(SESSION, TENANT)
                try:
                    say(store, state, word=word, key=word)
                except VersionConflictError:
                    continue
                done.append(word)
                break

    threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = store.export(SESSION, TENANT)
    assert [line.turn for line in found.log] == list(range(1, 18))
    assert sorted(line.record.query for line in found.log[1:] if line.record) == sorted(f"And the {w}?" for w in done)
    assert len(done) == 16 and len({entry.doc_id for entry in found.state.registry.entries}) == 17
