"""Conversations over a small lake: a store that forgets, and a reader in place of an LM."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from turnkeeper.conversation import Conversation
from turnkeeper.sessions import MemoryStore

from .reading import Reader, lm_of

Make = Callable[..., Conversation]


@pytest.fixture
def reader() -> Reader:
    return Reader()


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def make(reader: Reader, store: MemoryStore) -> Make:
    """`make(risk_level="high", ...)` gives a conversation over `store` that `reader` answers."""

    def call(**options: Any) -> Conversation:
        return Conversation(store, **{"lm": lm_of(reader), **options})

    return call


@pytest.fixture
def talk(make: Make) -> Conversation:
    return make()
