"""What a session holds, and what the store gives back: frozen models, replaced and never changed in place."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ..signatures.types import CitationRegistry, Exclusion, Frozen, Notice, OpenQuestion

TurnStatus = Literal["ANSWERED", "UNANSWERED", "PARTIAL"]


class TurnRecord(Frozen):
    """One turn as it was answered; stored once, never changed.

    Attributes:
        turn: Number of the turn, from 1, one more than the turn before.
        kind: What the turn was (`question`, `social`, `about_answer`, `about_sources`, `about_ledger`).
        query: The user's words.
        standalone_query: The same, for searching.
        answer: What was shown, with its markers and its Sources section.
        status: Whether the question was answered.
        cited: Ids cited, in the order of the answer.
        new_citations: Those that this turn registered.
        reused_citations: Those that were registered before.
        resolved: Ids of open questions that this turn answered: these alone may leave the ledger.
        warnings: What the application was told.
        details: What else the application keeps of the turn, as JSON can hold it.
    """

    turn: int
    kind: str = "question"
    query: str = ""
    standalone_query: str = ""
    answer: str = ""
    status: TurnStatus = "ANSWERED"
    cited: tuple[str, ...] = ()
    new_citations: tuple[str, ...] = ()
    reused_citations: tuple[str, ...] = ()
    resolved: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    details: dict[str, Any] = Field(default_factory=dict)


class ReviewItem(Frozen):
    """Something that a person must look at; it leaves the queue only when it is marked as resolved.

    What `resolve_review` resolved stands in the state until the next turn is committed, which sees what was decided.

    Attributes:
        review_id: The server's id.
        turn: Turn that raised it.
        reason: Code of the reason (`unanswered`, `ambiguous_reference`, `citation_unverified`, ...).
        text: What the person is shown.
        status: "resolved" once a person has decided.
        resolution: What was decided.
    """

    review_id: str
    turn: int = 0
    reason: str = ""
    text: str = ""
    status: Literal["open", "resolved"] = "open"
    resolution: str = ""


class SessionState(Frozen):
    """What a session owes to its turns so far. A new one, of version 0, stands in no store yet.

    Attributes:
        session_id: Id that the application gave.
        tenant: Who owns it; server-derived.
        version: Commits so far: what `commit` compares and swaps.
        turn: Number of the last turn.
        registry: Sources and how they are cited.
        ledger: Questions that are still open, in the order they were asked.
        exclusions: What the user ruled out.
        reviews: Items that wait for a person.
        turns: The newest turns, oldest first; the store reads as many as `load` asks for.
        parent: The session that this one branched from, or an empty text.
        parent_turn: The turn after which it did.
    """

    session_id: str
    tenant: str = "default"
    version: int = 0
    turn: int = 0
    registry: CitationRegistry = CitationRegistry()
    ledger: tuple[OpenQuestion, ...] = ()
    exclusions: tuple[Exclusion, ...] = ()
    reviews: tuple[ReviewItem, ...] = ()
    turns: tuple[TurnRecord, ...] = ()
    parent: str = ""
    parent_turn: int = 0


class QueuedReview(Frozen):
    """A review item as the queue of a tenant gives it.

    Attributes:
        session_id: The session that raised it.
        version: Of the session: what `resolve_review` can compare and swap.
        item: The item.
    """

    session_id: str
    version: int
    item: ReviewItem


class Committed(Frozen):
    """What a commit gives back.

    Attributes:
        state: The session as it stands now.
        turn: The turn that was committed: this one, or the earlier one with the same idempotency key.
        replayed: Whether it was the earlier one, so that nothing was changed.
    """

    state: SessionState
    turn: TurnRecord
    replayed: bool = False


class StoredRevision(Frozen):
    """One line of a session's log: a turn, or a change between turns.

    Attributes:
        version: The version it made.
        turn: The turn it is, or the one it came after.
        kind: "turn", "withdrawal", "review" for the resolution of an item, or "branch" for what a new branch took over
            from later turns of its parent.
        record: The turn; null for a change between turns.
        registered: Ids that it registered.
        withdrawn: Ids that it marked as withdrawn.
        reviews: Review items that it raised or resolved, as they stood then.
        idempotency_key: The key it was committed under.
        previous: Digest of the line before.
        digest: Digest of this line and of all before it.
    """

    version: int
    turn: int
    kind: str
    record: TurnRecord | None = None
    registered: tuple[str, ...] = ()
    withdrawn: tuple[str, ...] = ()
    reviews: tuple[ReviewItem, ...] = ()
    idempotency_key: str | None = None
    previous: str
    digest: str


class SessionExport(Frozen):
    """All that is stored of a session, verified from its first turn on."""

    state: SessionState
    log: tuple[StoredRevision, ...]
