"""The public types of carry_forward: the prompt's field names, closed, frozen."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from turnkeeper.signatures.carry_forward import CarriedForward, CarryForwardResult, CurrentAnswer, LedgerPolicy

UNANSWERED = CurrentAnswer(status="UNANSWERED")


def test_the_names_of_the_prompt() -> None:
    result = CarryForwardResult(current_answer=UNANSWERED)
    told = result.model_dump()
    assert {
        "current_answer",
        "resolved_questions",
        "updated_unresolved_questions",
        "ledger",
        "human_review",
    } <= told.keys()
    assert told["current_answer"] == {"text": None, "citations": (), "status": "UNANSWERED"}
    assert result.ok and not result.fallback and result.program == "zero-shot"


def test_a_prediction_may_leave_the_servers_fields_out() -> None:
    rows = [{"question": "Who?", "missing_evidence": "a deed"}]
    given = {"current_answer": {"status": "UNANSWERED"}, "updated_unresolved_questions": rows}
    (row,) = CarriedForward.model_validate(given).updated_unresolved_questions
    assert (row.question_id, row.first_asked_turn, row.attempts) == (None, None, None)


@pytest.mark.parametrize("status", ["answered", "OPEN", "", None])
def test_a_status_that_there_is_not(status: str | None) -> None:
    with pytest.raises(ValidationError):
        CurrentAnswer.model_validate({"status": status})


def test_nothing_else_and_nothing_changed() -> None:
    with pytest.raises(ValidationError):
        CarriedForward.model_validate({"current_answer": {"status": "UNANSWERED"}, "notes": "x"})
    with pytest.raises(ValidationError):
        UNANSWERED.status = "ANSWERED"


@pytest.mark.parametrize("fields", [{"review_open": 0}, {"review_age": -1}, {"max_attempts": 0}])
def test_a_policy_that_cannot_be_meant(fields: dict[str, int]) -> None:
    with pytest.raises(ValidationError):
        LedgerPolicy.model_validate(fields)
