"""The seam between a conversation and the place where its sessions live."""

from __future__ import annotations

from types import TracebackType
from typing import Protocol

from .state import Committed, QueuedReview, SessionExport, SessionState, TurnRecord

RECENT_TURNS = 20
"""Turns that a loaded state carries unless it is told otherwise."""


class SessionStore(Protocol):
    """Keeps sessions. `MemoryStore` and `SqlStore` are held to one conformance suite; yours can be too.

    A commit is one transaction: turn, registry, ledger, exclusions and review items are all there or none is, and when
    `commit` has returned, the turn survives the death of the process (`SqlStore`: of the machine). Of two writers that
    loaded the same version one gets `VersionConflictError`; sessions never fork. The cost of a commit does not depend
    on the number of turns. All methods may be called from any thread.

    The caller decides who may do what; the store only keeps tenants apart. Every method raises `MalformedIdError` for
    an id that is none, `UnknownSessionError` for one that is not stored (its subclass `WrongTenantError` when it is
    another tenant's), `CorruptSessionError` when what is stored is not what was committed, and `StoreUnavailableError`,
    which names the remedy, when the store is locked, full, read-only or away; then nothing was changed, and committed
    turns are kept.
    """

    def load(self, session_id: str, tenant: str = "default", *, recent: int = RECENT_TURNS) -> SessionState:
        """Return the session with its `recent` newest turns, their digests verified."""
        ...

    def commit(
        self, *, expected_version: int, turn: TurnRecord, state: SessionState, idempotency_key: str | None = None
    ) -> Committed:
        """Append a turn and replace the state.

        `expected_version` is that of the state the turn started from; 0 makes the session. `state` says whose session
        it is and what holds after the turn; its `version`, `turn` and `turns` are the store's business and not read.
        A key that was committed before gives back that turn, whatever else is passed, and changes nothing.

        Raises:
            VersionConflictError: The session has another version by now.
            InvalidStateError: The state drops, renames or rewords what is kept for ever, or the turn has the wrong
                number.
        """
        ...

    def committed(self, session_id: str, tenant: str = "default", *, idempotency_key: str) -> TurnRecord | None:
        """Return the turn that was committed under a key, or None: to be asked before any LM is."""
        ...

    def branch(
        self, session_id: str, turn: int, tenant: str = "default", *, new_session_id: str | None = None
    ) -> SessionState:
        """Start a new session from the state after a turn. What was withdrawn since then is withdrawn there too."""
        ...

    def withdraw(self, session_id: str, doc_id: str, tenant: str = "default") -> SessionState:
        """Mark a registered source as withdrawn: its id stays taken, its text is no evidence any more.

        Raises:
            InvalidStateError: The session has no such source.
        """
        ...

    def reviews(self, tenant: str = "default") -> list[QueuedReview]:
        """Return the open review items of all sessions of a tenant, by session and in the order they were raised."""
        ...

    def resolve_review(
        self,
        session_id: str,
        review_id: str,
        resolution: str,
        tenant: str = "default",
        *,
        expected_version: int | None = None,
    ) -> SessionState:
        """Mark a review item as resolved, with what was decided: a line of the log, in the digest chain.

        The item stands in the state, resolved, until the next turn is committed. To resolve it again in the same words
        changes nothing.

        Args:
            session_id: The session that raised it.
            review_id: The item.
            resolution: What the person decided; any text that is not blank.
            tenant: Whose session it is.
            expected_version: The version at which the person looked at it; None resolves it at any.

        Raises:
            VersionConflictError: The session has another version by now.
            InvalidStateError: No such item is open, it was resolved otherwise, or the resolution is blank.
        """
        ...

    def export(self, session_id: str, tenant: str = "default") -> SessionExport:
        """Return all that is stored of a session, verified from the first turn on."""
        ...

    def delete(self, session_id: str, tenant: str = "default") -> None:
        """Delete a session and all its texts. Damaged turns do not stop it."""
        ...

    def close(self) -> None:
        """Give back connections; the store cannot be used afterwards. The end of a `with` block does it too."""
        ...

    def __enter__(self) -> SessionStore:
        """Return the store."""
        ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        ...
