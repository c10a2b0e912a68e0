"""carry_forward: what it takes and gives (design section 7)."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .types import Frozen, GuardedResult, OpenQuestion

Status = Literal["ANSWERED", "UNANSWERED", "PARTIAL"]


class CurrentAnswer(Frozen):
    """The answer to what the user asks in this turn.

    Attributes:
        text: With its markers; when the question stays unanswered, the abstention of section 6, or null where nobody
            has read the evidence for it, or it is not to be surfaced.
        citations: Ids cited, none when it stays unanswered.
        status: "PARTIAL" when a part of the question stays open, which then enters the ledger.
    """

    text: str | None = None
    citations: tuple[str, ...] = ()
    status: Status


class ResolvedQuestion(Frozen):
    """A pending question that this turn's evidence answers; it leaves the ledger for good.

    Attributes:
        question: The user's words, verbatim.
        answer: With its markers.
        citations: Ids of the evidence, at least one.
    """

    question: str
    answer: str
    citations: tuple[str, ...] = ()


class UnresolvedQuestion(Frozen):
    """A question that is open after this turn.

    Attributes:
        question_id: The server's; a prediction may leave it out.
        question: The user's words, verbatim.
        missing_evidence: What would have to be found.
        first_asked_turn: Turn in which it entered, from 1; a prediction may leave it out.
        attempts: 1 when it enters, one more each turn it is carried; a prediction may leave it out.
    """

    question_id: str | None = None
    question: str
    missing_evidence: str = ""
    first_asked_turn: int | None = None
    attempts: int | None = None


class CarriedForward(Frozen):
    """A prediction of the behaviour, as a program makes it and as a row of `turnkeeper check` gives it.

    Attributes:
        current_answer: Of the question of this turn.
        resolved_questions: Pending questions that are answered now.
        updated_unresolved_questions: Every other pending one, and the question of this turn if it stays open.
    """

    current_answer: CurrentAnswer
    resolved_questions: tuple[ResolvedQuestion, ...] = ()
    updated_unresolved_questions: tuple[UnresolvedQuestion, ...] = ()


class LedgerPolicy(Frozen):
    """When a person has to look at the ledger.

    Attributes:
        review_open: Questions open from which on review is raised; those given up are not counted.
        review_age: Age in turns (turn - first_asked_turn) beyond which one question raises it.
        max_attempts: Attempts after which a question counts as unresolvable and goes to review; null for never.
        near_duplicates: Whether a question that repeats an open one in nearly the same words merges with it; without
            it only an exact match does. Needs the extra `near-duplicates`.
    """

    review_open: int = Field(default=5, ge=1)
    review_age: int = Field(default=3, ge=0)
    max_attempts: int | None = Field(default=None, ge=1)
    near_duplicates: bool = False


class CarryForwardResult(GuardedResult):
    """What the application gets.

    Attributes:
        ledger: The state to store with this turn; byte-identical to the one before when the turn failed.
        human_review: Whether a person has to look at that ledger: a state, true until it ends.
    """

    current_answer: CurrentAnswer
    resolved_questions: tuple[ResolvedQuestion, ...] = ()
    updated_unresolved_questions: tuple[UnresolvedQuestion, ...] = ()
    ledger: tuple[OpenQuestion, ...] = ()
    human_review: bool = False
