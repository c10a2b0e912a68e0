"""Which departures `drift` names, and at which turn."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.sessions import MemoryStore
from turnkeeper.sessions.drift import drift

from .building import SESSION, TENANT, new, record, source, talk, with_sources


def session(**second: Any) -> MemoryStore:
    """A session whose second turn is as given."""
    store = MemoryStore()
    state = talk(store, 1)
    after = with_sources(state, source("D-2", 2))
    store.commit(expected_version=1, turn=record(2).model_copy(update=second), state=after)
    return store


def test_a_session_that_kept_its_ids_has_none() -> None:
    store = MemoryStore()
    talk(store, 8)
    assert drift(store.export(SESSION, TENANT)) == []


@pytest.mark.parametrize(
    ("second", "code", "what"),
    [
        ({"answer": "It is closed [1]."}, "convention_drift", "[1]"),
        ({"answer": "It is closed [Source: D-7]."}, "fabricated_id", "D-7"),
        ({"answer": "It is closed.", "cited": ("D-8",)}, "fabricated_id", "D-8"),
        ({"new_citations": ("D-1", "D-2")}, "new_reused_misclassified", "D-1"),
        ({"reused_citations": ("D-1", "D-2")}, "new_reused_misclassified", "D-2"),
    ],
)
def test_each_departure_is_named_with_its_turn(second: dict[str, Any], code: str, what: str) -> None:
    found = drift(session(**second).export(SESSION, TENANT))
    assert (2, code, what) in found
    assert {one.turn for one in found} == {2}


def test_a_source_registered_later_does_not_excuse_an_earlier_turn() -> None:
    store = MemoryStore()
    state = store.commit(expected_version=0, turn=record(1).model_copy(update={"cited": ("D-2",)}), state=new()).state
    talk(store, 1, state)
    assert (1, "fabricated_id", "D-2") in drift(store.export(SESSION, TENANT))
