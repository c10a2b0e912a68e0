"""Small conversations for the stores: what a turn may add to a state."""

from __future__ import annotations

from typing import Any

from turnkeeper.sessions import Committed, SessionState, SessionStore, TurnRecord
from turnkeeper.signatures.types import OpenQuestion, RegisteredSource

SESSION, TENANT = "harbour-7", "nord"


def new(session_id: str = SESSION, tenant: str = TENANT) -> SessionState:
    """A session that no store knows yet."""
    return SessionState(session_id=session_id, tenant=tenant)


def source(doc_id: str, turn: int = 1, **fields: Any) -> RegisteredSource:
    """A source as a turn registers it."""
    fields = {"title": f"About {doc_id}", "snippet": f"{doc_id} says: closed on Mondays.", **fields}
    return RegisteredSource(doc_id=doc_id, first_turn=turn, last_turn=turn, **fields)


def question(question_id: str, turn: int = 1, **fields: Any) -> OpenQuestion:
    """A question that waits for evidence."""
    return OpenQuestion(question_id=question_id, question=f"What of {question_id}?", first_asked_turn=turn, **fields)


def with_sources(state: SessionState, *sources: RegisteredSource, convention: str = "source_tag") -> SessionState:
    """The state with these sources behind its own."""
    entries = (*state.registry.entries, *sources)
    return state.model_copy(
        update={"registry": state.registry.model_copy(update={"convention": convention, "entries": entries})}
    )


def record(turn: int, word: str = "opening hours", **fields: Any) -> TurnRecord:
    """The record of a turn."""
    answer = f"They are posted at the gate [Source: D-{turn}].\n\nSources:\n- D-{turn}: About D-{turn}"
    return TurnRecord(turn=turn, query=f"And the {word}?", answer=answer, cited=(f"D-{turn}",), **fields)


def say(
    store: SessionStore, state: SessionState, *, key: str | None = None, word: str = "opening hours", **fields: Any
) -> Committed:
    """Commit the next turn of a state: it registers `D-<turn>`, unless `to` is the state to commit."""
    turn = state.turn + 1
    after = fields.pop("to", None) or with_sources(state, source(f"D-{turn}", turn))
    return store.commit(
        expected_version=state.version, turn=record(turn, word, **fields), state=after, idempotency_key=key
    )


def talk(store: SessionStore, turns: int, state: SessionState | None = None) -> SessionState:
    """Commit some turns, from a new session on unless told otherwise."""
    state = state or new()
    for _ in range(turns):
        state = say(store, state).state
    return state
