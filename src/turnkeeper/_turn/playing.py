"""A conversation from a row: its turns are taken one by one, and its events change what there is between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..data.conversation import AddDoc, Branch, ConversationRow, FillerTurns, RemoveDoc, UserTurn
from ..errors import InvalidStateError, UnknownSessionError
from ..metrics._ledger import after_failure
from ..modules._carry_forward_alerts import alerts
from ..retrieval import Fts5Retriever
from ..sessions import SessionState, TurnRecord
from ..signatures.types import Notice, Passage
from .result import ConversationTurn
from .reviewing import queued

FILLED = "That is not in the documents."
"""What a filler turn was answered."""


class Player:
    """Plays a row on a conversation.

    Args:
        talk: A `turnkeeper.Conversation`; its store may be one that forgets.
        row: The row.
        session_id: Of the session that it starts.
    """

    def __init__(self, talk: Any, row: ConversationRow, session_id: str) -> None:
        self._talk, self._row = talk, row
        self._notices, self._reviews = tuple[Notice, ...](), tuple[str, ...]()  # of fillers since the last user turn
        self._session, self._branches = session_id, 0
        later = {step.doc_id for step in row.turns if isinstance(step, AddDoc)}
        self._index = Fts5Retriever()
        self._index.add(p for p in row.passages if p.doc_id not in later)
        self._removed: set[str] = set()
        self._numbers = [0]  # the session's turn after each user turn of the row

    def play(self) -> Iterator[ConversationTurn]:
        """Yield the result of each user turn, as it is taken; what fillers before it raised is told with it."""
        for number, step in enumerate(self._row.turns, start=1):
            if isinstance(step, UserTurn):
                result = self._take(step, f"{self._session}:{number}")
                self._numbers.append(result.turn)
                yield result
            else:
                self._happen(step)

    def _take(self, step: UserTurn, key: str) -> ConversationTurn:
        if step.searches:
            passages: Any = self._index
        else:
            passages = None if step.docs is None else self._named(step.docs)
        result: ConversationTurn = self._talk.turn(
            self._session,
            step.user,
            step.access_scope or self._row.access_scope,
            idempotency_key=key,
            given_answer=step.given_assistant,
            metadata_filters=self._row.metadata_filters,
            passages=passages,
        )
        told = {"warnings": (*self._notices, *result.warnings), "reviews": (*self._reviews, *result.reviews)}
        self._notices = self._reviews = ()
        return result.model_copy(update=told)

    def _named(self, docs: tuple[str, ...]) -> list[Passage]:
        there = [doc_id for doc_id in dict.fromkeys(docs) if doc_id not in self._removed]
        return [p for doc_id in there for p in self._row.passages if p.doc_id == doc_id]

    def _happen(self, event: AddDoc | RemoveDoc | FillerTurns | Branch) -> None:
        if isinstance(event, AddDoc):
            self._removed.discard(event.doc_id)
            self._index.add(self._named((event.doc_id,)), replace=True)
        elif isinstance(event, RemoveDoc):
            self._removed.add(event.doc_id)
            self._index.delete([event.doc_id])
            self._withdraw(event.doc_id)
        elif isinstance(event, FillerTurns):
            self._fill(event)
        else:
            self._branches += 1
            name = f"{self._session}-b{self._branches}"
            if event.from_turn:
                self._talk.branch(self._session, self._numbers[event.from_turn], new_session_id=name)
            del self._numbers[event.from_turn + 1 :]
            self._session = name
            self._notices = self._reviews = ()

    def _withdraw(self, doc_id: str) -> None:
        try:
            entries = self._talk.state(self._session).registry.entries
            shown = next((e.doc_id for e in entries if doc_id in (e.doc_id, e.source_id)), None)
            if shown is not None:
                self._talk.withdraw(self._session, shown)
        except (InvalidStateError, UnknownSessionError):
            return  # one that was never cited has no entry to withdraw; no later turn is given it

    def _fill(self, event: FillerTurns) -> None:
        store = self._talk.store
        for number in range(1, event.count + 1):
            state = self._state()
            turn, query, policy = state.turn + 1, f"{event.text} ({number})", self._talk.policy
            grown = after_failure(state.ledger, turn=turn, policy=policy)  # older by a turn, and nothing else
            notices = alerts(grown, turn, policy)
            review = queued(state.reviews, notices, turn, query)
            record = TurnRecord(turn=turn, kind="social", query=query, answer=FILLED, warnings=notices)
            store.commit(
                expected_version=state.version, turn=record, state=state.model_copy(update={"reviews": review.items})
            )
            self._notices, self._reviews = (*self._notices, *notices), (*self._reviews, *review.raised)

    def _state(self) -> SessionState:
        try:
            state: SessionState = self._talk.state(self._session)
        except UnknownSessionError:
            return SessionState(session_id=self._session)
        return state


def trace_of(result: ConversationTurn) -> dict[str, Any]:
    """Return a turn as an output row shows it."""
    dumped: Mapping[str, Any] = result.model_dump(mode="json", exclude={"session_id", "replayed"})
    return dict(dumped)
