"""One suite over memory, SQLite and PostgreSQL; and a broken store, which every clause must find out."""

from __future__ import annotations

import pytest

from turnkeeper.sessions import SessionStore

from .broken import BrokenStore
from .conformance import CLAUSES, Clause


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.__name__)
def test_the_store_keeps_the_contract(clause: Clause, store: SessionStore) -> None:
    clause(store)


@pytest.mark.parametrize("clause", CLAUSES, ids=lambda clause: clause.__name__)
def test_a_broken_store_fails_every_clause(clause: Clause) -> None:
    with pytest.raises((AssertionError, pytest.fail.Exception)):
        clause(BrokenStore())
