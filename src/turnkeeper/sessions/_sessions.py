"""What a session store does, over rows wherever they are: both stores are this with another backend."""

from __future__ import annotations

import uuid
from types import TracebackType
from typing import TypeVar

from ..errors import InvalidStateError, VersionConflictError
from . import _rules
from ._chain import GENESIS, Head
from ._difference import changed, difference, with_review
from ._identifiers import checked
from ._items import Snapshot, empty, same_id
from ._reading import exported, found, owned, read, record_of, replayed, whole
from ._recent import Recent
from ._rows import Backend, Rows
from ._writing import conflict, copied, unused, without, write
from .state import Committed, QueuedReview, ReviewItem, SessionExport, SessionState, TurnRecord
from .store import RECENT_TURNS

Self = TypeVar("Self", bound="Sessions")


class Sessions:
    """See `SessionStore` for what the methods promise."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._recent = Recent()

    def load(self, session_id: str, tenant: str = "default", *, recent: int = RECENT_TURNS) -> SessionState:
        """Return the session with its `recent` newest turns; see `SessionStore`."""
        _check_names(session_id, tenant)
        with self._backend.reading() as rows:
            snapshot = read(rows, owned(rows, session_id, tenant), recent)
        self._recent.keep(snapshot)
        return snapshot.state

    def commit(
        self, *, expected_version: int, turn: TurnRecord, state: SessionState, idempotency_key: str | None = None
    ) -> Committed:
        """Append a turn and replace the state; see `SessionStore`."""
        _check_names(state.session_id, state.tenant, idempotency_key)
        try:
            return self._commit(expected_version, turn, state, idempotency_key)
        except VersionConflictError:
            if idempotency_key is None:
                raise
        # It may be the same turn that was first: two writers that make a session see no head to wait for.
        return self._commit(expected_version, turn, state, idempotency_key)

    def committed(self, session_id: str, tenant: str = "default", *, idempotency_key: str) -> TurnRecord | None:
        """Return the turn that was committed under a key, or None; see `SessionStore`."""
        _check_names(session_id, tenant, idempotency_key)
        with self._backend.reading() as rows:
            head = found(rows, session_id, tenant)
            done = rows.revision_of(session_id, idempotency_key) if head else None
            return record_of(head, done) if head and done else None

    def branch(
        self, session_id: str, turn: int, tenant: str = "default", *, new_session_id: str | None = None
    ) -> SessionState:
        """Start a new session from the state after a turn; see `SessionStore`."""
        name = uuid.uuid4().hex if new_session_id is None else new_session_id
        _check_names(session_id, tenant)
        checked("new session id", name)
        with self._backend.writing() as rows:
            head, log = whole(rows, session_id, tenant)
            if not 1 <= turn <= head.turn:
                raise InvalidStateError(f"session {session_id}: turn {turn} is none of its turns 1 to {head.turn}")
            if rows.head(name) or rows.remains(name):
                raise InvalidStateError(f"session {name} exists already; branch into another id")
            registry = replayed(head, log).state.registry
            withdrawn = {same_id(entry.doc_id) for entry in registry.entries if entry.withdrawn}
            start = Head(name, tenant, 0, 0, None, GENESIS, session_id, turn)
            snapshot = copied(rows, start, [line for line in log if line.turn <= turn])
            state = snapshot.state.model_copy(update={"registry": without(snapshot.state.registry, withdrawn)})
            change, after = difference(snapshot, state, changed(snapshot, state.registry.entries))
            if change.put:
                snapshot = write(rows, snapshot, change, after, kind="branch")
            snapshot = read(rows, owned(rows, name, tenant), RECENT_TURNS)
        self._recent.keep(snapshot)
        return snapshot.state

    def withdraw(self, session_id: str, doc_id: str, tenant: str = "default") -> SessionState:
        """Mark a registered source as withdrawn; see `SessionStore`."""
        _check_names(session_id, tenant)
        with self._backend.writing() as rows:
            base = read(rows, owned(rows, session_id, tenant), RECENT_TURNS)
            if same_id(doc_id) not in base.held["registry"]:
                raise InvalidStateError(f"session {session_id}: no source {doc_id[:80]!r} is registered")
            state = base.state.model_copy(update={"registry": without(base.state.registry, {same_id(doc_id)})})
            change, after = difference(base, state, changed(base, state.registry.entries))
            snapshot = write(rows, base, change, after, kind="withdrawal") if change.put else base
        self._recent.keep(snapshot)
        return snapshot.state

    def reviews(self, tenant: str = "default") -> list[QueuedReview]:
        """Return the open review items of all sessions of a tenant; see `SessionStore`."""
        checked("tenant", tenant)
        with self._backend.reading() as rows:
            states = [read(rows, owned(rows, name, tenant), 0).state for name in rows.holding(tenant, "reviews")]
        return [
            QueuedReview(session_id=state.session_id, version=state.version, item=item)
            for state in states
            for item in state.reviews
            if item.status == "open"
        ]

    def resolve_review(
        self,
        session_id: str,
        review_id: str,
        resolution: str,
        tenant: str = "default",
        *,
        expected_version: int | None = None,
    ) -> SessionState:
        """Mark a review item as resolved; see `SessionStore`."""
        _check_names(session_id, tenant)
        if not resolution.strip():
            raise InvalidStateError(f"session {session_id}: a resolution says what was decided; it must not be blank")
        with self._backend.writing() as rows:
            base = read(rows, owned(rows, session_id, tenant), RECENT_TURNS)
            if expected_version is not None and base.state.version != expected_version:
                raise conflict(session_id, expected_version, base.state.version)
            snapshot = base
            if resolved := _resolved(base.state, review_id, resolution):
                change, after = with_review(base, resolved)
                snapshot = write(rows, base, change, after, kind="review")
        self._recent.keep(snapshot)
        return snapshot.state

    def export(self, session_id: str, tenant: str = "default") -> SessionExport:
        """Return all that is stored of a session; see `SessionStore`."""
        _check_names(session_id, tenant)
        with self._backend.reading() as rows:
            head, log = whole(rows, session_id, tenant)
            return exported(head, log, read(rows, head, head.version).state)

    def delete(self, session_id: str, tenant: str = "default") -> None:
        """Delete a session and all its texts; see `SessionStore`."""
        _check_names(session_id, tenant)
        with self._backend.writing() as rows:
            owned(rows, session_id, tenant)
            rows.forget(session_id)
        self._recent.drop(session_id)

    def close(self) -> None:
        """Give back what is held."""
        self._backend.close()

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _commit(self, expected_version: int, turn: TurnRecord, state: SessionState, key: str | None) -> Committed:
        with self._backend.writing() as rows:
            head = found(rows, state.session_id, state.tenant)
            done = rows.revision_of(state.session_id, key) if head and key else None
            if head and done:
                stored = read(rows, head, RECENT_TURNS).state
                return Committed(state=stored, turn=record_of(head, done), replayed=True)
            stored_version = head.version if head else 0
            if stored_version != expected_version:
                raise conflict(state.session_id, expected_version, stored_version)
            base = self._base(rows, head) if head else empty(state)
            places = changed(base, state.registry.entries)
            _rules.check(base, state, turn, places)
            change, after = difference(base, state, places)
            unused(rows, base, change)
            snapshot = write(rows, base, change, after, turn=turn, key=key)
        self._recent.keep(snapshot)
        return Committed(state=snapshot.state, turn=turn)

    def _base(self, rows: Rows, head: Head) -> Snapshot:
        return self._recent.of(head.session_id, head.digest) or read(rows, head, RECENT_TURNS)


def _check_names(session_id: object, tenant: object, key: object = None) -> None:
    checked("session id", session_id)
    checked("tenant", tenant)
    if key is not None:
        checked("idempotency key", key)


def _resolved(state: SessionState, review_id: str, resolution: str) -> ReviewItem | None:
    """Return a review item as it stands once resolved, None when it does already."""
    found = next((item for item in state.reviews if item.review_id == review_id), None)
    if found is None:
        raise InvalidStateError(f"session {state.session_id}: no review item {review_id[:80]!r} is open")
    if found.status == "open":
        return found.model_copy(update={"status": "resolved", "resolution": resolution})
    if found.resolution != resolution:
        raise InvalidStateError(
            f"session {state.session_id}: the review item {review_id[:80]!r} was resolved otherwise"
        )
    return None
