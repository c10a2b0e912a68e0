"""No id, key or filter reaches the database as anything but a value."""

from __future__ import annotations

import pytest

from .building import SESSION, TENANT, talk
from .hostile_ids import accept, attack, hostile, schema


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_no_text_changes_the_schema_or_another_session(kind: str, request: pytest.FixtureRequest) -> None:
    store = request.getfixturevalue(kind)
    state, before = talk(store, 2), schema(store)
    for text in hostile(40):
        assert attack(store, text) == 9
    assert store.load(SESSION, TENANT) == state
    for text in hostile(12):
        done = accept(store, text)
        assert (done is None) == ("\ud800" in text)
        if done:
            assert store.load(SESSION, TENANT) == done.state
    assert schema(store) == before
