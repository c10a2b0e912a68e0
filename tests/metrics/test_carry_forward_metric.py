"""carry_forward: what the metric pays and what it does not, on golden rows and on one small row."""

from __future__ import annotations

from typing import Any

import pytest

from turnkeeper.data import carry_forward as data
from turnkeeper.metrics.carry_forward_metric import COMPONENTS, GOOD, WEIGHTS, golden_row, metric, score_components

KILN, RENT, PIT = "When is kiln 4 fired?", "Who pays the rent?", "How deep is the pit?"
GOLD: dict[str, Any] = {
    "current_answer": {"text": "The pit is 9 m deep [Source: P-1].", "citations": ["P-1"], "status": "ANSWERED"},
    "resolved_questions": [{"question": KILN, "answer": "On 12 October [Source: K-4].", "citations": ["K-4"]}],
    "updated_unresolved_questions": [
        {"question_id": "b", "question": RENT, "missing_evidence": "the lease", "first_asked_turn": 2, "attempts": 2}
    ],
    "pending": [
        {"question": KILN, "decision": "resolved", "must_cite": ["K-4"], "may_cite": ["K-4"], "facts": ["12 October"]},
        {"question": RENT, "decision": "carried", "missing_words": ["lease", "rent"]},
    ],
    "current": {"must_cite": ["P-1"], "may_cite": ["P-1"], "facts": ["9 m"]},
}
ROW = golden_row(
    {
        "id": "r", "kind": "late_evidence", "domain": "pottery", "language": "en", "family": "f", "turn": 3,
        "history": [],
        "ledger": [
            {"question_id": "a", "question": KILN, "missing_evidence": "a plan", "first_asked_turn": 1, "attempts": 2},
            {"question_id": "b", "question": RENT, "missing_evidence": "a lease", "first_asked_turn": 2, "attempts": 1},
        ],
        "question": PIT,
        "context": [
            {"doc_id": "K-4", "title": "Plan", "text": "Kiln 4 is fired on 12 October."},
            {"doc_id": "P-1", "title": "Pit", "text": "The pit is 9 m deep."},
        ],
        "gold": GOLD,
    }
)  # fmt: skip
RIGHT = {name: GOLD[name] for name in ("current_answer", "resolved_questions", "updated_unresolved_questions")}
CARRY_ALL = {
    **RIGHT,
    "resolved_questions": [],
    "updated_unresolved_questions": [
        {"question": KILN, "missing_evidence": "a plan"},
        {"question": RENT, "missing_evidence": "the lease"},
    ],
}


def test_the_gold_is_worth_everything() -> None:
    told = score_components(ROW, RIGHT)
    assert (told.score, told.feedback, told.violations) == (1.0, "Right.", ())
    assert set(told.parts()) == set(COMPONENTS) and abs(sum(WEIGHTS.values()) - 1.0) < 1e-9


def test_every_golden_row_is() -> None:
    rows = [row for split in data.SPLITS for row in data.load(split)]
    low = [row.id for row in rows if score_components(row, row.gold.model_dump(mode="json")).score < 1.0]
    assert low == []


def test_a_dropped_question_is_worth_nothing() -> None:
    told = score_components(ROW, {**RIGHT, "updated_unresolved_questions": []})
    assert told.score == 0.0 and told.ledger == 0.0 and "silently_dropped" in told.violations


@pytest.mark.parametrize("prediction", [None, "text", {}, {"current_answer": 3}, object()])
def test_a_malformed_prediction_is_worth_nothing(prediction: Any) -> None:
    assert score_components(ROW, prediction).score == 0.0


def test_carrying_everything_is_not_good() -> None:
    told = score_components(ROW, CARRY_ALL)
    assert told.recall == 0.0 and told.precision == 1.0 and told.decisions == 0.0 and told.score < GOOD
    assert "12 October" in told.feedback


def test_a_resolution_too_many_costs_precision() -> None:
    many = [*GOLD["resolved_questions"], {"question": RENT, "answer": "On 12 October.", "citations": ["K-4"]}]
    told = score_components(ROW, {**RIGHT, "resolved_questions": many, "updated_unresolved_questions": []})
    assert told.precision == 0.5 and told.recall == 1.0 and told.grounded == 0.0 and told.score < GOOD


def test_a_fact_that_is_not_told() -> None:
    vague = [{"question": KILN, "answer": "In October [Source: K-4].", "citations": ["K-4"]}]
    told = score_components(ROW, {**RIGHT, "resolved_questions": vague})
    assert told.answers == 0.0 and told.decisions == 1.0 and GOOD < told.score < 1.0


def test_words_that_say_nothing_of_what_is_missing() -> None:
    rows = [{"question": RENT, "missing_evidence": "something"}]
    told = score_components(ROW, {**RIGHT, "updated_unresolved_questions": rows})
    assert told.missing == 0.0 and told.score == pytest.approx(1.0 - WEIGHTS["missing"])


def test_the_current_question_left_open() -> None:
    current = {"text": None, "citations": [], "status": "UNANSWERED"}
    rows = [*GOLD["updated_unresolved_questions"], {"question": PIT, "missing_evidence": "the depth"}]
    told = score_components(ROW, {**RIGHT, "current_answer": current, "updated_unresolved_questions": rows})
    assert told.current == 0.0 and told.score == pytest.approx(1.0 - WEIGHTS["current"])


def test_optimizers_get_a_score_and_words_whatever_the_trace() -> None:
    one, other = metric(ROW, RIGHT), metric(ROW, RIGHT, trace=[1], pred_name="x", pred_trace=[])
    assert one.score == other.score == 1.0 and one.feedback == "Right." and one.components["recall"] == 1.0


def test_a_row_that_is_none_is_an_error() -> None:
    with pytest.raises(ValueError, match="ledger"):
        metric({**ROW.model_dump(mode="json"), "ledger": 3}, RIGHT)
