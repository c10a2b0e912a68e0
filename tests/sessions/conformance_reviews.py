"""What becomes of items that a person must look at: queued, resolved once, seen by the next turn."""

from __future__ import annotations

import threading
from itertools import pairwise

import pytest

from turnkeeper.errors import InvalidStateError, UnknownSessionError, VersionConflictError
from turnkeeper.sessions import ReviewItem, SessionState, SessionStore

from ._clauses import clause, same
from .building import SESSION, TENANT, new, say, talk


def raised(store: SessionStore, session_id: str = SESSION, *names: str) -> SessionState:
    """A session whose first turn raised some items."""
    items = tuple(ReviewItem(review_id=name, turn=1, reason="unanswered", text=f"Look at {name}") for name in names)
    begun = new(session_id)
    return say(store, begun, to=begun.model_copy(update={"reviews": items})).state


@clause
def the_queue_holds_what_is_open_of_all_sessions_of_a_tenant(store: SessionStore) -> None:
    raised(store, "harbour-8", "r1")
    raised(store, SESSION, "r1", "r2")
    talk(store, 1, new("harbour-9"))
    other = SessionState(session_id="quay-1", tenant="sued", reviews=(ReviewItem(review_id="r1"),))
    say(store, other.model_copy(update={"reviews": ()}), to=other)
    found = [(one.session_id, one.version, one.item.review_id) for one in store.reviews(TENANT)]
    assert found == [("harbour-7", 1, "r1"), ("harbour-7", 1, "r2"), ("harbour-8", 1, "r1")]
    store.resolve_review(SESSION, "r1", "answered by phone", TENANT)
    assert [(one.session_id, one.version, one.item.review_id) for one in store.reviews(TENANT)] == [
        ("harbour-7", 2, "r2"),
        ("harbour-8", 1, "r1"),
    ]
    store.delete("harbour-8", TENANT)
    assert [one.session_id for one in store.reviews(TENANT)] == [SESSION]
    assert [one.session_id for one in store.reviews("sued")] == ["quay-1"] and store.reviews("west") == []


@clause
def a_resolution_is_seen_by_the_next_turn_and_then_leaves(store: SessionStore) -> None:
    before = raised(store, SESSION, "r1", "r2")
    now = store.resolve_review(SESSION, "r1", "the desk is open on Sundays", TENANT)
    assert (now.version, now.turn, now.turns) == (2, 1, before.turns)
    assert [(one.status, one.resolution) for one in now.reviews] == [
        ("resolved", "the desk is open on Sundays"),
        ("open", ""),
    ]
    same(store, now)
    with pytest.raises(VersionConflictError):
        say(store, before)  # a turn that did not see it
    after = say(store, now).state
    assert [one.review_id for one in after.reviews] == ["r2"]
    same(store, after)


@clause
def a_turn_may_leave_out_what_was_resolved_and_cannot_open_it_again(store: SessionStore) -> None:
    raised(store, SESSION, "r1")
    now = store.resolve_review(SESSION, "r1", "done", TENANT)
    open_again = now.reviews[0].model_copy(update={"status": "open"})
    with pytest.raises(InvalidStateError, match="resolved and stay so"):
        say(store, now, to=now.model_copy(update={"reviews": (open_again,)}))
    same(store, now)
    assert say(store, now, to=now.model_copy(update={"reviews": ()})).state.reviews == ()
    later = store.load(SESSION, TENANT)
    with pytest.raises(InvalidStateError, match="never reused"):
        say(store, later, to=later.model_copy(update={"reviews": (open_again,)}))


@clause
def a_resolution_compares_and_swaps(store: SessionStore) -> None:
    seen = raised(store, SESSION, "r1")
    now = say(store, seen).state
    with pytest.raises(VersionConflictError, match="version 2"):
        store.resolve_review(SESSION, "r1", "done", TENANT, expected_version=seen.version)
    same(store, now)
    done = store.resolve_review(SESSION, "r1", "done", TENANT, expected_version=2)
    assert store.resolve_review(SESSION, "r1", "done", TENANT) == done  # the same again changes nothing
    with pytest.raises(InvalidStateError, match="otherwise"):
        store.resolve_review(SESSION, "r1", "not done", TENANT)
    same(store, done)


@clause
def only_an_open_item_is_resolved_and_in_words(store: SessionStore) -> None:
    now = raised(store, SESSION, "r1")
    with pytest.raises(InvalidStateError, match="r9"):
        store.resolve_review(SESSION, "r9", "done", TENANT)
    for blank in ("", " \n"):
        with pytest.raises(InvalidStateError, match="blank"):
            store.resolve_review(SESSION, "r1", blank, TENANT)
    with pytest.raises(InvalidStateError, match="bytes"):
        store.resolve_review(SESSION, "r1", "x" * 9_000_000, TENANT)
    with pytest.raises(UnknownSessionError):
        store.resolve_review("nobody-7", "r1", "done", TENANT)
    same(store, now)


@clause
def a_resolution_is_a_line_of_the_chain(store: SessionStore) -> None:
    raised(store, SESSION, "r1")
    now = store.resolve_review(SESSION, "r1", "\x1b[2J 'done'; --\u202e", TENANT)
    now = say(store, now).state
    log = store.export(SESSION, TENANT).log
    assert [(line.kind, line.turn) for line in log] == [("turn", 1), ("review", 1), ("turn", 2)]
    assert [one.status for line in log for one in line.reviews] == ["open", "resolved"]
    assert log[1].reviews[0].resolution == "\x1b[2J 'done'; --\u202e" and log[1].record is None
    assert all(after.previous == before.digest for before, after in pairwise(log))
    there = store.branch(SESSION, 1, TENANT, new_session_id="harbour-7b")
    assert [one.status for one in there.reviews] == ["resolved"]
    same(store, now)


@clause
def of_many_who_resolve_one_decides(store: SessionStore) -> None:
    raised(store, SESSION, "r1")
    said: list[str] = []

    def decide(name: str) -> None:
        try:
            store.resolve_review(SESSION, "r1", name, TENANT, expected_version=1)
            said.append(name)
        except (VersionConflictError, InvalidStateError):
            pass

    threads = [threading.Thread(target=decide, args=(f"decision {n}",)) for n in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(said) == 1 and store.load(SESSION, TENANT).reviews[0].resolution == said[0]
