"""A session store that does everything wrong: each clause of the conformance suite must notice."""

from __future__ import annotations

from types import TracebackType

from turnkeeper.sessions import (
    Committed,
    QueuedReview,
    ReviewItem,
    SessionExport,
    SessionState,
    StoredRevision,
    TurnRecord,
)


class BrokenStore:
    """Takes what it is given, loses some of it, and never objects."""

    def __init__(self) -> None:
        self.state = SessionState(session_id="any", version=3, turn=1)

    def load(self, session_id: str, tenant: str = "default", *, recent: int = 20) -> SessionState:
        return self.state.model_copy(update={"version": self.state.version + 1})

    def commit(
        self, *, expected_version: int, turn: TurnRecord, state: SessionState, idempotency_key: str | None = None
    ) -> Committed:
        entries = state.registry.entries[:-1]
        registry = state.registry.model_copy(update={"entries": entries})
        changed = {"version": expected_version + 1, "turn": turn.turn + 1, "turns": (turn, turn), "registry": registry}
        self.state = state.model_copy(update={**changed, "ledger": state.ledger[:1], "reviews": state.reviews * 2})
        return Committed(state=self.state, turn=turn.model_copy(update={"turn": 9}), replayed=True)

    def committed(self, session_id: str, tenant: str = "default", *, idempotency_key: str) -> TurnRecord | None:
        return TurnRecord(turn=9)

    def branch(
        self, session_id: str, turn: int, tenant: str = "default", *, new_session_id: str | None = None
    ) -> SessionState:
        return self.state

    def withdraw(self, session_id: str, doc_id: str, tenant: str = "default") -> SessionState:
        return self.state

    def reviews(self, tenant: str = "default") -> list[QueuedReview]:
        return [QueuedReview(session_id="any", version=1, item=ReviewItem(review_id="r9", status="resolved"))]

    def resolve_review(
        self,
        session_id: str,
        review_id: str,
        resolution: str,
        tenant: str = "default",
        *,
        expected_version: int | None = None,
    ) -> SessionState:
        return self.state

    def export(self, session_id: str, tenant: str = "default") -> SessionExport:
        line = StoredRevision(version=1, turn=2, kind="turn", previous="a", digest="b")
        return SessionExport(state=self.state, log=(line, line))

    def delete(self, session_id: str, tenant: str = "default") -> None:
        pass

    def close(self) -> None:
        pass

    def __enter__(self) -> BrokenStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass
