"""The golden set of carry_forward against the checks: every gold passes, and a gold that was damaged does not."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest

from turnkeeper.data._carry_forward_problems import enters, normalized
from turnkeeper.data.carry_forward import SPLITS, GoldenRow, load
from turnkeeper.metrics.carry_forward import check, outcome
from turnkeeper.metrics.carry_forward_metric import score_components
from turnkeeper.signatures.carry_forward import CarriedForward, UnresolvedQuestion

ROWS = {split: load(split) for split in SPLITS}
SEARCHED = [row for rows in ROWS.values() for row in rows if row.context is not None]


def prediction(row: GoldenRow) -> CarriedForward:
    gold = row.gold
    return CarriedForward(
        current_answer=gold.current_answer,
        resolved_questions=gold.resolved_questions,
        updated_unresolved_questions=gold.updated_unresolved_questions,
    )


def codes(row: GoldenRow, predicted: Any) -> set[str]:
    found = check(turn=row.turn, ledger=row.ledger, question=row.question, context=row.context, prediction=predicted)
    return {violation.code for violation in found}


@pytest.mark.parametrize("split", SPLITS)
def test_every_gold_passes_the_check(split: str) -> None:
    searched = [row for row in ROWS[split] if row.context is not None]
    flagged = {row.id: found for row in searched if (found := codes(row, prediction(row)))}
    assert flagged == {}


@pytest.mark.parametrize("split", SPLITS)
def test_where_the_retrieval_failed_nothing_else_is_wrong(split: str) -> None:
    failed = [row for row in ROWS[split] if row.context is None]
    assert failed and [codes(row, prediction(row)) for row in failed] == [{"retrieval_failed"}] * len(failed)


@pytest.mark.parametrize("split", SPLITS)
def test_the_ledger_after_a_turn_is_that_of_the_gold(split: str) -> None:
    differing = []
    for row in ROWS[split]:
        after = outcome(
            turn=row.turn, ledger=row.ledger, question=row.question, context=row.context, prediction=prediction(row)
        ).ledger
        held = [
            (e.question, e.missing_evidence, e.first_asked_turn, e.attempts) for e in after if e.status == "pending"
        ]
        gold = row.gold.updated_unresolved_questions
        if held != [(e.question, e.missing_evidence, e.first_asked_turn, e.attempts) for e in gold]:
            differing.append(row.id)
    assert differing == []


@pytest.mark.parametrize("split", SPLITS)
def test_every_gold_has_the_full_score(split: str) -> None:
    scored = [(row.id, score_components(row, prediction(row))) for row in ROWS[split]]
    assert [(name, components.feedback) for name, components in scored if components.score != 1.0] == []


def carrying_all(row: GoldenRow) -> CarriedForward:
    """What answers nothing, ever: every question is carried with the words it came with."""
    gold = prediction(row)
    held = [UnresolvedQuestion(question=e.question, missing_evidence=e.missing_evidence) for e in row.ledger]
    if enters(row) or (row.context is not None and row.gold.current.asks and not repeats(row)):
        held.append(UnresolvedQuestion(question=row.question, missing_evidence=row.question))
    silent = gold.current_answer.model_copy(update={"text": None, "citations": (), "status": "UNANSWERED"})
    return CarriedForward(current_answer=silent, updated_unresolved_questions=tuple(held))


def repeats(row: GoldenRow) -> bool:
    return normalized(row.question) in {normalized(entry.question) for entry in row.ledger}


@pytest.mark.parametrize("split", SPLITS)
def test_answering_nothing_is_far_from_good(split: str) -> None:
    scores = [score_components(row, carrying_all(row)).score for row in ROWS[split]]
    assert sum(scores) < 0.5 * len(scores)


Damage = Callable[[GoldenRow], CarriedForward | None]


def dropped(row: GoldenRow) -> CarriedForward | None:
    if not row.ledger:
        return None
    last = row.ledger[-1].question
    kept = [each for each in row.gold.updated_unresolved_questions if each.question != last]
    resolved = [each for each in row.gold.resolved_questions if each.question != last]
    return prediction(row).model_copy(
        update={"updated_unresolved_questions": tuple(kept), "resolved_questions": tuple(resolved)}
    )


def without_citation(row: GoldenRow) -> CarriedForward | None:
    first, *rest = row.gold.resolved_questions or (None,)
    if first is None:
        return None
    bare = first.model_copy(update={"citations": (), "answer": re.sub(r" \[Source: [^\]]+\]", "", first.answer)})
    return prediction(row).model_copy(update={"resolved_questions": (bare, *rest)})


def another_number(row: GoldenRow) -> CarriedForward | None:
    for place, each in enumerate(row.gold.resolved_questions):
        body, _, marker = each.answer.partition(" [Source:")
        wrong = re.sub(r"\d", lambda digit: str((int(digit.group()) + 3) % 10), body)
        if wrong != body:
            resolved = list(row.gold.resolved_questions)
            resolved[place] = each.model_copy(update={"answer": f"{wrong} [Source:{marker}"})
            return prediction(row).model_copy(update={"resolved_questions": tuple(resolved)})
    return None


def reset(row: GoldenRow) -> CarriedForward | None:
    first, *rest = row.gold.updated_unresolved_questions or (None,)
    if first is None or first.attempts == 1:
        return None
    again = first.model_copy(update={"attempts": 1})
    return prediction(row).model_copy(update={"updated_unresolved_questions": (again, *rest)})


def in_both_lists(row: GoldenRow) -> CarriedForward | None:
    if not row.gold.resolved_questions:
        return None
    again = UnresolvedQuestion(question=row.gold.resolved_questions[0].question, missing_evidence="more")
    after = (again, *row.gold.updated_unresolved_questions)
    return prediction(row).model_copy(update={"updated_unresolved_questions": after})


@pytest.mark.parametrize(
    ("damage", "code", "share"),
    [
        (dropped, "silently_dropped", 1.0),
        (without_citation, "ungrounded_resolution", 1.0),
        (another_number, "ungrounded_resolution", 0.97),
        (reset, "immutable_field_changed", 1.0),
        (in_both_lists, "contradiction", 1.0),
    ],
)
def test_damage_is_noticed(damage: Damage, code: str, share: float) -> None:
    tried = [(row, wrong) for row in SEARCHED if (wrong := damage(row)) is not None]
    unseen = [row.id for row, wrong in tried if code not in codes(row, wrong)]
    assert len(tried) >= 50 and len(unseen) <= (1 - share) * len(tried), unseen
