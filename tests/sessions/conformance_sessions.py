"""Whose a session is, and what becomes of it: withdrawal, branch, export, end."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest

from turnkeeper.errors import (
    InvalidStateError,
    MalformedIdError,
    UnknownSessionError,
    VersionConflictError,
    WrongTenantError,
)
from turnkeeper.sessions import SessionStore

from ._clauses import clause, same
from .building import SESSION, TENANT, new, record, say, talk


@clause
def tenants_are_kept_apart(store: SessionStore) -> None:
    now = talk(store, 2)
    attempts: list[Callable[[], object]] = [
        lambda: store.load(SESSION, "sued"),
        lambda: store.commit(expected_version=2, turn=record(3), state=now.model_copy(update={"tenant": "sued"})),
        lambda: store.committed(SESSION, "sued", idempotency_key="k"),
        lambda: store.branch(SESSION, 1, "sued"),
        lambda: store.withdraw(SESSION, "D-1", "sued"),
        lambda: store.resolve_review(SESSION, "r1", "done", "sued"),
        lambda: store.export(SESSION, "sued"),
        lambda: store.delete(SESSION, "sued"),
    ]
    for attempt in attempts:
        with pytest.raises(WrongTenantError):
            attempt()
    same(store, now)


@clause
def a_malformed_id_is_refused_everywhere(store: SessionStore) -> None:
    now = talk(store, 1)
    for bad in ("", " ", "a b", "a'--", "a\n", "\u00e9", "x" * 201, "\0", "%", '"', "\ud800", "../x"):
        attempts: list[Callable[[], object]] = [
            lambda bad=bad: store.load(bad, TENANT),  # type: ignore[misc]
            lambda bad=bad: store.load(SESSION, bad),  # type: ignore[misc]
            lambda bad=bad: say(store, now, key=bad),  # type: ignore[misc]
            lambda bad=bad: say(store, new(bad)),  # type: ignore[misc]
            lambda bad=bad: store.committed(SESSION, TENANT, idempotency_key=bad),  # type: ignore[misc]
            lambda bad=bad: store.branch(SESSION, 1, TENANT, new_session_id=bad),  # type: ignore[misc]
            lambda bad=bad: store.withdraw(bad, "D-1", TENANT),  # type: ignore[misc]
            lambda bad=bad: store.reviews(bad),  # type: ignore[misc]
            lambda bad=bad: store.resolve_review(bad, "r1", "done", TENANT),  # type: ignore[misc]
            lambda bad=bad: store.export(bad, TENANT),  # type: ignore[misc]
            lambda bad=bad: store.delete(bad, TENANT),  # type: ignore[misc]
        ]
        for attempt in attempts:
            with pytest.raises(MalformedIdError, match="must be a text of 1 to 200"):
                attempt()
    same(store, now)


@clause
def a_withdrawn_source_keeps_its_id(store: SessionStore) -> None:
    now = talk(store, 2)
    for _ in range(2):  # the second time nothing is left to do
        after = store.withdraw(SESSION, "D-1", TENANT)
        assert (after.version, after.turn) == (3, 2) and after.turns == now.turns
        assert [(entry.doc_id, entry.withdrawn) for entry in after.registry.entries] == [("D-1", True), ("D-2", False)]
        same(store, after)
    with pytest.raises(VersionConflictError):
        say(store, now)
    with pytest.raises(InvalidStateError, match="withdrawn"):
        say(store, after, to=after.model_copy(update={"registry": now.registry}))
    with pytest.raises(InvalidStateError, match="D-9"):
        store.withdraw(SESSION, "D-9", TENANT)
    assert say(store, after).state.turn == 3


@clause
def a_branch_starts_after_its_turn(store: SessionStore) -> None:
    then = talk(store, 2)
    now = store.withdraw(SESSION, "D-1", TENANT)
    now = talk(store, 2, now)
    there = store.branch(SESSION, 2, TENANT, new_session_id="harbour-7b")
    assert (there.session_id, there.parent, there.parent_turn, there.turn) == ("harbour-7b", SESSION, 2, 2)
    assert there.turns == then.turns
    assert [(entry.doc_id, entry.withdrawn) for entry in there.registry.entries] == [("D-1", True), ("D-2", False)]
    same(store, there)
    early = store.branch(SESSION, 1, TENANT)
    assert [(entry.doc_id, entry.withdrawn) for entry in early.registry.entries] == [("D-1", True)]
    assert say(store, there, word="price").state.turn == 3
    same(store, now)
    assert [line.turn for line in store.export("harbour-7b", TENANT).log][-1] == 3
    for turn in (0, 5):
        with pytest.raises(InvalidStateError, match="1 to 4"):
            store.branch(SESSION, turn, TENANT)
    with pytest.raises(InvalidStateError, match="exists"):
        store.branch(SESSION, 2, TENANT, new_session_id="harbour-7b")


@clause
def a_branch_takes_no_keys_along(store: SessionStore) -> None:
    first = say(store, new(), key="k-1").state
    there = store.branch(SESSION, 1, TENANT, new_session_id="harbour-7b")
    assert store.committed("harbour-7b", TENANT, idempotency_key="k-1") is None
    assert not say(store, there, key="k-1").replayed
    same(store, first)


@clause
def an_export_holds_every_turn_and_a_whole_chain(store: SessionStore) -> None:
    talk(store, 25)
    now = store.withdraw(SESSION, "D-3", TENANT)
    found = store.export(SESSION, TENANT)
    assert [line.record.turn for line in found.log if line.record] == list(range(1, 26))
    assert [line.registered for line in found.log[:2]] == [("D-1",), ("D-2",)]
    assert (found.log[-1].kind, found.log[-1].withdrawn) == ("withdrawal", ("D-3",))
    assert all(after.previous == before.digest for before, after in pairwise(found.log))
    assert found.state.registry == now.registry and len(found.state.turns) == 25


@clause
def a_deleted_session_is_gone_and_can_begin_anew(store: SessionStore) -> None:
    talk(store, 3)
    other = talk(store, 1, new("harbour-8"))
    store.delete(SESSION, TENANT)
    with pytest.raises(UnknownSessionError):
        store.load(SESSION, TENANT)
    with pytest.raises(UnknownSessionError):
        store.delete(SESSION, TENANT)
    again = say(store, new(), word="price").state
    assert (again.version, len(again.registry.entries)) == (1, 1)
    same(store, again)
    same(store, other)
