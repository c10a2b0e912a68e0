"""What a turn of a conversation gives back."""

from __future__ import annotations

from pydantic import Field

from ..sessions.state import TurnStatus
from ..signatures.cite import Source
from ..signatures.reformulate import Action
from ..signatures.types import Frozen, Notice, Violation


class OpenEntry(Frozen):
    """A question that is still open after the turn; the wording is the user's.

    Attributes:
        question_id: The server's id.
        question: Verbatim.
        missing_evidence: What is still needed.
        first_asked_turn: Turn in which it was asked, from 1.
        attempts: 1 when it entered, one more for each turn it was carried.
        status: "pending", or "unresolvable" once the policy has given it up.
    """

    question_id: str
    question: str
    missing_evidence: str = ""
    first_asked_turn: int = 1
    attempts: int = 1
    status: str = "pending"


class ResolvedEntry(Frozen):
    """An earlier question that this turn answered."""

    question: str
    answer: str
    citations: tuple[str, ...] = ()
    question_id: str = ""


class StepReport(Frozen):
    """What one step of the turn cost.

    Attributes:
        name: reformulate, expand, retrieve, retrieve_open, cite, carry_forward, commit.
        latency_ms: Wall time.
        calls: LM calls, retries included.
        prompt_tokens: Tokens sent.
        completion_tokens: Tokens received.
        reused_tokens: Of those sent, how many the LM still had.
        fallback: Whether the step gave its fallback.
        program: Artifact id of the step's program, or "".
    """

    name: str
    latency_ms: float = 0.0
    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    reused_tokens: int = 0
    fallback: bool = False
    program: str = ""


class ConversationTurn(Frozen):
    """One turn, answered and committed.

    Attributes:
        session_id: The session.
        turn: Number of the turn, from 1.
        kind: `question`, `social`, `about_answer`, `about_sources` or `about_ledger`.
        query: The user's words.
        standalone_query: What was searched; for traces, not to be shown to the user.
        action: What reformulate did.
        negation_constraints: Phrases that are ruled out after this turn.
        expansion_terms: What expand added to the search.
        answer: The text to show, with markers and one Sources section.
        status: Whether the question was answered.
        sources: The Sources section as data.
        cited: Ids cited, in the order of the answer.
        new_citations: Those that this turn registered.
        reused_citations: Those that were registered before.
        resolved_questions: Earlier questions that this turn answered.
        open_questions: What is open after the turn.
        registry: Registered ids after the turn.
        found: Ids of the passages that were offered as evidence; null when the retrieval failed.
        dropped: Ids of passages that asserted what the user had ruled out.
        human_review: Whether something of this session waits for a person.
        reviews: Ids of the review items that this turn raised.
        violations: What the last attempt of a fallen-back step had broken.
        warnings: What the application should know; the codes are the steps' own.
        fallback: Whether any step gave its fallback.
        lm_calls: LM calls of the turn, retries included.
        latency_ms: Wall time of the turn.
        steps: What each step cost.
        replayed: Whether the idempotency key was known and the turn is the one committed then.
    """

    session_id: str
    turn: int
    kind: str = "question"
    query: str
    standalone_query: str = ""
    action: Action = "unchanged"
    negation_constraints: tuple[str, ...] = ()
    expansion_terms: tuple[str, ...] = ()
    answer: str = ""
    status: TurnStatus = "ANSWERED"
    sources: tuple[Source, ...] = ()
    cited: tuple[str, ...] = ()
    new_citations: tuple[str, ...] = ()
    reused_citations: tuple[str, ...] = ()
    resolved_questions: tuple[ResolvedEntry, ...] = ()
    open_questions: tuple[OpenEntry, ...] = ()
    registry: tuple[str, ...] = ()
    found: tuple[str, ...] | None = ()
    dropped: tuple[str, ...] = ()
    human_review: bool = False
    reviews: tuple[str, ...] = ()
    violations: tuple[Violation, ...] = ()
    warnings: tuple[Notice, ...] = ()
    fallback: bool = False
    lm_calls: int = 0
    latency_ms: float = Field(default=0.0, ge=0.0)
    steps: tuple[StepReport, ...] = ()
    replayed: bool = False
