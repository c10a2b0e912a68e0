"""The list that the clauses of the conformance suite enter, and what many of them ask."""

from __future__ import annotations

from collections.abc import Callable

from turnkeeper.sessions import SessionState, SessionStore

Clause = Callable[[SessionStore], None]
CLAUSES: list[Clause] = []


def clause(function: Clause) -> Clause:
    """Enter a clause: a function that is given a fresh store."""
    CLAUSES.append(function)
    return function


def same(store: SessionStore, state: SessionState) -> None:
    """The store holds this state, and no other."""
    assert store.load(state.session_id, state.tenant) == state
